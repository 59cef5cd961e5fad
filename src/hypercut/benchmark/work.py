"""The work of each job: how many clusterings of which cost. The plan adds it up, and the workflow requests time for it.

Imports nothing slow: the workflow asks before any job runs.
"""

from dataclasses import dataclass, replace

from hypercut.benchmark.cost import BASE_MINUTES, DISTANCES, OVERCLUSTERING, SAFETY, SCORES, Costs, Size
from hypercut.benchmark.design import SWEPT_ALGORITHM, Benchmark
from hypercut.paper.protocol import CLEAN, COMMUNITIES_PER_CLUSTER


@dataclass(frozen=True)
class Part:
    """``count`` computations of the same cost."""

    name: str  # of the cost: an algorithm, or OVERCLUSTERING, DISTANCES, SCORES
    size: Size
    count: int


Work = tuple[Part, ...]
"""what one job computes"""


def overclustering(benchmark: Benchmark, dataset: str, setting: str, size: Size) -> Work:
    """Return the work of the over-clusterings of a problem: both of every repeat and scale."""
    count = benchmark.repeats(dataset, setting) * len(benchmark.factors(setting))
    return Part(DISTANCES, size, benchmark.draws(dataset, setting)), Part(OVERCLUSTERING, size, count)


def cell(benchmark: Benchmark, dataset: str, setting: str, algorithm: str, size: Size, *, scaled: bool) -> Work:
    """Return the work of a cell, for an algorithm that runs at every scale or once per repeat."""
    repeats = benchmark.repeats(dataset, setting)
    if not scaled:
        return (Part(algorithm, size, repeats),)
    count = repeats * len(benchmark.factors(setting))
    draws = benchmark.draws(dataset, setting)
    return Part(DISTANCES, size, draws), Part(algorithm, size, count), Part(SCORES, size, count)


def sweep(benchmark: Benchmark, dataset: str, name: str, size: Size) -> Work:
    """Return the work of a sweep. Communities of another number than that of the cells are computed in it."""
    each = benchmark.sweep_repeats(dataset) * len(benchmark.factors(CLEAN))
    draws = 1 if benchmark.resampled_size(dataset) is None else benchmark.sweep_repeats(dataset)
    numbers = [values["communities_per_cluster"] for values in benchmark.combinations(dataset, name)]
    count = each * len(numbers)
    return (
        Part(DISTANCES, size, draws),
        Part(SWEPT_ALGORITHM, size, count),
        Part(SCORES, size, count),
        *(
            # The cost of over-clusterings is given for the usual number per cluster.
            Part(OVERCLUSTERING, replace(size, clusters=size.clusters * number // COMMUNITIES_PER_CLUSTER), each)
            for number in numbers
            if number != COMMUNITIES_PER_CLUSTER
        ),
    )


def minutes(work: Work, costs: Costs, time_limit: float, give_up_after: int) -> int:
    """Return the minutes to request for a job: its clusterings, and as many timeouts as it waits for."""
    seconds = [part.count * min(SAFETY * costs.of(part.name).seconds(part.size), time_limit) for part in work]
    return BASE_MINUTES + int((sum(seconds) + give_up_after * time_limit) // 60)
