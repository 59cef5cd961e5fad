"""What a benchmark will take: jobs, clusterings, core-hours, memory and disk, before it runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from hypercut.benchmark.clustering import load_method
from hypercut.benchmark.cost import Size, clustering_mb, described_size, features_size
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.rows import read_rows
from hypercut.errors import InputError
from hypercut.paper.protocol import CLEAN

#: Seconds that a job takes beside its clusterings: starting Python, loading libraries, distances.
JOB_SECONDS = 3.0
OVERCLUSTER = "(communities)"
#: Bytes per sample and clustering of labels on disk, compressed.
LABEL_BYTES = 1.0


@dataclass(frozen=True)
class Cost:
    """Seconds of one clustering: a constant, and a part that grows with the square of the number of samples."""

    constant: float
    at_2000: float
    """the growing part for 2000 samples"""
    measured: int
    """how many clusterings this rests on"""

    def seconds(self, samples: int) -> float:
        """Return the seconds for so many samples."""
        return self.constant + self.at_2000 * (samples / 2000) ** 2


#: What is assumed of an algorithm that has never been run.
UNKNOWN = Cost(0.0, 1.0, 0)


def plan(results: Path, benchmark: Benchmark) -> str:
    """Return the plan as text, with core-hours estimated from all past runs below the same folder."""
    sizes = {dataset: size_of(results, benchmark, dataset) for dataset in benchmark.datasets}
    costs = measured_costs(past_rows(results))
    scaled = {name: _has_scale(method.module, name) for name, method in benchmark.methods.items()}
    hours = core_hours(benchmark, sizes, scaled, costs)
    jobs = count_jobs(benchmark)
    largest = max(sizes.values(), key=lambda size: size.samples)
    unmeasured = [name for name in benchmark.methods if name not in costs]
    lines = {
        "datasets": ", ".join(f"{name} {size.samples}×{size.features}" for name, size in sizes.items()),
        "jobs": f"{sum(jobs.values())}: " + ", ".join(f"{count} {name}" for name, count in jobs.items()),
        "clusterings": str(benchmark.clusterings(scaled)),
        "core-hours": f"about {sum(hours.values()):.1f}, by dataset: "
        + ", ".join(f"{name} {value:.2f}" for name, value in hours.items()),
        "memory": f"up to {clustering_mb(largest.samples, largest.features) / 1024:.1f} GB for one job",
        "disk": f"about {disk_bytes(benchmark, sizes, scaled) / 1e9:.1f} GB",
    }
    text = "\n".join(f"{name:<12} {value}" for name, value in lines.items())
    basis = sum(cost.measured for cost in costs.values())
    text += f"\n\nCore-hours are estimated from {basis} clusterings of past runs below {_past_root(results)}"
    if unmeasured:
        text += (
            f", where there is none of {', '.join(unmeasured)}:\nthese are assumed to take {UNKNOWN.at_2000:g} s for "
            "2000 samples, growing as N². A quick run first (make quick) makes this an estimate"
        )
    return text + ".\nWhat is already computed is not taken off.\n"


def core_hours(
    benchmark: Benchmark, sizes: Mapping[str, Size], scaled: Mapping[str, bool], costs: Mapping[str, Cost]
) -> dict[str, float]:
    """Return the hours that one core would need for each dataset."""
    seconds = dict.fromkeys(benchmark.datasets, 0.0)
    for dataset, setting, algorithm in benchmark.cells():
        count = benchmark.repeats(setting) * (len(benchmark.factors(setting)) if scaled[algorithm] else 1)
        seconds[dataset] += JOB_SECONDS + count * costs.get(algorithm, UNKNOWN).seconds(sizes[dataset].samples)
    for dataset in benchmark.datasets:
        for setting in benchmark.settings(dataset):
            each = costs.get(OVERCLUSTER, UNKNOWN).seconds(sizes[dataset].samples)
            seconds[dataset] += 2 * JOB_SECONDS + benchmark.repeats(setting) * len(benchmark.factors(setting)) * each
    for dataset, sweep in benchmark.sweeps():
        combinations = len(benchmark.combinations(dataset, sweep))
        count = benchmark.config["sweeps"]["repeats"] * len(benchmark.factors(CLEAN)) * combinations
        each = costs.get(benchmark.swept.name, UNKNOWN).seconds(sizes[dataset].samples)
        seconds[dataset] += JOB_SECONDS + count * each
    return {dataset: total / 3600 for dataset, total in seconds.items()}


def count_jobs(benchmark: Benchmark) -> dict[str, int]:
    """Return the number of jobs by step."""
    problems = sum(len(benchmark.settings(dataset)) for dataset in benchmark.datasets)
    return {
        "acquire": len(benchmark.datasets),
        "featurize": len(benchmark.datasets),
        "corrupt": problems,
        "overcluster": problems,
        "cluster": len(benchmark.cells()),
        "sweep": len(benchmark.sweeps()),
        "other": 4 + benchmark.has_similarity,
    }


def disk_bytes(benchmark: Benchmark, sizes: Mapping[str, Size], scaled: Mapping[str, bool]) -> float:
    """Return the bytes that problems, communities and labels will take."""
    total = 0.0
    for dataset, size in sizes.items():
        for setting in benchmark.settings(dataset):
            repeats, scales = benchmark.repeats(setting), len(benchmark.factors(setting))
            total += 4.0 * size.samples * size.features * (1 if setting == CLEAN else repeats)
            labelings = repeats * (2 * scales + sum(scales if scaled[name] else 1 for name in benchmark.methods))
            total += LABEL_BYTES * size.samples * labelings
    return total


def past_rows(results: Path) -> pd.DataFrame:
    """Return the rows of all cells below the folder that holds all results."""
    files = sorted(_past_root(results).glob("**/clusters/*/*/*.parquet"))
    columns = ["algorithm", "n_samples", "cpu_seconds", "shared_seconds"]
    tables = []
    for file in files:
        try:
            tables.append(read_rows(file)[columns])
        except InputError:  # one that is just being written, or damaged: the estimate can do without
            continue
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)


def measured_costs(rows: pd.DataFrame) -> dict[str, Cost]:
    """Return the cost of each algorithm that has been run, from its mean time at each number of samples.

    Processor time, since others may have been at work on the machine; of communities only the wall time is known.
    """
    shared = rows[rows["shared_seconds"] > 0]
    communities = shared.assign(algorithm=OVERCLUSTER, cpu_seconds=shared["shared_seconds"])
    costs = {}
    for algorithm, group in pd.concat([rows, communities]).dropna(subset=["cpu_seconds"]).groupby("algorithm"):
        means = group.groupby("n_samples")["cpu_seconds"].mean()
        costs[str(algorithm)] = _fit(means.index.to_numpy(float), means.to_numpy(float), len(group))
    return costs


def _fit(samples: np.ndarray, seconds: np.ndarray, count: int) -> Cost:
    """Fit the two parts, neither below zero, to the relative error: small sets count as much as large ones."""
    weights = 1 / np.maximum(seconds, 1e-4)
    terms = np.column_stack([np.ones(len(samples)), (samples / 2000) ** 2])
    constant, at_2000 = nnls(terms * weights[:, None], seconds * weights)[0]
    return Cost(float(constant), float(at_2000), count)


def size_of(results: Path, benchmark: Benchmark, dataset: str) -> Size:
    """Return a dataset's extent: of its features if they are there, else as its description says."""
    path = Layout(results).features(dataset)
    if path.exists():
        return features_size(path)
    described = described_size(dataset, benchmark.data_entry(dataset))
    if described is None:
        raise InputError(f"{dataset}: its size is not known before it is read. Run: snakemake --cores 1 {path}")
    return described


def _has_scale(module: str, name: str) -> bool:
    return bool(getattr(load_method(module, name), "has_scale", False))


def _past_root(results: Path) -> Path:
    """Presets keep their results below the folder of the full benchmark: one of them tells about the others."""
    return results.parent if results.parent.name == "results" else results
