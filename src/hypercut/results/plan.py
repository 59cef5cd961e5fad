"""The plan of a benchmark before it runs: jobs, core-hours, wall time, memory and disk.

Core-hours come from the times of the same clusterings in an archive and in the benchmark's own results. A dataset or
size that neither has is assumed to cost as much as the nearest N, scaled by
:func:`~hypercut.benchmark.requests.typical_seconds`.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from hypercut.benchmark import requests
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.size import Size, described_size, own_size, stored_size
from hypercut.benchmark.variations import SWEPT_ALGORITHM, Variation, split_problem
from hypercut.errors import InputError
from hypercut.results.archive import TIMES, is_archive, read_archive
from hypercut.results.gather import inspect
from hypercut.results.summary import overclustering_seconds

#: The steps that are planned, one job each per problem or result file.
STEPS = ("corrupt", "overcluster", "cluster")
#: The name of over-clusterings among the algorithms.
OVERCLUSTERING = "(over-clustering)"
#: Algorithms without measured times are assumed to cost as much as this one.
ASSUMED = SWEPT_ALGORITHM
#: Core-seconds of a job besides its clusterings.
JOB_SECONDS = 0.25
#: The core-seconds of :func:`short_measurement` on the machine of ``reference/``.
ARCHIVE_SECONDS = 0.218


@dataclass(frozen=True)
class Job:
    """A job of the plan."""

    step: str
    group: str
    dataset: str
    size: Size
    seconds: float
    """core-seconds of its clusterings"""
    bytes: float
    """size of its file, in which a label takes one byte"""
    done: bool

    @property
    def threads(self) -> int:
        """The number of cores that it uses well."""
        return requests.clustering_threads(self.size)


class Costs:
    """The measured core-seconds of a clustering, by dataset and N, algorithm, setting and variation."""

    def __init__(self, rows: pd.DataFrame) -> None:
        shared = rows["shared_seconds"] > 0
        seconds = rows["cpu_seconds"].fillna(rows["wall_seconds"])
        overclusterings = rows.assign(algorithm=OVERCLUSTERING, seconds=overclustering_seconds(rows))[shared]
        rows = pd.concat([rows.assign(seconds=seconds), overclusterings], ignore_index=True)
        names = ["dataset", "n_samples", "algorithm", "setting", "variation"]
        # The mean of each result, of each setting, and of each algorithm on a dataset.
        self.means = {key: mean for i in (5, 4, 3) for key, mean in rows.groupby(names[:i])["seconds"].mean().items()}
        sizes = rows.drop_duplicates(["dataset", "n_samples"])[["dataset", "n_samples", "n_features", "n_clusters"]]
        self.sizes = {(name, size[0]): Size(*size) for name, *size in sizes.itertuples(index=False)}
        self.algorithms = set(rows["algorithm"])
        self.unscaled = self.algorithms - set(rows.loc[rows["sigma_factor"].notna(), "algorithm"])

    def seconds(self, dataset: str, size: Size, algorithm: str, setting: str, variation: str) -> float:
        """Return the core-seconds of one clustering."""
        nearest = min(self.sizes, key=lambda it: (abs(np.log(it[1] / size.samples)), it[0] != dataset))
        names = [(*nearest, it, setting, variation)[:i] for it in (algorithm, ASSUMED) for i in (5, 4, 3)]
        mean = next((self.means[key] for key in names if key in self.means), 0.0)
        return mean * requests.typical_seconds(size) / requests.typical_seconds(self.sizes[nearest])


def plan(results: Path, benchmark: Benchmark, cores: int, archive: Path, speed: float | None = None) -> str:
    """Return the plan as text; ``speed`` is the time that this machine takes over that of the archive's machine."""
    speed = speed or short_measurement() / ARCHIVE_SECONDS
    current = {
        file.variation: file.rows for file in inspect(results, benchmark) if file.rows is not None and not file.stale
    }
    costs = Costs(_known_rows(archive, speed, current.values()))
    sizes = {dataset: size_of(results, benchmark, dataset) for dataset in benchmark.datasets}
    jobs = list(planned_jobs(Layout(results), benchmark, sizes, costs, set(current)))
    left = [job for job in jobs if not job.done]
    counts = [f"{sum(job.step == step for job in left)} {step}" for step in STEPS]
    memory = max(map(requests.clustering_mb, sizes.values())) / 1024
    finished = hours(job for job in jobs if job.done)
    labels = {name: f"{name:<14} N = {size.samples}, K = {size.clusters}" for name, size in sizes.items()}
    parts = {label: [job for job in jobs if job.dataset == name] for name, label in labels.items()}
    parts |= {group: [job for job in jobs if job.group == group] for group in dict.fromkeys(job.group for job in jobs)}
    lines = [
        *_table(parts),
        "",
        f"jobs         {len(left)}: {', '.join(counts)}",
        f"core-hours   {hours(left):.3g}",
        f"wall time    {wall_hours(left, cores):.3g} hours on {cores} core{'s' if cores > 1 else ''}",
        f"done         {len(jobs) - len(left)} jobs of {finished:.3g} core-hours, not counted above",
        f"memory       up to {memory:.1f} GB for one job",
        f"disk         about {sum(job.bytes for job in jobs) / 1e9:.1f} GB",
        "",
        f"Downloads, distances, report and MLflow are not included. Core-hours are those measured in {archive}, times",
        f"{speed:.2f} for the speed of this machine, and those of the results that are there.",
    ]
    unknown = [name for name in benchmark.method_names if name not in costs.algorithms]
    if unknown:
        lines.append(f"Without measurement, assumed to cost as much as {ASSUMED}: {', '.join(unknown)}.")
    return "\n".join(lines) + "\n"


def short_measurement() -> float:
    """Return the core-seconds of a fixed computation that stands for all clusterings: kernels, products, eigenvalues.

    This is the median of five runs, which take about a second: processor time depends on the load of the machine.
    """
    points = np.random.default_rng(0).standard_normal((2000, 64))
    seconds = []
    with threadpool_limits(1):
        for _ in range(5):
            begun = time.process_time()
            squares = (points**2).sum(axis=1)
            distances = squares[:, None] + squares - 2 * points @ points.T
            for dtype in (np.float64, np.float32):
                kernel = np.exp(-distances.astype(dtype) / 128)
                vectors = points[:, :20].astype(dtype)
                for _ in range(10):
                    vectors = np.linalg.qr(kernel @ vectors)[0]
            np.linalg.eigvalsh(kernel[:500, :500])
            seconds.append(time.process_time() - begun)
    return float(np.median(seconds))


def _known_rows(archive: Path, speed: float, own: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of the archive, with times converted to this machine, and the rows of the own results."""
    tables = list(own)
    if is_archive(archive):
        rows = read_archive(archive).rows
        tables.append(rows.assign(**{name: rows[name] * speed for name in TIMES}))
    if not tables:
        raise InputError(
            f"{archive} is not an archive, and there are no results, so the cost of a clustering is unknown. "
            "Specify an archive (--config archive=FOLDER)."
        )
    return pd.concat(tables, ignore_index=True)


def planned_jobs(
    layout: Layout, benchmark: Benchmark, sizes: Mapping[str, Size], costs: Costs, current: set[Variation]
) -> Iterator[Job]:
    """Yield the jobs of all steps. A missing file that no remaining result needs counts as done."""
    users: dict[tuple[str, str], list[Variation]] = {}
    for variation in benchmark.results():
        users.setdefault((variation.dataset, variation.problem), []).append(variation)
    for (dataset, problem), variations in users.items():
        size, group = sizes[dataset], variations[0].group
        setting, reading = split_problem(problem)
        waiting = [it for it in variations if it not in current]
        drawn = 4.0 * size.samples * size.features * benchmark.draws(dataset, problem)
        done = not waiting or layout.problem(dataset, problem).exists()
        yield Job("corrupt", group, dataset, size, 0.0, drawn, done)
        shared = {it for it in variations if "overclustering" in benchmark.method(it.algorithm).uses}
        if shared:
            count = requests.overclusterings(benchmark, dataset, problem)
            seconds = count * costs.seconds(dataset, size, OVERCLUSTERING, setting, reading)
            done = shared.isdisjoint(waiting) or layout.overclustering(dataset, problem).exists()
            yield Job("overcluster", group, dataset, size, seconds, 2.0 * size.samples * count, done)
        for it in variations:
            count = requests.clusterings(benchmark, it)
            count //= len(benchmark.sigma_factors(setting)) if it.algorithm in costs.unscaled else 1
            seconds = count * costs.seconds(dataset, size, it.algorithm, setting, it.name)
            yield Job("cluster", it.group, dataset, size, seconds, 1.0 * size.samples * count, it not in waiting)


def hours(jobs: Iterable[Job]) -> float:
    """Return the core-hours of jobs."""
    return sum(JOB_SECONDS + job.seconds for job in jobs) / 3600


def wall_hours(jobs: Sequence[Job], cores: int) -> float:
    """Return the hours that jobs take if the cores are always busy, but no less than the longest job takes."""
    longest = max((hours([job]) / min(job.threads, cores) for job in jobs), default=0.0)
    return max(hours(jobs) / cores, longest)


def size_of(results: Path, benchmark: Benchmark, dataset: str) -> Size:
    """Return the size of a dataset, from its features if they exist, its description, or a user's own files."""
    path, entry = Layout(results).features(dataset), benchmark.data_entry(dataset)
    if path.exists():
        stored = stored_size(path)
        return replace(stored, samples=benchmark.resampled_size(dataset) or stored.samples)
    return described_size(dataset, entry) or own_size(dataset, entry)


def _table(groups: Mapping[str, list[Job]]) -> Iterator[str]:
    """Yield the lines of a table: jobs and core-hours left of each group, and the share of jobs that are done."""
    width = max(map(len, groups))
    yield f"{'':<{width}} {'jobs':>6} {'core-hours':>11} {'done':>5}"
    for name, jobs in groups.items():
        left = [job for job in jobs if not job.done]
        yield f"{name:<{width}} {len(left):>6} {hours(left):>11.3g} {1 - len(left) / len(jobs):>5.0%}"
