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

from hypercut import sources
from hypercut.benchmark import Benchmark
from hypercut.configuration import checked
from hypercut.errors import InputError
from hypercut.resources import memory_mb

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
    + (f"export PATH={shlex.quote(PYTHON)}:$PATH; " if PYTHON else "")
    + f"export PYTHONPATH={shlex.quote(str(Path(workflow.basedir, 'src')))}; "
    "export MLFLOW_DISABLE_TELEMETRY=true DO_NOT_TRACK=true; "
)


wildcard_constraints:
    dataset="[^/]+",
    setting="[a-z]+(-L[0-9]+)?",
    algorithm="[^/]+",
    sweep="[a-z]+",


@cache
def source_files(*modules, ignore=()):
    """The source files that a job runs. Inputs, so that it reruns when one of them changes."""
    here = Path(workflow.basedir)
    return [
        str(path.relative_to(here) if path.is_relative_to(here) else path)
        for path in sources.closure(modules, ignore=ignore)
    ]


def step(name, *modules):
    """The source files of a step, and of the modules that it is told to use."""
    return source_files(f"hypercut.steps.{name}", *modules)


def package_data(package):
    """The files of a package that are no Python."""
    folder = Path(workflow.basedir, "src", "hypercut", package)
    files = (
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    )
    return sorted(str(path.relative_to(workflow.basedir)) for path in files)


def as_json(value):
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def clustering_memory(wildcards, input):
    """MB, from the number of samples. Snakemake asks again when the problem's file is there."""
    return memory_mb(Path(input.problem))
