"""The work of each job: how many clusterings of which cost. The plan adds it up, and the workflow requests time for it.

Imports nothing slow: the workflow asks before any job runs.
"""

from dataclasses import dataclass, replace

from hypercut.benchmark.cost import BASE_MINUTES, DISTANCES, OVERCLUSTERING, SAFETY, SCORES, Costs, Size
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.variations import Variation, split_problem
from hypercut.paper.protocol import COMMUNITIES_PER_CLUSTER


@dataclass(frozen=True)
class Part:
    """``count`` computations of the same cost."""

    name: str  # of the cost: an algorithm, or OVERCLUSTERING, DISTANCES, SCORES
    size: Size
    count: int


Work = tuple[Part, ...]
"""what one job computes"""


def overclustering(benchmark: Benchmark, dataset: str, problem: str, size: Size) -> Work:
    """Return the work of the over-clusterings of a problem: both of every repeat and scale."""
    setting, _ = split_problem(problem)
    count = benchmark.problem_repeats(dataset, problem) * len(benchmark.factors(setting))
    return Part(DISTANCES, size, benchmark.draws(dataset, problem)), Part(OVERCLUSTERING, size, count)


def clusterings(benchmark: Benchmark, variation: Variation, size: Size, *, scaled: bool) -> Work:
    """Return the work of a cell, sweep or reading, of an algorithm that runs at every scale or once per repeat.

    Communities of another number than usual are computed in it.
    """
    combinations = benchmark.combinations(variation)
    if not scaled:
        return (Part(variation.algorithm, size, variation.repeats * len(combinations)),)
    each = variation.repeats * len(benchmark.factors(variation.setting))
    draws = min(benchmark.draws(variation.dataset, variation.problem), variation.repeats)
    numbers = [values.get("communities_per_cluster", COMMUNITIES_PER_CLUSTER) for values in combinations]
    return (
        Part(DISTANCES, size, draws),
        Part(variation.algorithm, size, each * len(combinations)),
        Part(SCORES, size, each * len(combinations)),
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
