# What jobs ask for: memory, time and cores, from the size of their dataset, and twice as much at the second attempt.

from hypercut.benchmark import cost as needs


@cache
def described_size(dataset):
    """The size of a dataset before it is there; None for own data."""
    return needs.described_size(dataset, BENCHMARK.data_entry(dataset))


def size_of(dataset, problem):
    """Of own data only the problem's file tells. Until it is there this raises, and Snakemake asks again."""
    return described_size(dataset) or needs.problem_size(Path(problem))


def megabytes(needed, attempt):
    return attempt * (needed + (needs.SUBMISSION_MB if workflow.non_local_exec else 0))


def clustering_memory(wildcards, input, attempt):
    size = size_of(wildcards.dataset, input.problem)
    return megabytes(needs.clustering_mb(size.samples, size.features), attempt)


def corruption_memory(wildcards, input, attempt):
    size = described_size(wildcards.dataset) or needs.features_size(
        Path(input.features)
    )
    repeats = BENCHMARK.repeats(wildcards.setting)
    needed = needs.corruption_mb(size.samples, size.features, repeats)
    return megabytes(needed, attempt)


def minutes(wildcards, input, attempt, clusterings):
    return attempt * needs.clustering_minutes(
        size_of(wildcards.dataset, input.problem).samples,
        clusterings,
        CONFIG["time_limit"],
        CONFIG["give_up_after"],
    )


def scales_and_repeats(setting):
    return len(BENCHMARK.factors(setting)) * BENCHMARK.repeats(setting)


def cell_minutes(wildcards, input, attempt):
    return minutes(wildcards, input, attempt, scales_and_repeats(wildcards.setting))


def communities_minutes(wildcards, input, attempt):
    """Two over-clusterings each."""
    return minutes(wildcards, input, attempt, 2 * scales_and_repeats(wildcards.setting))


def sweep_minutes(wildcards, input, attempt):
    combinations = len(BENCHMARK.combinations(wildcards.dataset, wildcards.sweep))
    each = len(BENCHMARK.factors("clean")) * CONFIG["sweeps"]["repeats"]
    return minutes(wildcards, input, attempt, combinations * each)


def clustering_threads(wildcards):
    size = described_size(wildcards.dataset)
    return needs.clustering_threads(size.samples) if size else 1


def group_of(wildcards):
    """On a cluster, what a small dataset needs under one setting is submitted together."""
    size = workflow.non_local_exec and described_size(wildcards.dataset)
    return "small" if size and needs.is_small(size.samples) else None
