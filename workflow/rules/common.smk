# The configuration, and functions that the rules share.

import json
import os
import shlex
import sys
from functools import cache
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError

# Not workflow.basedir, which is the folder of the Snakefile that was started, of which there are two.
ROOT = Path(str(workflow.current_basedir)).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "workflow")]

from hypercut.benchmark import code as package_code
from hypercut.benchmark.config import check_name, check_unique_keys, checked
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.layout import COMPUTED, Layout
from hypercut.benchmark.presets import with_own_entries, without_excess
from hypercut.benchmark.staleness import expected_digest
from hypercut.benchmark.variations import split_problem
from hypercut.errors import InputError, without_secrets
from hypercut.files import canonical_json


def preset_file(name):
    """Return the file of a preset: a name from workflow/presets, or the path of a file."""
    if name.endswith(".yaml"):
        if not Path(name).is_file():
            raise WorkflowError(f"preset={name}: there is no such file.")
        return Path(name)
    presets = {
        path.stem: path
        for path in sorted((ROOT / "workflow" / "presets").glob("*.yaml"))
    }
    try:
        check_name("preset", name, presets, advice="Or give the path of a .yaml file.")
    except InputError as error:
        raise WorkflowError(str(error))
    return presets[name]


full = dict(config)
if config.get("preset"):
    preset = preset_file(str(config["preset"]))
    # A key of the preset replaces the whole key of config.yaml; Snakemake would merge the two.
    for key in yaml.safe_load(preset.read_text(encoding="utf-8")) or {}:
        config.pop(key, None)

    configfile: preset


try:
    for file in workflow.configfiles:
        check_unique_keys(Path(file))
    if config.get("preset"):
        config.update(with_own_entries(config, full, config.pop("own", None)))
    schema = ROOT / "workflow" / "schemas" / "config.schema.yaml"
    complete, NOTES = without_excess(
        checked(config, yaml.safe_load(schema.read_text(encoding="utf-8")))
    )
    BENCHMARK = Benchmark(complete)
    METHODS = BENCHMARK.methods
except InputError as error:
    raise WorkflowError(str(error))

CONFIG = BENCHMARK.config
RESULTS = CONFIG["results"]
LAYOUT = Layout(Path(RESULTS))
CELLS = [LAYOUT.cell(*cell) for cell in BENCHMARK.cells()]
VARIATIONS = [LAYOUT.of(variation) for variation in BENCHMARK.variations()]
DATA = CONFIG["data"]["root"]
ENVIRONMENT = "../../environment.yml"

# The mirror is not a parameter of a job: a change of it must not fetch existing data again. Nor is it part of a
# command, which Snakemake prints when it fails: the address may contain a password.
if CONFIG["data"]["mirror"]:
    os.environ.setdefault("HYPERCUT_DATA_MIRROR", CONFIG["data"]["mirror"])

# The command that the message of a failed job suggests.
RETRY = "snakemake --cores 1" + (
    f" --config preset={config['preset']}" if config.get("preset") else ""
)
# Jobs run with the Python of Snakemake, unless Snakemake has created an environment for them.
PYTHON = (
    ""
    if workflow.deployment_settings.deployment_method
    else str(Path(sys.executable).parent)
)

# Jobs run the package of this checkout, without telemetry.
shell.prefix(
    "set -euo pipefail; "
    f"source {shlex.quote(str(ROOT / 'workflow' / 'scripts' / 'job.sh'))}; "
    f"RETRY={shlex.quote(RETRY)}; "
    f"RESULTS={shlex.quote(RESULTS)}; DATA={shlex.quote(DATA)}; "
    f"ON_MISSING={CONFIG['data']['on_missing']}; "
    f"ON_MISMATCH={CONFIG['data']['on_mismatch']}; "
    + (f"export PATH={shlex.quote(PYTHON)}:$PATH; " if PYTHON else "")
    + f"export PYTHONPATH={shlex.quote(str(ROOT / 'src'))}${{{{PYTHONPATH:+:$PYTHONPATH}}}}; "
    "export MLFLOW_DISABLE_TELEMETRY=true DO_NOT_TRACK=true; "
)


wildcard_constraints:
    dataset="[^/]+",
    setting="[a-z]+(-L[0-9]+)?",
    problem="[a-z]+(-L[0-9]+)?(~[a-z-]+)?",
    algorithm="[^/]+",
    variation="[a-z+-]+",


def package_data(package):
    """Return the data files of a package."""
    folder = package_code.ROOT / package
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    )


# The fingerprint of a job's code is one of its parameters, so that an edit reruns it: Snakemake does not see the
# modules that a program imports.
code = cache(package_code.step_code)
acquisition_code = cache(package_code.acquisition_code)


def method(wildcards):
    return BENCHMARK.method(wildcards.algorithm)


def variation(wildcards):
    names = wildcards.dataset, wildcards.setting, wildcards.variation
    try:
        return BENCHMARK.variation(*names, wildcards.algorithm)
    except InputError as error:
        raise WorkflowError(str(error))


def setting_of(wildcards):
    """Return the setting of a problem."""
    return split_problem(wildcards.problem)[0]


def communities_of(algorithm, dataset, problem):
    """Return the file of communities, for the algorithms that use them."""
    if "communities" not in BENCHMARK.method(algorithm).uses:
        return []
    return LAYOUT.communities(dataset, problem)


def scale_for(wildcards):
    """Return the file of the scale at which a reading finds communities, if it is that of another algorithm."""
    cell = BENCHMARK.scale_of(variation(wildcards))
    return LAYOUT.scale(cell.dataset, cell.setting, cell.algorithm) if cell else []


def file_options(**files):
    """Return the command-line options of those input files that a job has."""
    return " ".join(
        f"--{name.replace('_', '-')} {shlex.quote(str(path))}"
        for name, path in files.items()
        if path
    )


def method_options(method):
    """Return the command-line options that specify a method."""
    return (
        f"--module={shlex.quote(method.module)} --name={shlex.quote(method.name)}"
        f" --uses {' '.join(method.uses)}"
    )
