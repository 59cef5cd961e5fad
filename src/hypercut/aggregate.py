"""All rows of a benchmark in one table, and a record of what was run."""

import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import hypercut
from hypercut import sources
from hypercut.benchmark import Benchmark, cell_file, sweep_file
from hypercut.datasets import load_features
from hypercut.errors import InputError
from hypercut.results import read_rows

#: Libraries whose version may move a result.
LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "pillow", "snakemake", "mlflow")


def gather(results: Path, benchmark: Benchmark, *, partial: bool = False) -> pd.DataFrame:
    """Return the rows of every cell and sweep of a benchmark, without labels.

    What has no file is an error, or with ``partial`` is left out.
    """
    files = [cell_file(results, *cell) for cell in benchmark.cells()]
    files += [sweep_file(results, *sweep) for sweep in benchmark.sweeps()]
    missing = [file for file in files if not file.exists()]
    if missing and not partial:
        raise InputError(
            f"{missing[0]}: expected results there, found nothing ({len(missing)} of {len(files)} files are missing). "
            "Run the benchmark to its end, or build a partial report: hypercut report."
        )
    tables = [read_rows(file) for file in files if file.exists()]
    if not tables:
        raise InputError(f"{results}: expected results there, found none. Run the benchmark first.")
    return pd.concat(tables, ignore_index=True)


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
