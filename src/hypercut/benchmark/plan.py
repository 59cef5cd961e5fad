"""The plan of a benchmark before it runs, as text: jobs, core-hours, wall time, memory and disk."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from hypercut.benchmark import cost, work
from hypercut.benchmark.clustering import load_method
from hypercut.benchmark.code import step_code
from hypercut.benchmark.cost import Costs, Size
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.forecast import Forecast, Seconds, forecast_here, past_rows
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.provenance import attached
from hypercut.benchmark.staleness import inspect
from hypercut.benchmark.variations import Group, split_problem
from hypercut.errors import InputError

#: The steps that are planned, one job each per problem or result file.
STEPS = ("corrupt", "overcluster", "cluster", "vary")
#: Bytes of a label on disk, compressed.
LABEL_BYTES = 1.0

_step_code = cache(step_code)


@dataclass(frozen=True)
class Job:
    """A job of the plan."""

    step: str
    group: Group
    dataset: str
    threads: int
    seconds: Seconds
    done: bool


def plan(results: Path, benchmark: Benchmark, cores: int, forecast: Forecast | None = None) -> str:
    """Return the plan as text. All past runs below the same folder correct the forecast (default: for this machine)."""
    forecast = with_own_methods(forecast or forecast_here(), benchmark)
    past = past_rows(_past_root(results), benchmark)
    sizes = {dataset: size_of(results, benchmark, dataset) for dataset in benchmark.datasets}
    jobs = list(planned_jobs(results, benchmark, sizes, forecast.corrected(past)))
    left = [job for job in jobs if not job.done]
    counts = [f"{sum(job.step == step for job in left)} {step}" for step in STEPS]
    largest = max(sizes.values(), key=lambda size: size.samples)
    done = total(job for job in jobs if job.done).expected / 3600
    lines = {
        "jobs": f"{len(left)}: {', '.join(counts)}",
        "core-hours": _range(total(left)),
        "wall time": f"{_range(wall_time(left, cores))} hours on {cores} core{'s' if cores > 1 else ''}",
        "done": f"{len(jobs) - len(left)} jobs of {done:.2f} core-hours, not counted above",
        "memory": f"up to {cost.clustering_mb(largest.samples, largest.features) / 1024:.1f} GB for one job",
        "disk": f"about {disk_bytes(benchmark, sizes, forecast.costs) / 1e9:.1f} GB",
    }
    text = "\n".join(
        [*_by_dataset(sizes, jobs), "", *_by_group(jobs), "", *(f"{name:<12} {value}" for name, value in lines.items())]
    )
    assumed = [name for name in benchmark.methods if name not in cost.calibrated().by_name]
    if assumed:
        text += f"\n\nNot calibrated, assumed to cost as much as {cost.ASSUMED}: {', '.join(assumed)}."
    return (
        f"{text}\n\nDownloads, report and MLflow are not included. Costs are calibrated (make calibrate), scaled to "
        f"this machine by {forecast.factor:.2f}\nand corrected by {len(past)} clusterings of past runs below "
        f"{_past_root(results)}.\n"
    )


def with_own_methods(forecast: Forecast, benchmark: Benchmark) -> Forecast:
    """Return a forecast that knows which algorithms without calibrated cost run at every scale."""
    costs = forecast.costs
    classes = {
        name: load_method(method.module, name)
        for name, method in benchmark.methods.items()
        if name not in costs.by_name
    }
    own = {
        name: replace(costs.of(name), scaled=bool(getattr(algorithm, "has_scale", False)))
        for name, algorithm in classes.items()
    }
    return replace(forecast, costs=replace(costs, by_name={**costs.by_name, **own}))


def planned_jobs(results: Path, benchmark: Benchmark, sizes: Mapping[str, Size], forecast: Forecast) -> Iterator[Job]:
    """Yield the jobs of all steps, of the datasets in ``sizes``.

    Problems and over-clusterings that no open result needs are done, though missing.
    """
    layout = Layout(results)
    current = {file.path for file in inspect(results, benchmark) if not file.missing and not file.stale}
    waiting = [variation for variation in benchmark.results() if layout.of(variation) not in current]
    problems = {(variation.dataset, variation.problem) for variation in waiting}
    communities = {
        (variation.dataset, variation.problem)
        for variation in waiting
        if "communities" in benchmark.method(variation.algorithm).uses
    }

    def job(step: str, group: Group, dataset: str, content: work.Work, done: bool) -> Job:
        return Job(step, group, dataset, cost.clustering_threads(sizes[dataset].samples), forecast.of(content), done)

    for dataset, problem, group, overclustered in _problems(benchmark):
        if dataset not in sizes:
            continue
        done = (dataset, problem) not in problems or _is_current(layout.problem(dataset, problem), "corrupt")
        yield job("corrupt", group, dataset, (), done)
        if overclustered:
            content = work.overclustering(benchmark, dataset, problem, sizes[dataset])
            there = _is_current(layout.communities(dataset, problem), "corrupt", "overcluster")
            yield job("overcluster", group, dataset, content, there or (dataset, problem) not in communities)
    for variation in benchmark.results():
        if variation.dataset not in sizes:
            continue
        scaled = forecast.costs.of(variation.algorithm).scaled
        content = work.clusterings(benchmark, variation, sizes[variation.dataset], scaled=scaled)
        step = "vary" if variation.name else "cluster"
        yield job(step, variation.group, variation.dataset, content, layout.of(variation) in current)


def _problems(benchmark: Benchmark) -> Iterator[tuple[str, str, Group, bool]]:
    """Yield dataset and name of every problem, the first group that needs it, and whether it is over-clustered."""
    for dataset in benchmark.datasets:
        for setting in benchmark.settings(dataset):
            yield dataset, setting, Group.CELLS, True
    for (dataset, problem), users in benchmark.changed_problems.items():
        overclustered = any("communities" in benchmark.method(user.algorithm).uses for user in users)
        yield dataset, problem, users[0].group, overclustered


def _is_current(path: Path, *steps: str) -> bool:
    """Return whether a file exists that the present code of these steps computed."""
    if not path.exists():
        return False
    try:
        return all(attached(path).code.get(step) == _step_code(step) for step in steps)
    except InputError:  # damaged
        return False


def total(jobs: Iterable[Job]) -> Seconds:
    """Return the core-seconds of all jobs."""
    result = Seconds()
    for job in jobs:
        result = result.plus(job.seconds)
    return result


def wall_time(jobs: Iterable[Job], cores: int) -> Seconds:
    """Return the wall time of jobs on some cores: as if these were always busy, but no less than the longest job."""
    jobs = list(jobs)
    shared = [seconds / cores for seconds in total(jobs)]
    longest = [max((job.seconds[i] / min(job.threads, cores) for job in jobs), default=0.0) for i in range(3)]
    return Seconds(*map(max, shared, longest))


def disk_bytes(benchmark: Benchmark, sizes: Mapping[str, Size], costs: Costs) -> float:
    """Return the bytes of problems, over-clusterings and labels."""
    total = 0.0
    for dataset, problem, _, overclustered in _problems(benchmark):
        size, scales = sizes[dataset], len(benchmark.factors(split_problem(problem)[0]))
        total += 4.0 * size.samples * size.features * benchmark.draws(dataset, problem)
        labelings = 2 * scales * benchmark.problem_repeats(dataset, problem) if overclustered else 0
        total += LABEL_BYTES * size.samples * labelings
    for variation in benchmark.results():
        scales = len(benchmark.factors(variation.setting)) if costs.of(variation.algorithm).scaled else 1
        labelings = scales * variation.repeats * len(benchmark.combinations(variation))
        total += LABEL_BYTES * sizes[variation.dataset].samples * labelings
    return total


def size_of(results: Path, benchmark: Benchmark, dataset: str) -> Size:
    """Return the size of a dataset: from its features if they are there, its description, or a user's own files."""
    path, entry = Layout(results).features(dataset), benchmark.data_entry(dataset)
    if path.exists():
        stored = cost.stored_size(path, "X")
        return replace(stored, samples=benchmark.resampled_size(dataset) or stored.samples)
    return cost.described_size(dataset, entry) or cost.own_size(dataset, entry)


def _by_dataset(sizes: Mapping[str, Size], jobs: Iterable[Job]) -> Iterator[str]:
    """Yield the lines of a table by dataset."""
    jobs = list(jobs)
    width = max(map(len, sizes))
    yield f"{'dataset':<{max(width, 7)}} {'N':>6} {'features':>8} {'K':>4} {'jobs':>5}  {'core-hours':<24} done"
    for dataset, size in sizes.items():
        here = [job for job in jobs if job.dataset == dataset]
        left = [job for job in here if not job.done]
        done = f"{1 - len(left) / len(here):.0%}"
        yield (
            f"{dataset:<{max(width, 7)}} {size.samples:>6} {size.features:>8} {size.clusters:>4} {len(left):>5}  "
            f"{_range(total(left)):<24} {done:>4}"
        )


def _by_group(jobs: Iterable[Job]) -> Iterator[str]:
    """Yield the lines of a table by group: cells, sweeps and readings."""
    jobs = list(jobs)
    width = max(map(len, Group))
    yield f"{'':<{width}} {'jobs':>5}  {'core-hours':<24} done"
    for group in Group:
        here = [job for job in jobs if job.group == group]
        left = [job for job in here if not job.done]
        if here:
            yield f"{group:<{width}} {len(left):>5}  {_range(total(left)):<24} {1 - len(left) / len(here):>4.0%}"


def _range(seconds: Seconds) -> str:
    """Return hours with their range.

    >>> _range(Seconds(7200, 3600, 14400))
    '2.00 (1.00 to 4.00)'
    """
    expected, low, high = (value / 3600 for value in seconds)
    digits = 2 if high < 10 else 1
    return f"{expected:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def _past_root(results: Path) -> Path:
    """Return the folder of all past runs: presets keep their results below the folder of the full benchmark."""
    return results.parent if results.parent.name == "results" else results
