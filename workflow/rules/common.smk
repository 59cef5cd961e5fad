# The configuration, and what the rules ask about it.

import json
import os
import shlex
import sys
from functools import cache
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError

sys.path.insert(0, str(Path(workflow.basedir, "src")))

from hypercut.benchmark import code as package_code
from hypercut.benchmark.config import check_name, checked
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.layout import COMPUTED, Layout
from hypercut.benchmark.staleness import expected_digest
from hypercut.errors import InputError, without_secrets
from hypercut.files import canonical_json


def preset_file(name):
    """The file of a preset: one of workflow/presets by its name, or any by its path."""
    if name.endswith(".yaml"):
        if not Path(name).is_file():
            raise WorkflowError(f"preset={name}: there is no such file.")
        return Path(name)
    presets = {
        path.stem: path
        for path in sorted(Path(workflow.basedir, "workflow", "presets").glob("*.yaml"))
    }
    try:
        check_name("preset", name, presets, advice="Or give the path of a .yaml file.")
    except InputError as error:
        raise WorkflowError(str(error))
    return presets[name]


if config.get("preset"):
    preset = preset_file(str(config["preset"]))
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
LAYOUT = Layout(Path(RESULTS))
CELLS = [LAYOUT.cell(*cell) for cell in BENCHMARK.cells()]
SWEEPS = [LAYOUT.sweep(*sweep) for sweep in BENCHMARK.sweeps()]
DATA = CONFIG["data"]["root"]
ENVIRONMENT = "../../environment.yml"

# Where data come from is no parameter of a job: another mirror must not fetch again what is there. Nor is it in any
# command, which Snakemake prints when it fails: the address may hold a password.
if CONFIG["data"]["mirror"]:
    os.environ.setdefault("HYPERCUT_DATA_MIRROR", CONFIG["data"]["mirror"])

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


def package_data(package):
    """The files of a package that are no Python."""
    folder = package_code.ROOT / package
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    )


# The code of a job is one of its parameters, so that an edit runs it again: Snakemake itself sees no module that a
# program imports.
code = cache(package_code.step_code)
acquisition_code = cache(package_code.acquisition_code)


def method(wildcards):
    return BENCHMARK.method(wildcards.algorithm)


def communities_of(algorithm, dataset, setting):
    """The communities, for the algorithms that use them."""
    if "communities" not in BENCHMARK.method(algorithm).uses:
        return []
    return LAYOUT.communities(dataset, setting)


def method_options(method):
    """Which algorithm, where it is, and what the workflow gives it."""
    return (
        f"--module={shlex.quote(method.module)} --name={shlex.quote(method.name)}"
        f" --uses {' '.join(method.uses)}"
    )
