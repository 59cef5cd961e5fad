"""What a job requests before it runs: memory, minutes and cores, by the size of its dataset.

The requests depend on nothing else, so the same job always requests the same. This module imports nothing slow, since
the workflow uses it before any job runs.
"""

from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.size import Size
from hypercut.benchmark.variations import Variation, split_problem
from hypercut.core.memory import DOUBLE_PRECISION_SAMPLES, dense_mb

#: Memory of Python and its libraries, MB.
BASE_MB = 300
#: On a cluster the two Snakemake processes that start a job count as part of it: 205 MB each.
SUBMISSION_MB = 450
#: Up to this size a clustering takes less time than starting Python, so jobs are submitted in groups.
SMALL_SAMPLES = 1000

#: Minutes requested for everything but clusterings: starting Python from a busy file system, reading, writing.
BASE_MINUTES = 5
#: Requested time over typical time: a scheduler kills a job that exceeds its request.
SAFETY = 4
#: Both over-clusterings of a repeat at one σ take as long as this many clusterings.
OVERCLUSTERING = 4


def clusterings(benchmark: Benchmark, variation: Variation) -> int:
    """Return the number of clusterings of a cell, sweep or reading, if the algorithm runs at every σ.

    An algorithm without σ runs once per repeat and takes about as long as another one at all σ, so its time
    corresponds to the same number.
    """
    factors, combinations = benchmark.sigma_factors(variation.setting), benchmark.combinations(variation)
    return variation.repeats * len(factors) * len(combinations)


def overclusterings(benchmark: Benchmark, dataset: str, problem: str) -> int:
    """Return the number of over-clusterings of a problem, one for each repeat and σ."""
    setting, _ = split_problem(problem)
    return benchmark.problem_repeats(dataset, problem) * len(benchmark.sigma_factors(setting))


def typical_seconds(size: Size) -> float:
    """Return the typical core-seconds of a clustering at one σ.

    The terms are iterations on K vectors, matrices of N × N, and neighbours among F features. The factors fit the means
    of all algorithms in ``reference/``; single algorithms take between a third and three times as long.
    """
    n, f, k = size.samples / 1000, size.features / 100, size.clusters / 10
    return 0.02 + 0.05 * n * k + 0.02 * n**2 + 0.01 * n * f


def minutes(count: int, size: Size, time_limit: float, give_up_after: int) -> int:
    """Return the minutes of a job of ``count`` clusterings and of as many timeouts as it waits for."""
    seconds = count * min(SAFETY * typical_seconds(size), time_limit) + give_up_after * time_limit
    return BASE_MINUTES + int(seconds // 60)


def clustering_mb(size: Size) -> int:
    """Return the MB of a job that clusters: three matrices of N × N."""
    return BASE_MB + dense_mb(size.samples, size.features)


def corruption_mb(size: Size, draws: int) -> int:
    """Return the MB of a job that corrupts: all draws, in double precision for own data, with a copy for writing."""
    return BASE_MB + size.samples * size.features * 16 * (draws + 1) // 2**20


def clustering_threads(size: Size) -> int:
    """Return the number of cores that a clustering uses well."""
    return 1 if size.samples <= DOUBLE_PRECISION_SAMPLES else 2
