# The configuration, and what the rules ask about it.

import json
import os
import shlex
import sys
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError

sys.path.insert(0, str(Path(workflow.basedir, "src")))

from hypercut import sources
from hypercut.benchmark import Benchmark, cell_file, sweep_file
from hypercut.configuration import checked
from hypercut.errors import InputError
from hypercut.files import canonical_json

if config.get("preset"):
    preset = Path(str(config["preset"]))
    if preset.suffix != ".yaml":
        preset = Path(workflow.basedir, "workflow", "presets", f"{preset}.yaml")
    if not preset.is_file():
        raise WorkflowError(f"preset={config['preset']}: expected a file {preset}.")
    # A preset's key replaces that of config.yaml as a whole, where Snakemake would mix the two.
    for key in yaml.safe_load(preset.read_text(encoding="utf-8")) or {}:
        config.pop(key, None)

    configfile: preset


try:
    schema = Path(workflow.basedir, "workflow", "schemas", "config.schema.yaml")
    CONFIG = checked(config, yaml.safe_load(schema.read_text(encoding="utf-8")))
    BENCHMARK = Benchmark(CONFIG)
    METHODS = BENCHMARK.methods
except InputError as error:
    raise WorkflowError(str(error))

RESULTS = CONFIG["results"]
DATA = CONFIG["data"]["root"]
ENVIRONMENT = "../../environment.yml"

# What a failed job tells the user to type.
RETRY = "snakemake --cores 1" + (
    f" --config preset={config['preset']}" if config.get("preset") else ""
)
# The Python that runs Snakemake runs the jobs too, unless Snakemake has made an environment for them.
PYTHON = (
    ""
    if workflow.deployment_settings.deployment_method
    else str(Path(sys.executable).parent)
)

# Jobs run the package of this checkout, and report to nobody.
shell.prefix(
    "set -euo pipefail; "
    f"source {shlex.quote(str(Path(workflow.basedir, 'workflow', 'scripts', 'job.sh')))}; "
    f"RETRY={shlex.quote(RETRY)}; "
    f"RESULTS={shlex.quote(RESULTS)}; DATA={shlex.quote(DATA)}; "
    # Where data come from is no parameter of a job: another mirror must not fetch again what is there.
    f"MIRROR={shlex.quote(CONFIG['data']['mirror'] or '')}; "
    f"ON_MISSING={CONFIG['data']['on_missing']}; "
    f"ON_MISMATCH={CONFIG['data']['on_mismatch']}; "
    + (f"export PATH={shlex.quote(PYTHON)}:$PATH; " if PYTHON else "")
    + f"export PYTHONPATH={shlex.quote(str(Path(workflow.basedir, 'src')))}${{{{PYTHONPATH:+:$PYTHONPATH}}}}; "
    "export MLFLOW_DISABLE_TELEMETRY=true DO_NOT_TRACK=true; "
)


wildcard_constraints:
    dataset="[^/]+",
    setting="[a-z]+(-L[0-9]+)?",
    algorithm="[^/]+",
    sweep="[a-z]+",
    set=".+",


def package_data(package):
    """The files of a package that are no Python."""
    folder = Path(workflow.basedir, "src", "hypercut", package)
    files = (
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    )
    return sorted(str(path.relative_to(workflow.basedir)) for path in files)


def source_files(modules, ignore=()):
    """The source files of some modules, and of all that they import."""
    here = Path(workflow.basedir)
    return [
        str(path.relative_to(here) if path.is_relative_to(here) else path)
        for path in sources.closure(modules, ignore=ignore)
    ]


def dataset_module(dataset):
    own = "path" in CONFIG["datasets"][dataset]
    return f"hypercut.datasets.{'_own' if own else dataset}"


# Plumbing that moves bytes decides nothing about what the data are. Generators do.
PLUMBING = (
    "hypercut.features",
    "hypercut.progress",
    "hypercut.errors",
    "hypercut.tables",
    *(
        f"hypercut.datasets{name}"
        for name in ("._archives", "._base", "._collection", "._sources")
    ),
)


def source_sets():
    """What each job runs: the name of a set → the files in it."""
    found = {}
    for name in (
        "corrupt",
        "overcluster",
        "configuration",
        "plan",
        "aggregate",
        "report",
        "track",
    ):
        found[name] = source_files([f"hypercut.steps.{name}"])
    found["sweep"] = source_files(["hypercut.steps.sweep", BENCHMARK.swept.module])
    for name, method in METHODS.items():
        found[f"cluster/{name}"] = source_files(
            ["hypercut.steps.cluster", method.module]
        )
    for dataset in BENCHMARK.datasets:
        itself = dataset_module(dataset)
        found[f"featurize/{dataset}"] = source_files(
            ["hypercut.steps.featurize", itself]
        )
    found["report"] += package_data("report")
    return found


def acquisition_sources(dataset):
    """What decides what the data of a dataset are."""
    files = source_files([dataset_module(dataset)], ignore=PLUMBING)
    return [path for path in files if not path.endswith("__init__.py")]


SOURCES = source_sets()


def source(name):
    """The file that changes when a source file of a set does."""
    return f"{RESULTS}/sources/{name}.txt"


def communities_of(algorithm, dataset, setting):
    """The communities, for the algorithms that use them."""
    if "communities" not in METHODS[algorithm].uses:
        return []
    return f"{RESULTS}/communities/{dataset}/{setting}.npz"


def method_options(method):
    """Which algorithm, where it is, and what the workflow gives it."""
    return (
        f"--module={shlex.quote(method.module)} --name={shlex.quote(method.name)}"
        f" --uses {' '.join(method.uses)}"
    )
