"""Whether a result file is current, and if not, why: it is compared with the present code, data and configuration."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from hypercut.benchmark import code
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.provenance import Origin
from hypercut.benchmark.record import describe_datasets
from hypercut.benchmark.rows import read_origin, read_rows
from hypercut.benchmark.summary import best_scale
from hypercut.benchmark.variations import SWEPT_ALGORITHM, Variation
from hypercut.data.manifest import find_manifest
from hypercut.errors import InputError
from hypercut.files import canonical_json

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
    """The file of a cell, sweep or reading."""

    variation: Variation
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
    stale = {name: list(stale_features(facts, benchmark, name)) for name, facts in datasets.items()}
    layout = Layout(results)
    for variation in benchmark.results():
        name = variation.dataset
        yield _inspect_file(layout, benchmark, variation, datasets.get(name, {}), stale.get(name, []))


@dataclass(frozen=True)
class Differences:
    """How a result differs from one computed now. Each list is empty if there is no difference of that kind."""

    features: Sequence[str]
    steps: Sequence[str]
    """computed by other code"""
    problem: Sequence[str]
    limits: Sequence[str]
    parameters: Sequence[str]

    def __str__(self) -> str:
        other_code = [f"computed by other code ({', '.join(self.steps)})"] if self.steps else []
        return "; ".join([*self.features, *other_code, *self.problem, *self.limits, *self.parameters])


def differences(
    benchmark: Benchmark,
    variation: Variation,
    rows: pd.DataFrame,
    origin: Origin,
    *,
    data: Mapping[str, Any],
    stale_features: Sequence[str],
    rows_of: Callable[[Variation], pd.DataFrame],
) -> Differences:
    """Compare a result with the present code, data and configuration.

    ``data`` describes its dataset (empty: not compared), ``stale_features`` are the :func:`stale_features` of that
    dataset, and ``rows_of`` returns the rows of another result or raises an InputError.
    """
    expected = expected_code(benchmark, variation.algorithm)
    return Differences(
        features=stale_features,
        steps=[step for step, code in expected.items() if origin.code.get(step) != code],
        problem=[*_other_data(rows, data), *_other_problem(rows, origin, benchmark, variation)],
        limits=list(_other_limits(origin, benchmark)),
        parameters=list(_other_parameters(rows, benchmark, variation, rows_of)),
    )


def _inspect_file(
    layout: Layout,
    benchmark: Benchmark,
    variation: Variation,
    data: Mapping[str, Any],
    features: Sequence[str],
) -> ResultFile:
    path = layout.of(variation)
    if not path.exists():
        return ResultFile(variation, path, None)
    try:
        rows, origin = read_rows(path), read_origin(path) or Origin(code={}, data="")
    except InputError:
        return ResultFile(variation, path, None, "the file is damaged or has no rows")

    def rows_of(other: Variation) -> pd.DataFrame:
        return read_rows(layout.of(other))

    found = differences(benchmark, variation, rows, origin, data=data, stale_features=features, rows_of=rows_of)
    return ResultFile(variation, path, rows, str(found), tuple(_stale_inputs(layout, benchmark, variation, found)))


def _stale_inputs(layout: Layout, benchmark: Benchmark, variation: Variation, found: Differences) -> Iterator[Path]:
    if found.features:
        yield layout.features(variation.dataset)
    if found.problem or set(found.steps) - {"cluster"}:
        # The rows do not say which of the two is stale.
        yield layout.problem(variation.dataset, variation.problem)
        yield layout.communities(variation.dataset, variation.problem)
    scaled = benchmark.scale_of(variation)
    if found.parameters and scaled:
        yield layout.scale(scaled.dataset, scaled.setting, scaled.algorithm)


def stale_features(data: Mapping[str, Any], benchmark: Benchmark, dataset: str) -> Iterator[str]:
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


def _other_problem(rows: pd.DataFrame, origin: Origin, benchmark: Benchmark, variation: Variation) -> Iterator[str]:
    """Yield how the problem differs: another dataset, corruption, level or grid."""
    for name, expected in variation.names.items():
        found = set(rows[name]) - {expected}
        if found:
            yield f"it holds results of {name} {', '.join(map(repr, sorted(found)))}"
    setting = variation.setting
    options = benchmark.problem_options(variation.problem)
    if origin.corruption != options:
        yield f"corruption was {dict(origin.corruption)}, is {options}"
    level = benchmark.level(setting)
    if rows["level"].iloc[0] != level:
        yield f"level was {rows['level'].iloc[0]}, is {level}"
    if rows["repeat"].nunique() != variation.repeats:
        yield f"repeats were {rows['repeat'].nunique()}, are {variation.repeats}"
    scales = set(rows["sigma_factor"].dropna())
    if scales and scales != set(map(float, benchmark.factors(setting))):
        yield "other scales σ"


def _other_limits(origin: Origin, benchmark: Benchmark) -> Iterator[str]:
    limits = _limits(benchmark)
    if origin.limits != limits:
        yield f"limits were {dict(origin.limits)}, are {limits}"


def _limits(benchmark: Benchmark) -> dict[str, float]:
    return {name: benchmark.config[name] for name in ("time_limit", "give_up_after")}


def _other_parameters(
    rows: pd.DataFrame, benchmark: Benchmark, variation: Variation, rows_of: Callable[[Variation], pd.DataFrame]
) -> Iterator[str]:
    if not is_available(benchmark, variation.algorithm):
        return
    combinations = benchmark.combinations(variation)
    cell = benchmark.scale_of(variation)
    if cell is not None:
        try:
            scale = best_scale(rows_of(cell))
        except InputError:  # missing or damaged, which is reported for that result
            return
        combinations = [{**parameters, **scale} for parameters in combinations]
    if set(rows["parameters"]) != set(map(canonical_json, combinations)):
        yield "other parameters"


def expected_code(benchmark: Benchmark, algorithm: str) -> dict[str, str]:
    """Return the fingerprint of each step that a result of an algorithm would run now.

    Without those that depend on the module of the algorithm, if that is not available.
    """
    expected = {"corrupt": _step_code("corrupt")}
    if is_available(benchmark, algorithm):
        method = benchmark.method(algorithm)
        if "communities" in method.uses:
            expected["overcluster"] = _step_code("overcluster")
        expected["cluster"] = _step_code("cluster", method.module)
    return expected


def expected_digest(benchmark: Benchmark) -> str:
    """Return one checksum of the configuration, of the readings and of all code that computes results.

    It is a parameter of the rule that gathers: when it changes, every result is inspected again, even where Snakemake
    has lost its records of the single jobs.
    """
    codes = {name: expected_code(benchmark, name) for name in [*benchmark.method_names, SWEPT_ALGORITHM]}
    codes |= {name: {"": _step_code("featurize", benchmark.dataset_module(name))} for name in benchmark.datasets}
    varied = [
        [asdict(variation), benchmark.combinations(variation), benchmark.problem_options(variation.problem)]
        for variation in benchmark.variations()
        if is_available(benchmark, variation.algorithm)
    ]
    return sha256(canonical_json([benchmark.config, codes, varied]).encode()).hexdigest()


def result_digest(benchmark: Benchmark, variation: Variation) -> str:
    """Return a checksum of everything that decides a result except the raw data: code, options and parameters.

    The workflow compares it for results that it has no records of (:mod:`hypercut.benchmark.restored`).
    """
    name, setting = variation.dataset, variation.setting
    scaled = benchmark.scale_of(variation)
    decisive = {
        "result": [variation.names, variation.repeats],
        "code": expected_code(benchmark, variation.algorithm),
        "features": [_step_code("featurize", benchmark.dataset_module(name)), benchmark.data_entry(name)],
        "problem": [benchmark.level(setting), benchmark.problem_options(variation.problem)],
        "grid": [benchmark.factors(setting), benchmark.combinations(variation)],
        "limits": _limits(benchmark),
        "scale": result_digest(benchmark, scaled) if scaled else None,
    }
    return sha256(canonical_json(decisive).encode()).hexdigest()


def is_available(benchmark: Benchmark, algorithm: str) -> bool:
    """Return whether the module of an algorithm exists. A user's own may be elsewhere when a report is built."""
    module = benchmark.config["algorithms"].get(algorithm, {}).get("module", "")
    return not module or Path(code.module_file(module) or "/").is_file()
