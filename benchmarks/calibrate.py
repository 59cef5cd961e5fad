"""Measure the costs of algorithms and write the cost model's file; compare its forecast with results.

    python benchmarks/calibrate.py                      # writes src/hypercut/benchmark/costs.toml, in about 10 minutes
    python benchmarks/calibrate.py --check results      # forecast against measurement, also of a partial run

Costs are core-seconds (processor time) of the objects that jobs run, on datasets that need no download: generated ones
and those of scikit-learn, with the noise that most of the benchmark has, averaged over the grid of scales σ. The
coefficients are fitted to the logarithm of the seconds, so that small datasets count as much as large ones.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is loaded: most jobs have one thread

import numpy as np
import pandas as pd
from scipy.ndimage import zoom
from scipy.optimize import least_squares
from scipy.spatial.distance import cdist

from hypercut.algorithms import _registry
from hypercut.benchmark.clustering import FeatureRuns, load_method
from hypercut.benchmark.communities import empty_communities
from hypercut.benchmark.cost import (
    COSTS_FILE,
    DISTANCES,
    OVERCLUSTERING,
    SCORES,
    UNIT,
    Cost,
    Size,
    reference_seconds,
)
from hypercut.benchmark.forecast import Forecast, core_seconds, forecast_here
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.overclustering import CommunityFinder
from hypercut.benchmark.problems import Problem
from hypercut.benchmark.rows import read_rows
from hypercut.data.corruption import corrupt
from hypercut.data.datasets import get
from hypercut.data.sources import Generated
from hypercut.errors import InputError
from hypercut.metrics import evaluate
from hypercut.paper.protocol import COMMUNITIES_PER_CLUSTER, SIGMA_FACTORS

ROOT = Path(__file__).parents[1]

#: Datasets by name and the size drawn from them. The digits are enlarged to images and numbers of samples like those of
#: mnist and usps.
SETS: tuple[tuple[str, Size], ...] = (
    ("iris", Size(150, 4, 3)),
    ("yaleb", Size(400, 1024, 38)),
    ("digits", Size(400, 64, 10)),
    ("traj", Size(500, 18, 50)),
    ("enlarged digits", Size(1000, 784, 10)),
    ("traj", Size(1250, 18, 50)),
    ("yaleb", Size(1000, 1024, 38)),
    ("digits", Size(1797, 64, 10)),
    ("enlarged digits", Size(3000, 784, 10)),
    ("traj", Size(2500, 18, 50)),
    ("enlarged digits", Size(4500, 256, 10)),
    ("enlarged digits", Size(8000, 256, 10)),
)
SETTING = "noise-L5"
#: The name of the reference computation among the measurements.
REFERENCE = "(reference)"
#: Scales σ/ρ that are measured; the cost between them is interpolated.
FACTORS = (0.2, 0.6, 2.0, 3.0)


def samples_of(name: str, size: Size) -> tuple[np.ndarray, np.ndarray]:
    """Return samples and classes of a dataset of :data:`SETS`. Of yaleb, the stand-in is generated."""
    if name == "enlarged digits":
        return enlarged_digits(size)
    dataset = get(name)
    source = dataset.stand_in or dataset.sources[0]
    assert isinstance(source, Generated)
    collection = source.generate()
    chosen = np.random.default_rng(0).permutation(len(collection.items))[: size.samples]
    X = dataset.describe([collection.items[i] for i in chosen])
    return X.astype(np.float32), np.unique(np.asarray(collection.labels)[chosen], return_inverse=True)[1]


def enlarged_digits(size: Size) -> tuple[np.ndarray, np.ndarray]:
    """Return more and larger digits: between a digit and one of its neighbours of the same class, interpolated."""
    X, y = samples_of("digits", Size(1797, 64, 10))
    rng = np.random.default_rng(0)
    chosen = rng.integers(len(X), size=size.samples)
    distances = np.where(y[:, None] == y, cdist(X, X), np.inf)
    neighbours = np.argsort(distances, axis=1)[chosen, rng.integers(1, 10, size=size.samples)]
    weights = rng.random((size.samples, 1), dtype=np.float32)
    images = (weights * X[chosen] + (1 - weights) * X[neighbours]).reshape(-1, 8, 8)
    factor = size.features**0.5 / 8
    return zoom(images, (1, factor, factor), order=1).reshape(size.samples, -1), y[chosen]


def clock(function: Callable[[], Any]) -> tuple[Any, float]:
    """Return the value of a function and its core-seconds."""
    begun = time.process_time()
    return function(), time.process_time() - begun


def measurements(
    problem: Problem, factors: Sequence[float], names: Iterable[str]
) -> Iterator[tuple[str, float, float]]:
    """Yield name, scale and core-seconds of everything that has a cost, on one problem."""
    finder = CommunityFinder(Path())
    finder.__dict__["problem"] = problem  # which it would read from a file
    found = empty_communities(1, factors, problem.n_samples, COMMUNITIES_PER_CLUSTER * problem.n_classes)
    _, seconds = clock(lambda: finder.scales.samples(0))
    yield DISTANCES, factors[0], seconds
    for i, factor in enumerate(factors):
        outcome, seconds = clock(lambda: finder((0, factor)))  # noqa: B023, called at once
        found.record(0, i, outcome)
        yield OVERCLUSTERING, factor, seconds
    for name in names:
        method = method_of(name)
        runs = method.runs(problem, found) if hasattr(method, "runs") else FeatureRuns(method, problem)
        for factor in factors if is_scaled(name) else [None]:
            run, _ = runs.prepare(0, factor, {})
            clustering, seconds = clock(run)
            yield name, factor or factors[0], seconds
            if factor is not None:
                scored = lambda: (evaluate(problem.y, clustering.labels), runs.scores(0, [clustering.labels]))  # noqa: B023, E731
                yield SCORES, factor, clock(scored)[1]


def method_of(name: str) -> Any:
    """Return the class of an algorithm or reference."""
    facts = (_registry.algorithms() | _registry.references())[name]
    return load_method(facts.module, name)


def is_scaled(name: str) -> bool:
    """Return whether an algorithm runs at every scale."""
    return bool(getattr(method_of(name), "has_scale", False))


def measure(sets: Sequence[tuple[str, Size]], names: Sequence[str], cores: int) -> pd.DataFrame:
    """Return the mean core-seconds over the grid of scales, by name and size. All cores are busy, as in a benchmark."""
    with ProcessPoolExecutor(cores, initializer=warm_up, initargs=(names,)) as pool:
        largest_first = sorted(sets, key=lambda entry: -entry[1].samples)
        return pd.concat(pool.map(measured, *zip(*largest_first, strict=True), repeat(names)), ignore_index=True)


def warm_up(names: Sequence[str]) -> None:
    """Import what algorithms import on first use, and fill the caches of libraries."""
    warnings.simplefilter("ignore")  # graphs that are not connected, k-means that has not converged
    list(measurements(problem_of(*SETS[0]), FACTORS[:1], names))


def measured(dataset: str, size: Size, names: Sequence[str]) -> pd.DataFrame:
    """Return the mean core-seconds over the grid of scales on one dataset, by name."""
    begun = time.process_time()
    found = pd.DataFrame(measurements(problem_of(dataset, size), FACTORS, names), columns=["name", "factor", "seconds"])
    rows = []
    for name, group in found.groupby("name", sort=False):
        by_factor = group.groupby("factor")["seconds"].mean()
        seconds = float(np.interp(SIGMA_FACTORS, by_factor.index, by_factor).mean())
        rows.append({"name": name, "size": size, "seconds": seconds})
    # Beside the others, so that a busy machine slows down both.
    rows.append({"name": REFERENCE, "size": size, "seconds": reference_seconds()})
    print(f"{dataset:<15} {size}: {time.process_time() - begun:.0f} core-seconds", flush=True)
    return pd.DataFrame(rows)


def problem_of(dataset: str, size: Size) -> Problem:
    """Return a dataset of :data:`SETS` with noise, as a problem."""
    X, y = samples_of(dataset, size)
    return Problem(dataset, SETTING, 1.0, corrupt(X, SETTING, dataset=dataset, repeat=0)[None], y, {})


def fit(sizes: Sequence[Size], seconds: Sequence[float], *, scaled: bool, features: bool, clusters: bool) -> Cost:
    """Return the cost that minimises the squared relative error; features and clusters matter only if they can.

    The typical deviation counts the fitted coefficients, and so grows where there are few measurements.
    """
    numbers = np.array([[size.samples, size.features, size.clusters] for size in sizes], dtype=float)
    logs = np.log(numbers / [UNIT.samples, UNIT.features, UNIT.clusters])
    target = np.log(np.maximum(seconds, 1e-6))
    # Logarithms of the constant and growing part, and the exponents.
    low = np.array([-16.0, -16.0, 0.0, 0.0, 0.0])
    high = np.array([2.0, 5.0, 3.5, 1.5 if features else 1e-9, 2.5 if clusters else 1e-9])

    def residuals(x: np.ndarray) -> np.ndarray:
        return np.logaddexp(x[0], x[1] + logs @ x[2:]) - target

    start = np.clip([target.min() - 1, target.mean(), 1.5, 0.3, 0.5], low, high)
    best = least_squares(residuals, start, bounds=(low, high))
    spread = np.exp((2 * best.cost / max(len(target) - 3 - features - clusters, 1)) ** 0.5)
    constant, growing, *exponents = (float(f"{value:.4g}") for value in [*np.exp(best.x[:2]), *best.x[2:].round(3)])
    return Cost(constant, growing, *exponents, spread=round(float(spread), 3), scaled=scaled)


def fitted_costs(table: pd.DataFrame) -> dict[str, Cost]:
    """Return the cost of each name in the table of :func:`measure`."""
    costs = {}
    for name, group in table.groupby("name", sort=False):
        scaled = not name.startswith("(") and is_scaled(name)
        # Algorithms on distances do not see the features, distances not the clusters.
        features = name == DISTANCES or not (name.startswith("(") or hasattr(method_of(name), "runs"))
        sizes, seconds = list(group["size"]), list(group["seconds"])
        costs[str(name)] = fit(sizes, seconds, scaled=scaled, features=features, clusters=name != DISTANCES)
    return costs


def job_seconds() -> float:
    """Return the core-seconds of a short clustering job, the least of several, from Snakemake's records of them.

    They are the jobs of the true labels in the preset tiny, whose clusterings take no time. The records have wall time:
    of it, the share counts that a process of this machine, which may be busy, is given of a core.
    """
    with tempfile.TemporaryDirectory() as folder:
        layout = Layout(Path("results/tiny"))
        problems = [("iris", "clean"), ("iris", "noise-L5"), ("digits", "clean")]
        targets = [str(layout.cell(*problem, "true labels")) for problem in problems]
        shutil.copy(ROOT / "config.yaml", folder)
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--directory", folder]
        command += ["--cores", "1", "--config", "preset=tiny", "--", *targets]
        subprocess.run(command, check=True, capture_output=True)
        records = [
            json.loads(path.read_text(encoding="utf-8"))
            for path in (Path(folder) / ".snakemake" / "metadata").rglob("*")
            if path.is_file()
        ]
    begun = time.perf_counter(), time.process_time()
    reference_seconds()
    share = (time.process_time() - begun[1]) / (time.perf_counter() - begun[0])
    wall = min(record["endtime"] - record["starttime"] for record in records if record["rule"] == "cluster")
    return float(wall * share)


def write_costs(path: Path, costs: dict[str, Cost], reference: float, job: float) -> None:
    """Write the file that :func:`hypercut.benchmark.cost.read_costs` reads."""
    lines = [
        "# Core-seconds, see src/hypercut/benchmark/cost.py. Written by benchmarks/calibrate.py (make calibrate).",
        "",
        f"reference_seconds = {reference:.4g}",
        f"job_seconds = {job:.3g}",
    ]
    for name, cost in costs.items():
        values = {key: str(value).lower() if isinstance(value, bool) else value for key, value in vars(cost).items()}
        lines += ["", f"[costs.{json.dumps(name)}]", *(f"{key} = {value}" for key, value in values.items())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def check(results: Path, forecast: Forecast) -> pd.DataFrame:
    """Return forecast and measured core-seconds of every clustering whose row is there, and of its over-clustering.

    The forecast is not corrected by past rows. What rows do not record is in neither: distances, scores, starting jobs.
    """
    files = [*results.glob("clusters/*/*/*.parquet"), *results.glob("variations/*/*/*/*.parquet")]
    if not files:
        raise InputError(f"{results} has no results.")
    rows = core_seconds(pd.concat([read_rows(file) for file in sorted(files)], ignore_index=True))
    # Several algorithms use the same over-clustering.
    shared = rows["algorithm"] == OVERCLUSTERING
    problem = ["dataset", "setting", "repeat", "sigma_factor"]
    rows = pd.concat([rows[~shared], rows[shared].drop_duplicates(problem)], ignore_index=True)
    return rows.assign(forecast=[row_forecast(row, forecast) for row in rows.itertuples()])


def row_forecast(row: Any, forecast: Forecast) -> float:
    """Return the core-seconds forecast for a row: sweeps of the number of communities compute these themselves."""
    size = Size(row.n_samples, row.n_features, row.n_clusters)
    seconds = forecast.each(row.algorithm, size)
    number = json.loads(row.parameters).get("communities_per_cluster", COMMUNITIES_PER_CLUSTER)
    if row.algorithm != OVERCLUSTERING and number != COMMUNITIES_PER_CLUSTER:
        more = replace(size, clusters=size.clusters * number // COMMUNITIES_PER_CLUSTER)
        seconds += forecast.each(OVERCLUSTERING, more)
    return seconds


def comparison(checked: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return forecast and measured core-hours of the rows of :func:`check`, summed up by a column."""
    groups = checked.groupby(by)
    table = groups[["forecast", "seconds"]].sum() / 3600
    table.insert(0, "clusterings", groups.size())
    table = table.rename(columns={"seconds": "measured"})
    return table.assign(ratio=table["forecast"] / table["measured"]).round(3)


def main() -> None:
    """Calibrate, or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=COSTS_FILE, help="the file to write")
    parser.add_argument("--check", type=Path, metavar="RESULTS", help="compare with the rows in a folder of results")
    parser.add_argument(
        "--cores", type=int, default=os.cpu_count(), help="processes that measure at once (default all)"
    )
    parser.add_argument("--largest", type=int, default=10_000, help="leave out larger datasets (for tests)")
    args = parser.parse_args()
    if args.check:
        checked = check(args.check, forecast_here())
        for by in ("dataset", "algorithm"):
            print(comparison(checked, by).to_string(), end="\n\n")
        return
    sets = [(name, size) for name, size in SETS if size.samples <= args.largest]
    table = measure(sets, [*_registry.algorithms(), *_registry.references()], args.cores)
    is_reference = table["name"] == REFERENCE
    reference, table = float(table.loc[is_reference, "seconds"].median()), table[~is_reference].copy()
    costs = fitted_costs(table)
    write_costs(args.out, costs, reference, job_seconds())
    table["fit/measured"] = [costs[row.name].seconds(row.size) / row.seconds for row in table.itertuples(index=False)]
    table["N, K"] = [f"{size.samples}, {size.clusters}" for size in table["size"]]
    print(table.pivot_table("fit/measured", "name", "N, K", sort=False).round(2).to_string())


if __name__ == "__main__":
    main()
