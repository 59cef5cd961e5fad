"""The plan of a benchmark before it runs, as text: jobs, clusterings, core-hours, memory and disk."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from hypercut.benchmark import cost
from hypercut.benchmark.clustering import load_method
from hypercut.benchmark.cost import Cost, Size
from hypercut.benchmark.design import SWEPT_ALGORITHM, Benchmark
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.rows import read_rows
from hypercut.errors import InputError
from hypercut.paper.protocol import CLEAN

#: Seconds of a job besides its clusterings: starting Python, loading libraries, distances.
JOB_SECONDS = 3.0
#: Bytes of a label on disk, compressed.
LABEL_BYTES = 1.0


def plan(results: Path, benchmark: Benchmark) -> str:
    """Return the plan as text, with core-hours estimated from all past runs below the same folder."""
    sizes = {dataset: size_of(results, benchmark, dataset) for dataset in benchmark.datasets}
    costs = cost.fitted_costs(past_rows(results))
    classes = {name: load_method(method.module, name) for name, method in benchmark.methods.items()}
    scaled = {name: bool(getattr(algorithm, "has_scale", False)) for name, algorithm in classes.items()}
    hours = core_hours(benchmark, sizes, scaled, costs)
    jobs = count_jobs(benchmark)
    largest = max(sizes.values(), key=lambda size: size.samples)
    lines = {
        "datasets": ", ".join(f"{name} {size.samples}×{size.features}" for name, size in sizes.items()),
        "jobs": f"{sum(jobs.values())}: " + ", ".join(f"{count} {name}" for name, count in jobs.items()),
        "clusterings": str(sum(count for _, _, count in clustering_jobs(benchmark, scaled))),
        "core-hours": f"about {sum(hours.values()):.1f}, by dataset: "
        + ", ".join(f"{name} {value:.2f}" for name, value in hours.items()),
        "memory": f"up to {cost.clustering_mb(largest.samples, largest.features) / 1024:.1f} GB for one job",
        "disk": f"about {disk_bytes(benchmark, sizes, scaled) / 1e9:.1f} GB",
    }
    text = "\n".join(f"{name:<12} {value}" for name, value in lines.items())
    basis = sum(fitted.measured for fitted in costs.values())
    text += f"\n\nCore-hours are estimated from {basis} clusterings of past runs below {_past_root(results)}."
    unmeasured = [name for name in benchmark.methods if name not in costs]
    if unmeasured:
        text += (
            f"\nNone of them is by {', '.join(unmeasured)}: the estimate assumes {cost.DEFAULT.seconds(2000):g} s at "
            "N = 2000, growing as N². Run `make quick` first for a better estimate."
        )
    return text + "\nResults that are already there are not subtracted.\n"


def clustering_jobs(benchmark: Benchmark, scaled: Mapping[str, bool]) -> Iterator[tuple[str, str, int]]:
    """Yield dataset, algorithm and number of clusterings of every cell and sweep.

    ``scaled`` says which algorithms run at every scale; the others run once per repeat.
    """
    for dataset, setting, algorithm in benchmark.cells():
        scales = len(benchmark.factors(setting)) if scaled[algorithm] else 1
        yield dataset, algorithm, benchmark.repeats(dataset, setting) * scales
    for dataset, sweep in benchmark.sweeps():
        per_combination = benchmark.sweep_repeats(dataset) * len(benchmark.factors(CLEAN))
        yield dataset, SWEPT_ALGORITHM, per_combination * len(benchmark.combinations(dataset, sweep))


def core_hours(
    benchmark: Benchmark, sizes: Mapping[str, Size], scaled: Mapping[str, bool], costs: Mapping[str, Cost]
) -> dict[str, float]:
    """Return the hours of one core for each dataset."""
    seconds = dict.fromkeys(benchmark.datasets, 0.0)
    for dataset, algorithm, count in clustering_jobs(benchmark, scaled):
        seconds[dataset] += JOB_SECONDS + count * costs.get(algorithm, cost.DEFAULT).seconds(sizes[dataset].samples)
    for dataset in benchmark.datasets:
        each = costs.get(cost.OVERCLUSTERING, cost.DEFAULT).seconds(sizes[dataset].samples)
        for setting in benchmark.settings(dataset):
            count = benchmark.repeats(dataset, setting) * len(benchmark.factors(setting))
            # One job corrupts, another one over-clusters.
            seconds[dataset] += 2 * JOB_SECONDS + count * each
    return {dataset: total / 3600 for dataset, total in seconds.items()}


def count_jobs(benchmark: Benchmark) -> dict[str, int]:
    """Return the number of jobs by step."""
    problems = sum(len(benchmark.settings(dataset)) for dataset in benchmark.datasets)
    return {
        "acquire": len({benchmark.files_of(dataset) for dataset in benchmark.datasets}),
        "featurize": len(benchmark.datasets),
        "corrupt": problems,
        "overcluster": problems,
        "cluster": len(benchmark.cells()),
        "sweep": len(benchmark.sweeps()),
        "other": 4 + benchmark.has_similarity,  # configuration, aggregate, report, track; similarity
    }


def disk_bytes(benchmark: Benchmark, sizes: Mapping[str, Size], scaled: Mapping[str, bool]) -> float:
    """Return the bytes of problems, over-clusterings and labels."""
    total = 0.0
    for dataset, size in sizes.items():
        for setting in benchmark.settings(dataset):
            repeats, scales = benchmark.repeats(dataset, setting), len(benchmark.factors(setting))
            total += 4.0 * size.samples * size.features * benchmark.draws(dataset, setting)
            labelings = repeats * (2 * scales + sum(scales if scaled[name] else 1 for name in benchmark.methods))
            total += LABEL_BYTES * size.samples * labelings
    return total


def past_rows(results: Path) -> pd.DataFrame:
    """Return the rows of all cells of past runs, as far as their files can be read."""
    columns = ["algorithm", "n_samples", "cpu_seconds", "shared_seconds"]
    tables = []
    for file in sorted(_past_root(results).glob("**/clusters/*/*/*.parquet")):
        try:
            tables.append(read_rows(file)[columns])
        except InputError:  # damaged, or just being replaced
            continue
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)


def size_of(results: Path, benchmark: Benchmark, dataset: str) -> Size:
    """Return the size of a dataset, from its features if they are there, else from its description."""
    path = Layout(results).features(dataset)
    if path.exists():
        stored = cost.stored_size(path, "X")
        return Size(benchmark.resampled_size(dataset) or stored.samples, stored.features)
    described = cost.described_size(dataset, benchmark.data_entry(dataset))
    if described is None:
        raise InputError(
            f"{dataset}: the size of own data is unknown until it is read. Run: snakemake --cores 1 {path}"
        )
    return described


def _past_root(results: Path) -> Path:
    """Return the folder of all past runs: presets keep their results below the folder of the full benchmark."""
    return results.parent if results.parent.name == "results" else results
