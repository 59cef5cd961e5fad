# The configuration, and functions that the rules share. Parsing reads files and changes none.

import os
import shlex
import sys
from hashlib import sha256
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError

# Not workflow.basedir: it is the folder of the Snakefile that was started, and there are two of them.
ROOT = Path(str(workflow.current_basedir)).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "workflow")]

from hypercut.benchmark.archived import archive_files, sources
from hypercut.benchmark.code import step_code
from hypercut.benchmark.config import LIMITS, check_name, check_unique_keys, checked
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.presets import with_own_entries, without_excess
from hypercut.benchmark.recipe import (
    acquisition_recipe,
    digest_of_recipes,
    features_recipe,
    overclustering_recipe,
    problem_recipe,
    recipe,
)
from hypercut.errors import InputError, without_secrets
from hypercut.files import canonical_json as as_text


def preset_file(name):
    """Return the file of a preset: a name from workflow/presets, or the path of a file."""
    if name.endswith(".yaml"):
        if not Path(name).is_file():
            raise WorkflowError(f"preset={name}: there is no such file.")
        return Path(name)
    presets = {path.stem: path for path in sorted((ROOT / "workflow" / "presets").glob("*.yaml"))}
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
    if config.get("preset"):
        config.update(with_own_entries(config, full, config.pop("own", None)))
    for file in workflow.configfiles:
        check_unique_keys(Path(file))
    complete, NOTES = without_excess(checked(config))
    BENCHMARK = Benchmark(complete)
    BENCHMARK.methods  # fails for a method that does not exist
    SOURCES = sources(BENCHMARK)
except InputError as error:
    raise WorkflowError(str(error))

CONFIG = BENCHMARK.config
RESULTS = CONFIG["results"]
LAYOUT = Layout(Path(RESULTS))
# Files of ours in Snakemake's folder.
RECORDS = f".snakemake/hypercut/{RESULTS.replace(os.sep, '%')}"
# The results that are neither in the archive nor impossible to compute here.
COMPUTED_RESULTS = [
    result for result in BENCHMARK.results() if result not in SOURCES.archived and result not in SOURCES.unavailable
]
RESULT_FILES = [LAYOUT.result(result) for result in COMPUTED_RESULTS]
COMPUTED_DATASETS = list(dict.fromkeys(result.dataset for result in COMPUTED_RESULTS))
ARCHIVE_FILES = archive_files(CONFIG["archive"]) if SOURCES.archived else []
if BENCHMARK.similarity_cell in SOURCES.archived:
    SIMILARITY = [file for file in ARCHIVE_FILES if file.name == "similarity.npz"]
else:
    SIMILARITY = [LAYOUT.similarity] if BENCHMARK.similarity_cell else []
# For --sdm conda: see also environment.yml, which has everything.
COMPUTE, REPORT, TRACK = (f"../envs/{name}.yaml" for name in ("compute", "report", "track"))


pathvars:
    results=RESULTS,
    logs=f"{RESULTS}/logs",
    data=CONFIG["data"]["root"],


# The mirror is not a parameter of a job, since a change of it must not fetch existing data again. It is not part of a
# command either: Snakemake prints a command that fails, and the address may contain a password.
if CONFIG["data"]["mirror"]:
    os.environ.setdefault("HYPERCUT_DATA_MIRROR", CONFIG["data"]["mirror"])

# The command that the message of a failed job suggests.
RETRY = "snakemake --cores 1" + (f" --config preset={config['preset']}" if config.get("preset") else "")
# Jobs run with the Python of Snakemake, unless Snakemake has created an environment for them.
PYTHON = "" if workflow.deployment_settings.deployment_method else str(Path(sys.executable).parent)
# With an archive there are no stand-ins: they would be compared with archived results of the real datasets.
ON_MISSING = "fail" if CONFIG["archive"] else CONFIG["data"]["on_missing"]

if set("{}%").intersection(f"{ROOT}{PYTHON}"):
    raise WorkflowError(f"{ROOT}, {PYTHON}: Snakemake fails on braces in a path, and MLflow on %. Rename the folder.")
# Jobs run the package of this checkout, without telemetry.
shell.prefix(
    "set -euo pipefail; "
    f"source {shlex.quote(str(ROOT / 'workflow' / 'scripts' / 'job.sh'))}; "
    f"RESULTS={shlex.quote(RESULTS)}; DATA={shlex.quote(CONFIG['data']['root'])}; "
    f"ON_MISSING={ON_MISSING}; "
    # Not a parameter of a job: a longer limit does not change a clustering that was done within it.
    f"LIMITS={shlex.quote(as_text({name: CONFIG[name] for name in LIMITS})).replace('{', '{{').replace('}', '}}')}; "
    f"ON_MISMATCH={CONFIG['data']['on_mismatch']}; "
    + (f"export PATH={shlex.quote(PYTHON)}:$PATH; " if PYTHON else "")
    + f"export PYTHONPATH={shlex.quote(str(ROOT / 'src'))}${{{{PYTHONPATH:+:$PYTHONPATH}}}}; "
    "export MLFLOW_DISABLE_TELEMETRY=true DO_NOT_TRACK=true; "
)


wildcard_constraints:
    dataset="[^/]+",
    setting="[a-z]+(-L[0-9]+)?",
    problem="[a-z]+(-L[0-9]+)?(~[a-z-]+)?",
    result="([a-z-]+/)?[^/]+",


def result_of(wildcards):
    """Return the result of a job: a cell, or a sweep or reading."""
    try:
        return BENCHMARK.result("/".join(wildcards))
    except InputError as error:
        raise WorkflowError(str(error))


def overclustering_of(wildcards):
    """Return the file of over-clusterings, for the algorithms that use them."""
    result = result_of(wildcards)
    if "overclustering" not in BENCHMARK.method(result.algorithm).uses:
        return []
    return LAYOUT.overclustering(result.dataset, result.problem)


def cell_of(wildcards):
    """Return the result file of the cell at whose best σ a reading over-clusters; nothing if there is none."""
    cell = BENCHMARK.sigma_of(result_of(wildcards))
    return LAYOUT.result(cell) if cell else []


def options(**files):
    """Return the command-line options of those input files that a job has."""
    return " ".join(f"--{name} {shlex.quote(str(path))}" for name, path in files.items() if path)
