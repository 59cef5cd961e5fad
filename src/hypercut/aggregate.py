"""All rows of a benchmark in one table, and a record of what was run."""

import os
import platform
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import hypercut
from hypercut import sources
from hypercut.benchmark import SWEPT_ALGORITHM, Benchmark, cell_file, sweep_file
from hypercut.errors import InputError
from hypercut.features.file import load_features
from hypercut.files import canonical_json
from hypercut.results import read_rows
from hypercut.settings import CLEAN

#: Libraries whose version may move a result.
LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "pillow", "snakemake", "mlflow")


#: What the rows say of their data, and the same in :func:`describe_data`.
_DATA_COLUMNS = {
    "data_kind": "kind",
    "complete": "complete",
    "n_samples": "n_samples",
    "n_features": "n_features",
    "n_clusters": "n_classes",
}


def gather(results: Path, benchmark: Benchmark) -> pd.DataFrame:
    """Return the rows of every cell and sweep of a benchmark, without labels; what has no file is an error."""
    files = [file for _, file in _files(results, benchmark)]
    missing = [file for file in files if not file.exists()]
    if missing:
        raise InputError(
            f"{missing[0]}: expected results there, found nothing ({len(missing)} of {len(files)} files are missing). "
            "Run the benchmark to its end, or build a partial report: hypercut report."
        )
    return pd.concat([read_rows(file) for file in files], ignore_index=True)


def gather_current(
    results: Path, benchmark: Benchmark, datasets: Mapping[str, Mapping[str, Any]]
) -> tuple[pd.DataFrame, list[dict[str, str]]]:
    """Return the rows of the cells and sweeps that are there, and which of them were left out as outdated, and why.

    When data or configuration have changed, the files of before stay until their jobs have run again. Their rows would
    pass for results of what is there now. ``datasets`` says what the data are now, see :func:`describe_run`; a dataset
    that it does not tell of is not compared.
    """
    tables, outdated = [], []
    for cell, file in _files(results, benchmark):
        if not file.exists():
            continue
        rows = read_rows(file)
        reason = _differences(rows, benchmark, datasets.get(cell["dataset"], {}), cell)
        if reason:
            outdated.append({**cell, "reason": reason})
        else:
            tables.append(rows)
    if not tables:
        left_out = f"{len(outdated)} of earlier data or an earlier configuration" if outdated else "none"
        raise InputError(f"{results}: expected results there, found {left_out}. Run the benchmark first.")
    return pd.concat(tables, ignore_index=True), outdated


def _files(results: Path, benchmark: Benchmark) -> Iterator[tuple[dict[str, str], Path]]:
    """The cells, then the sweeps, each with its file."""
    for dataset, setting, algorithm in benchmark.cells():
        names = {"dataset": dataset, "setting": setting, "algorithm": algorithm, "sweep": ""}
        yield names, cell_file(results, dataset, setting, algorithm)
    for dataset, sweep in benchmark.sweeps():
        names = {"dataset": dataset, "setting": CLEAN, "algorithm": SWEPT_ALGORITHM, "sweep": sweep}
        yield names, sweep_file(results, dataset, sweep)


def _differences(rows: pd.DataFrame, benchmark: Benchmark, data: Mapping[str, Any], cell: Mapping[str, str]) -> str:
    """Say in what the rows of a file differ from those that would be computed now: nothing if in nothing."""
    dataset, setting, sweep = cell["dataset"], cell["setting"], cell["sweep"]
    found, now = rows.iloc[0], {column: data[name] for column, name in _DATA_COLUMNS.items() if name in data}
    now["level"] = benchmark.levels[setting]
    reasons = [f"{column} was {found[column]}, is {value}" for column, value in now.items() if found[column] != value]
    if sweep:
        combinations, repeats = benchmark.combinations(dataset, sweep), benchmark.config["sweeps"]["repeats"]
    else:
        combinations, repeats = _known_parameters(benchmark, dataset, cell["algorithm"]), benchmark.repeats(setting)
    if combinations and set(rows["parameters"]) != set(map(canonical_json, combinations)):
        reasons.append("other parameters")
    if rows["repeat"].nunique() != repeats:
        reasons.append(f"repeats were {rows['repeat'].nunique()}, are {repeats}")
    scales = set(rows["sigma_factor"].dropna())
    if scales and scales != set(map(float, benchmark.factors(setting))):
        reasons.append("other scales σ")
    return "; ".join(reasons)


def _known_parameters(benchmark: Benchmark, dataset: str, algorithm: str) -> list[dict[str, Any]]:
    """Return the parameters of an algorithm, or nothing where the file of a user's own method is not at hand."""
    module = benchmark.config["algorithms"].get(algorithm, {}).get("module", "")
    if module.endswith(".py") and not Path(module).is_file():
        return []
    return [benchmark.parameters(dataset, algorithm)]


def describe_run(results: Path, benchmark: Benchmark) -> dict[str, Any]:
    """Return what was run, with which code, on which data and on which machine."""
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": hypercut.__version__,
        **describe_code(),
        "machine": describe_machine(),
        "config": dict(benchmark.config),
        "datasets": {dataset: facts for dataset in benchmark.datasets if (facts := describe_data(results, dataset))},
        "expected": benchmark.expected(),
    }


def describe_code() -> dict[str, Any]:
    """Return the git commit, whether there are changes on top of it, and a checksum of all source files."""
    root = sources.ROOT
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
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "platform": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "libraries": _versions(),
    }


def describe_data(results: Path, dataset: str) -> Mapping[str, Any]:
    """Return a dataset's provenance and shape; nothing if its features are not there yet."""
    path = results / "features" / f"{dataset}.npz"
    if not path.exists():
        return {}
    features = load_features(path)
    known = {
        name: features.provenance[name]
        for name in ("title", "kind", "source", "version", "terms", "complete", "options", "files_sha256")
    }
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


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(sources.ROOT), *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
