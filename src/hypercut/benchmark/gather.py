"""All rows of a benchmark in one table, and a record of what was run."""

import os
import platform
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import hypercut
from hypercut.benchmark import code
from hypercut.benchmark.design import (
    SWEPT_ALGORITHM,
    Benchmark,
)
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.provenance import ENVIRONMENT, NO_ORIGIN, Origin, cpu, now
from hypercut.benchmark.rows import read_origin, read_rows
from hypercut.data.features.file import load_features
from hypercut.data.manifest import find_manifest
from hypercut.errors import InputError
from hypercut.files import canonical_json
from hypercut.paper.protocol import CLEAN

#: Libraries of the machine that builds the report. What the rows were computed with, each of them says itself.
LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "pillow", "snakemake", "mlflow")

#: How many stale files an error lists.
SHOWN = 10

#: What the record of a run says of each dataset.
_DATA_FACTS = (
    "title",
    "kind",
    "source",
    "version",
    "terms",
    "complete",
    "options",
    "files_sha256",
    "recipe",
    "fingerprint",
)

_step_code = cache(code.step_code)

#: What the rows say of their data, and the same in :func:`describe_data`.
_DATA_COLUMNS = {
    "data": "fingerprint",
    "data_kind": "kind",
    "complete": "complete",
    "n_samples": "n_samples",
    "n_features": "n_features",
    "n_clusters": "n_classes",
}


@dataclass(frozen=True)
class ResultFile:
    """The file of a cell or sweep, as far as it is there and can be used."""

    cell: dict[str, str]
    """dataset, setting, algorithm and sweep"""
    path: Path
    rows: pd.DataFrame | None
    """None if there is no file, or a damaged one"""
    stale: str = ""
    """in what it differs from what would be computed now; empty for a file that is current, or missing"""
    inputs: tuple[Path, ...] = ()
    """the files that it was computed from and that are stale too, or may be"""

    @property
    def missing(self) -> bool:
        """Whether there is no file."""
        return self.rows is None and not self.stale


def inspect(
    results: Path, benchmark: Benchmark, datasets: Mapping[str, Mapping[str, Any]] | None = None
) -> Iterator[ResultFile]:
    """Yield the files of a benchmark, each compared with the present code, data and configuration.

    ``datasets`` says what the data are now (default: :func:`describe_datasets`). One that it does not mention is not
    compared.
    """
    datasets = describe_datasets(results, benchmark) if datasets is None else datasets
    stale = {name: list(_stale_features(facts, benchmark, name)) for name, facts in datasets.items()}
    for cell, path in _files(results, benchmark):
        dataset = cell["dataset"]
        yield _inspect_file(results, benchmark, cell, path, datasets.get(dataset, {}), stale.get(dataset, []))


def _inspect_file(
    results: Path,
    benchmark: Benchmark,
    cell: dict[str, str],
    path: Path,
    data: Mapping[str, Any],
    stale_features: Sequence[str],
) -> ResultFile:
    if not path.exists():
        return ResultFile(cell, path, None)
    try:
        rows, origin = read_rows(path), read_origin(path) or NO_ORIGIN
    except InputError:
        return ResultFile(cell, path, None, "the file is damaged, or holds no results")
    changed = [step for step, code in expected_code(benchmark, cell).items() if origin.code.get(step) != code]
    other_code = [f"computed by other code ({', '.join(changed)})"] if changed else []
    other_data = [*_other_data(rows, data), *_other_problem(rows, origin, benchmark, cell)]
    reasons = [*stale_features, *other_code, *other_data, *_other_settings(rows, origin, benchmark, cell)]
    layout = Layout(results)
    inputs: list[Path] = []
    if stale_features:
        inputs.append(layout.features(cell["dataset"]))
    if other_data or set(changed) - {_last_step(cell)}:
        # Which of these two is stale cannot be told from here.
        inputs += [path(cell["dataset"], cell["setting"]) for path in (layout.problem, layout.communities)]
    return ResultFile(cell, path, rows, "; ".join(reasons), tuple(inputs))


def _stale_features(data: Mapping[str, Any], benchmark: Benchmark, dataset: str) -> Iterator[str]:
    """Yield in what the features of a dataset differ from those that would be computed now."""
    if "damaged" in data:
        yield "the features are damaged"
        return
    recipe = data["recipe"]
    if recipe["code"] != _step_code("featurize", benchmark.dataset_module(dataset)):
        yield "features computed by other code"
    if recipe["entry"] != benchmark.data_entry(dataset):
        yield f"features with other options ({canonical_json(recipe['entry'])})"
    manifest = find_manifest(dataset, Path(benchmark.config["data"]["root"]))
    if manifest is not None and recipe["data"] != manifest.identity:
        yield "features of other raw data"


def gather(results: Path, benchmark: Benchmark) -> pd.DataFrame:
    """Return the rows of every cell and sweep of a benchmark, without labels; what is missing or stale is an error."""
    found = list(inspect(results, benchmark))
    missing = [file.path for file in found if file.missing]
    if missing:
        raise InputError(
            f"{missing[0]}: expected results there, found nothing ({len(missing)} of {len(found)} files are missing). "
            "Run the benchmark to its end, or build a partial report: hypercut report."
        )
    stale = [file for file in found if file.stale]
    if stale:
        shown = [f"  {file.path}: {file.stale}" for file in stale[:SHOWN]]
        more = [f"  and {len(stale) - SHOWN} more"] if len(stale) > SHOWN else []
        raise InputError(
            "\n".join(
                [
                    f"{len(stale)} of {len(found)} result files are stale: they are not from the present code, data "
                    "and configuration.",
                    *shown,
                    *more,
                    "Run the same command again: it recomputes what Snakemake knows to have changed. If this message "
                    f"comes back, run first: hypercut discard {results} --stale",
                ]
            )
        )
    return pd.concat([file.rows for file in found], ignore_index=True)


def gather_current(
    results: Path, benchmark: Benchmark, datasets: Mapping[str, Mapping[str, Any]]
) -> tuple[pd.DataFrame, list[dict[str, str]]]:
    """Return the rows of the cells and sweeps that are there and current, and which were left out as stale, and why.

    When code, data or configuration have changed, the files of before stay until their jobs have run again. Their rows
    would pass for results of what is there now.
    """
    found = list(inspect(results, benchmark, datasets))
    tables = [file.rows for file in found if file.rows is not None and not file.stale]
    stale = [{**file.cell, "reason": file.stale} for file in found if file.stale]
    if not tables:
        left_out = f"{len(stale)} that are stale ({stale[0]['reason']})" if stale else "none"
        raise InputError(f"{results}: expected results there, found {left_out}. Run the benchmark first.")
    return pd.concat(tables, ignore_index=True), stale


def _files(results: Path, benchmark: Benchmark) -> Iterator[tuple[dict[str, str], Path]]:
    """The cells, then the sweeps, each with its file."""
    for dataset, setting, algorithm in benchmark.cells():
        names = {"dataset": dataset, "setting": setting, "algorithm": algorithm, "sweep": ""}
        yield names, Layout(results).cell(dataset, setting, algorithm)
    for dataset, sweep in benchmark.sweeps():
        names = {"dataset": dataset, "setting": CLEAN, "algorithm": SWEPT_ALGORITHM, "sweep": sweep}
        yield names, Layout(results).sweep(dataset, sweep)


def expected_code(benchmark: Benchmark, cell: Mapping[str, str]) -> dict[str, str]:
    """Return the code that a cell or sweep would run now; without that of a method whose file is not at hand."""
    code = {"corrupt": _step_code("corrupt")}
    if _at_hand(benchmark, cell["algorithm"]):
        method = benchmark.method(cell["algorithm"])
        if "communities" in method.uses:
            code["overcluster"] = _step_code("overcluster")
        step = _last_step(cell)
        code[step] = _step_code(step, method.module)
    return code


def expected_digest(benchmark: Benchmark) -> str:
    """Return one checksum of the configuration and of all code that the results should come from.

    It is a parameter of the rule that gathers: whatever Snakemake knows of the single jobs, results are compared again
    when this changes.
    """
    codes = {str(path): expected_code(benchmark, cell) for cell, path in _files(Path(), benchmark)}
    codes |= {name: {"": _step_code("featurize", benchmark.dataset_module(name))} for name in benchmark.datasets}
    return sha256(canonical_json([benchmark.config, codes]).encode()).hexdigest()


def _last_step(cell: Mapping[str, str]) -> str:
    """Return the step that writes the file."""
    return "sweep" if cell["sweep"] else "cluster"


def _other_data(rows: pd.DataFrame, data: Mapping[str, Any]) -> Iterator[str]:
    found = rows.iloc[0]
    for column, name in _DATA_COLUMNS.items():
        if name in data and found[column] != data[name]:
            yield f"{column} was {found[column]}, is {data[name]}"


def _other_problem(rows: pd.DataFrame, origin: Origin, benchmark: Benchmark, cell: Mapping[str, str]) -> Iterator[str]:
    """Yield in what the rows are of another problem: another dataset, corruption, level or grid."""
    for name, expected in cell.items():
        found = set(rows[name]) - {expected}
        if found:
            yield f"it holds results of {name} {', '.join(map(repr, sorted(found)))}"
    setting = cell["setting"]
    corruption = benchmark.corruption_options(setting)
    if origin.corruption != corruption:
        yield f"corruption was {dict(origin.corruption)}, is {corruption}"
    level = benchmark.level(setting)
    if rows["level"].iloc[0] != level:
        yield f"level was {rows['level'].iloc[0]}, is {level}"
    repeats = benchmark.config["sweeps"]["repeats"] if cell["sweep"] else benchmark.repeats(setting)
    if rows["repeat"].nunique() != repeats:
        yield f"repeats were {rows['repeat'].nunique()}, are {repeats}"
    scales = set(rows["sigma_factor"].dropna())
    if scales and scales != set(map(float, benchmark.factors(setting))):
        yield "other scales σ"


def _other_settings(rows: pd.DataFrame, origin: Origin, benchmark: Benchmark, cell: Mapping[str, str]) -> Iterator[str]:
    """Yield in what the clustering of the same problem was another."""
    limits = {name: benchmark.config[name] for name in ("time_limit", "give_up_after")}
    if origin.limits != limits:
        yield f"limits were {dict(origin.limits)}, are {limits}"
    if cell["sweep"]:
        combinations = benchmark.combinations(cell["dataset"], cell["sweep"])
    else:
        combinations = _known_parameters(benchmark, cell["dataset"], cell["algorithm"])
    if combinations and set(rows["parameters"]) != set(map(canonical_json, combinations)):
        yield "other parameters"


def _known_parameters(benchmark: Benchmark, dataset: str, algorithm: str) -> list[dict[str, Any]]:
    return [benchmark.parameters(dataset, algorithm)] if _at_hand(benchmark, algorithm) else []


def _at_hand(benchmark: Benchmark, algorithm: str) -> bool:
    """Whether the file of a method is there. That of a user's own may be elsewhere when a report is built."""
    module = benchmark.config["algorithms"].get(algorithm, {}).get("module", "")
    return not module or Path(code.module_file(module) or "/").is_file()


def describe_run(results: Path, benchmark: Benchmark) -> dict[str, Any]:
    """Return what was to be run, on which data, and which code and machine gathers it.

    What computed the rows is in the rows: see :func:`describe_rows`.
    """
    return {
        "created": now(),
        "version": hypercut.__version__,
        **describe_code(),
        "machine": describe_machine(),
        "config": dict(benchmark.config),
        "datasets": describe_datasets(results, benchmark),
        "expected": benchmark.expected(),
    }


def describe_code() -> dict[str, Any]:
    """Return the git commit, whether there are changes on top of it, and a checksum of all source files."""
    root = code.ROOT
    files = sorted(root.rglob("*.py"))
    digest = sha256()
    for file in files:
        digest.update(f"{file.relative_to(root)}\0".encode() + file.read_bytes() + b"\0")
    commit = _git("rev-parse", "HEAD")
    return {
        "commit": commit,
        "dirty": bool(commit) and _git("status", "--porcelain", "--", str(root)) != "",
        "fingerprint": digest.hexdigest(),
    }


def describe_machine() -> dict[str, Any]:
    """Return processor, cores, memory and versions. Nothing that names the machine."""
    return {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "platform": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "libraries": _versions(),
    }


def describe_rows(table: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Return what computed the rows: for each of ENVIRONMENT its values, and how many rows each has."""
    return {name: {str(value): int(n) for value, n in table[name].value_counts().items()} for name in ENVIRONMENT}


def describe_datasets(results: Path, benchmark: Benchmark) -> dict[str, Mapping[str, Any]]:
    """Return the provenance and shape of every dataset whose features are there."""
    return {dataset: facts for dataset in benchmark.datasets if (facts := describe_data(results, dataset))}


def describe_data(results: Path, dataset: str) -> Mapping[str, Any]:
    """Return a dataset's provenance and shape; nothing if its features are not there yet."""
    path = Layout(results).features(dataset)
    if not path.exists():
        return {}
    try:
        features = load_features(path)
    except InputError:
        return {"damaged": True}
    known = {name: features.provenance[name] for name in _DATA_FACTS}
    samples, width = features.X.shape
    return {**known, "n_samples": samples, "n_features": width, "n_classes": len(np.unique(features.y))}


def _versions() -> dict[str, str]:
    found = {}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(code.ROOT), *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
