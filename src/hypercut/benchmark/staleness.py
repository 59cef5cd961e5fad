"""Whether a result file is current, and if not, why: it is compared with the present code, data and configuration."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from hypercut.benchmark import code
from hypercut.benchmark.design import SWEPT_ALGORITHM, Benchmark
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.provenance import Origin
from hypercut.benchmark.record import describe_datasets
from hypercut.benchmark.rows import read_origin, read_rows
from hypercut.data.manifest import find_manifest
from hypercut.errors import InputError
from hypercut.files import canonical_json
from hypercut.paper.protocol import CLEAN

#: Columns that describe the data, and their names in :func:`describe_datasets`.
_DATA_COLUMNS = {
    "data": "fingerprint",
    "data_kind": "kind",
    "complete": "complete",
    "n_samples": "n_samples",
    "n_features": "n_features",
    "n_clusters": "n_classes",
}

_step_code = cache(code.step_code)


@dataclass(frozen=True)
class ResultFile:
    """The file of a cell or sweep."""

    names: dict[str, str]  # dataset, setting, algorithm and sweep
    path: Path
    rows: pd.DataFrame | None  # None if the file is missing or damaged
    stale: str = ""  # the differences from a file computed now; empty if the file is current or missing
    inputs: tuple[Path, ...] = ()  # input files that are, or may be, stale too

    @property
    def missing(self) -> bool:
        """Whether the file does not exist."""
        return self.rows is None and not self.stale


def inspect(
    results: Path, benchmark: Benchmark, datasets: Mapping[str, Mapping[str, Any]] | None = None
) -> Iterator[ResultFile]:
    """Yield every result file of a benchmark, compared with the present code, data and configuration.

    ``datasets`` describes the present data (default: :func:`describe_datasets`). Results of a dataset that is not in
    it are not compared with data.
    """
    datasets = describe_datasets(results, benchmark) if datasets is None else datasets
    stale_features = {name: list(_stale_features(facts, benchmark, name)) for name, facts in datasets.items()}
    for names, path in _files(results, benchmark):
        dataset = names["dataset"]
        yield _inspect_file(results, benchmark, names, path, datasets.get(dataset, {}), stale_features.get(dataset, []))


def _files(results: Path, benchmark: Benchmark) -> Iterator[tuple[dict[str, str], Path]]:
    """Yield the names and file of every cell, then of every sweep."""
    layout = Layout(results)
    for dataset, setting, algorithm in benchmark.cells():
        names = {"dataset": dataset, "setting": setting, "algorithm": algorithm, "variation": ""}
        yield names, layout.cell(dataset, setting, algorithm)
    for dataset, sweep in benchmark.sweeps():
        names = {"dataset": dataset, "setting": CLEAN, "algorithm": SWEPT_ALGORITHM, "variation": sweep}
        yield names, layout.sweep(dataset, sweep)


def _inspect_file(
    results: Path,
    benchmark: Benchmark,
    names: dict[str, str],
    path: Path,
    data: Mapping[str, Any],
    stale_features: Sequence[str],
) -> ResultFile:
    if not path.exists():
        return ResultFile(names, path, None)
    try:
        rows, origin = read_rows(path), read_origin(path) or Origin(code={}, data="")
    except InputError:
        return ResultFile(names, path, None, "the file is damaged or has no rows")
    changed = [step for step, code in expected_code(benchmark, names).items() if origin.code.get(step) != code]
    other_code = [f"computed by other code ({', '.join(changed)})"] if changed else []
    other_problem = [*_other_data(rows, data), *_other_problem(rows, origin, benchmark, names)]
    reasons = [*stale_features, *other_code, *other_problem, *_other_settings(rows, origin, benchmark, names)]
    layout = Layout(results)
    inputs: list[Path] = []
    if stale_features:
        inputs.append(layout.features(names["dataset"]))
    if other_problem or set(changed) - {"cluster"}:
        # The rows do not say which of the two is stale.
        inputs += [path(names["dataset"], names["setting"]) for path in (layout.problem, layout.communities)]
    return ResultFile(names, path, rows, "; ".join(reasons), tuple(inputs))


def _stale_features(data: Mapping[str, Any], benchmark: Benchmark, dataset: str) -> Iterator[str]:
    """Yield how the features of a dataset differ from those that would be computed now."""
    if "damaged" in data:
        yield "the features are damaged"
        return
    recipe = data["recipe"]
    if recipe["code"] != _step_code("featurize", benchmark.dataset_module(dataset)):
        yield "features computed by other code"
    if recipe["entry"] != benchmark.data_entry(dataset):
        yield f"features with other options ({canonical_json(recipe['entry'])})"
    manifest = find_manifest(benchmark.files_of(dataset), Path(benchmark.config["data"]["root"]))
    if manifest is not None and recipe["data"] != manifest.identity:
        yield "features of other raw data"


def _other_data(rows: pd.DataFrame, data: Mapping[str, Any]) -> Iterator[str]:
    found = rows.iloc[0]
    for column, name in _DATA_COLUMNS.items():
        if name in data and found[column] != data[name]:
            yield f"{column} was {found[column]}, is {data[name]}"


def _other_problem(rows: pd.DataFrame, origin: Origin, benchmark: Benchmark, names: Mapping[str, str]) -> Iterator[str]:
    """Yield how the problem differs: another dataset, corruption, level or grid."""
    for name, expected in names.items():
        found = set(rows[name]) - {expected}
        if found:
            yield f"it holds results of {name} {', '.join(map(repr, sorted(found)))}"
    setting = names["setting"]
    corruption = benchmark.corruption_options(setting)
    if origin.corruption != corruption:
        yield f"corruption was {dict(origin.corruption)}, is {corruption}"
    level = benchmark.level(setting)
    if rows["level"].iloc[0] != level:
        yield f"level was {rows['level'].iloc[0]}, is {level}"
    dataset = names["dataset"]
    repeats = benchmark.sweep_repeats(dataset) if names["variation"] else benchmark.repeats(dataset, setting)
    if rows["repeat"].nunique() != repeats:
        yield f"repeats were {rows['repeat'].nunique()}, are {repeats}"
    scales = set(rows["sigma_factor"].dropna())
    if scales and scales != set(map(float, benchmark.factors(setting))):
        yield "other scales σ"


def _other_settings(
    rows: pd.DataFrame, origin: Origin, benchmark: Benchmark, names: Mapping[str, str]
) -> Iterator[str]:
    """Yield how the clustering of the same problem differs: other limits or parameters."""
    limits = {name: benchmark.config[name] for name in ("time_limit", "give_up_after")}
    if origin.limits != limits:
        yield f"limits were {dict(origin.limits)}, are {limits}"
    combinations = []
    if names["variation"]:
        combinations = benchmark.combinations(names["dataset"], names["variation"])
    elif _is_available(benchmark, names["algorithm"]):
        combinations = [benchmark.parameters(names["dataset"], names["algorithm"])]
    if combinations and set(rows["parameters"]) != set(map(canonical_json, combinations)):
        yield "other parameters"


def expected_code(benchmark: Benchmark, names: Mapping[str, str]) -> dict[str, str]:
    """Return the fingerprint of each step that a cell or sweep would run now.

    Without those that depend on the module of the algorithm, if that is not available.
    """
    expected = {"corrupt": _step_code("corrupt")}
    if _is_available(benchmark, names["algorithm"]):
        method = benchmark.method(names["algorithm"])
        if "communities" in method.uses:
            expected["overcluster"] = _step_code("overcluster")
        expected["cluster"] = _step_code("cluster", method.module)
    return expected


def expected_digest(benchmark: Benchmark) -> str:
    """Return one checksum of the configuration and of all code that computes results.

    It is a parameter of the rule that gathers: when it changes, every result is inspected again, even where Snakemake
    has lost its records of the single jobs.
    """
    codes = {str(path): expected_code(benchmark, names) for names, path in _files(Path(), benchmark)}
    codes |= {name: {"": _step_code("featurize", benchmark.dataset_module(name))} for name in benchmark.datasets}
    return sha256(canonical_json([benchmark.config, codes]).encode()).hexdigest()


def _is_available(benchmark: Benchmark, algorithm: str) -> bool:
    """Return whether the module of an algorithm exists. A user's own may be elsewhere when a report is built."""
    module = benchmark.config["algorithms"].get(algorithm, {}).get("module", "")
    return not module or Path(code.module_file(module) or "/").is_file()
