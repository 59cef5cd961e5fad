"""The record of a run (``run.json``): its configuration, code, machine and data.

Every row has the versions and the processor that computed it; :func:`describe_rows` counts them.
"""

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import hypercut
from hypercut.benchmark import code
from hypercut.benchmark.archived import read_index
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.layout import Layout
from hypercut.data.features import load_features
from hypercut.results.gather import Stored
from hypercut.run.machine import ENVIRONMENT, cpu, now

#: Libraries of the machine that gathers the rows.
LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "pillow", "snakemake", "mlflow")

#: Facts about a dataset, from the provenance of its features.
_FACTS = ("title", "kind", "source", "version", "terms", "complete", "options", "files_sha256", "identity")


def describe_run(results: Path, benchmark: Benchmark, found: Sequence[Stored]) -> dict[str, Any]:
    """Return the configuration, its datasets, and the code and machine that gather the results of :func:`inspect`."""
    available = [file.variation for file in found if not file.unavailable]
    return {
        "created": now(),
        "version": hypercut.__version__,
        **describe_code(),
        "machine": describe_machine(),
        "config": dict(benchmark.config),
        "datasets": describe_datasets(results, benchmark),
        # The result files of a complete table.
        "expected": {
            "cells": [[v.dataset, v.setting, v.algorithm] for v in available if not v.name],
            "variations": [[v.dataset, v.setting, v.name, v.algorithm] for v in available if v.name],
        },
    }


def describe_rows(table: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Return how many rows have each value of each of ENVIRONMENT."""
    return {name: {str(value): int(n) for value, n in table[name].value_counts().items()} for name in ENVIRONMENT}


def describe_code() -> dict[str, Any]:
    """Return the git commit, whether there are uncommitted changes, and a checksum of all source files."""
    digest = sha256()
    for file in sorted(code.ROOT.rglob("*.py")):
        digest.update(f"{file.relative_to(code.ROOT)}\0".encode() + file.read_bytes() + b"\0")
    commit = _git("rev-parse", "HEAD")
    return {
        "commit": commit,
        "dirty": bool(commit) and _git("status", "--porcelain", "--", str(code.ROOT)) != "",
        "fingerprint": digest.hexdigest(),
    }


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(code.ROOT), *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def describe_machine() -> dict[str, Any]:
    """Return processor, cores, memory and versions, but nothing that identifies the machine."""
    return {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "platform": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "libraries": _versions(),
    }


def _versions() -> dict[str, str]:
    found = {}
    for library in LIBRARIES:
        with suppress(PackageNotFoundError):
            found[library] = version(library)
    return found


def describe_datasets(results: Path, benchmark: Benchmark) -> dict[str, Mapping[str, Any]]:
    """Return provenance and shape of every dataset that has features here or in the archive."""
    folder = benchmark.config["archive"]
    archived = read_index(Path(folder))["datasets"] if folder else {}
    paths = {dataset: Layout(results).features(dataset) for dataset in benchmark.datasets}
    here = {dataset: _describe_features(path) for dataset, path in paths.items() if path.exists()}
    return {name: facts for name, facts in {**archived, **here}.items() if name in paths}


def _describe_features(path: Path) -> Mapping[str, Any]:
    features = load_features(path)
    known = {name: features.provenance[name] for name in _FACTS}
    sizes = {"n_samples": features.n_samples, "n_features": features.X.shape[1]}
    return {**known, **sizes, "n_classes": len(np.unique(features.y))}
