"""All rows of a benchmark in one table, and a record of what was run."""

import os
import platform
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import hypercut
from hypercut import sources
from hypercut.benchmark import SWEPT_ALGORITHM, Benchmark, cell_file, communities_file, problem_file, sweep_file
from hypercut.errors import InputError
from hypercut.features.file import load_features
from hypercut.files import canonical_json
from hypercut.provenance import ENVIRONMENT, Origin, cpu, now
from hypercut.results import read_origin, read_rows
from hypercut.settings import CLEAN

#: Libraries of the machine that builds the report. What the rows were computed with, each of them says itself.
LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "pillow", "snakemake", "mlflow")

#: How many stale files an error lists.
SHOWN = 10

_step_code = cache(sources.step_code)

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

    ``datasets`` says what the data are now, see :func:`describe_run`; by default the features are asked. A dataset
    that it does not mention is not compared.
    """
    if datasets is None:
        datasets = describe_datasets(results, benchmark)
    for cell, file in _files(results, benchmark):
        if not file.exists():
            yield ResultFile(cell, file, None)
            continue
        try:
            rows, origin = read_rows(file), read_origin(file)
        except InputError:
            yield ResultFile(cell, file, None, "the file is damaged")
            continue
        changed = [
            step
            for step, code in expected_code(benchmark, cell).items()
            if origin is None or origin.code.get(step) != code
        ]
        data = list(_other_data(rows, datasets.get(cell["dataset"], {})))
        reasons = [
            *([f"computed by other code ({', '.join(changed)})"] if changed else []),
            *data,
            *_other_settings(rows, origin, benchmark, cell),
        ]
        # With other data or corruption, what it was computed from is of no use either.
        inputs = _input_files(results, cell) if data or changed not in ([], [_last_step(cell)]) else ()
        yield ResultFile(cell, file, rows, "; ".join(reasons), inputs)


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
        yield names, cell_file(results, dataset, setting, algorithm)
    for dataset, sweep in benchmark.sweeps():
        names = {"dataset": dataset, "setting": CLEAN, "algorithm": SWEPT_ALGORITHM, "sweep": sweep}
        yield names, sweep_file(results, dataset, sweep)


def _input_files(results: Path, cell: Mapping[str, str]) -> tuple[Path, ...]:
    dataset, setting = cell["dataset"], cell["setting"]
    return problem_file(results, dataset, setting), communities_file(results, dataset, setting)


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


def _last_step(cell: Mapping[str, str]) -> str:
    """Return the step that writes the file."""
    return "sweep" if cell["sweep"] else "cluster"


def _other_data(rows: pd.DataFrame, data: Mapping[str, Any]) -> Iterator[str]:
    found = rows.iloc[0]
    for column, name in _DATA_COLUMNS.items():
        if name in data and found[column] != data[name]:
            yield f"{column} was {found[column]}, is {data[name]}"


def _other_settings(
    rows: pd.DataFrame, origin: Origin | None, benchmark: Benchmark, cell: Mapping[str, str]
) -> Iterator[str]:
    dataset, setting, sweep = cell["dataset"], cell["setting"], cell["sweep"]
    corruption = benchmark.corruption_options(setting)
    if origin is not None and origin.corruption != corruption:
        yield f"corruption was {dict(origin.corruption)}, is {corruption}"
    level = benchmark.level(setting)
    if rows["level"].iloc[0] != level:
        yield f"level was {rows['level'].iloc[0]}, is {level}"
    if sweep:
        combinations, repeats = benchmark.combinations(dataset, sweep), benchmark.config["sweeps"]["repeats"]
    else:
        combinations, repeats = _known_parameters(benchmark, dataset, cell["algorithm"]), benchmark.repeats(setting)
    if combinations and set(rows["parameters"]) != set(map(canonical_json, combinations)):
        yield "other parameters"
    if rows["repeat"].nunique() != repeats:
        yield f"repeats were {rows['repeat'].nunique()}, are {repeats}"
    scales = set(rows["sigma_factor"].dropna())
    if scales and scales != set(map(float, benchmark.factors(setting))):
        yield "other scales σ"


def _known_parameters(benchmark: Benchmark, dataset: str, algorithm: str) -> list[dict[str, Any]]:
    return [benchmark.parameters(dataset, algorithm)] if _at_hand(benchmark, algorithm) else []


def _at_hand(benchmark: Benchmark, algorithm: str) -> bool:
    """Whether the file of a method is there. That of a user's own may be elsewhere when a report is built."""
    module = benchmark.config["algorithms"].get(algorithm, {}).get("module", "")
    return not module.endswith(".py") or Path(module).is_file()


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
    path = results / "features" / f"{dataset}.npz"
    if not path.exists():
        return {}
    features = load_features(path)
    known = {
        name: features.provenance[name]
        for name in (
            "title",
            "kind",
            "source",
            "version",
            "terms",
            "complete",
            "options",
            "files_sha256",
            "fingerprint",
        )
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


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(sources.ROOT), *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
