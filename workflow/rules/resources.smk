# Resources of jobs: memory, time and cores, from the size of the dataset. A second attempt requests twice as much.

from hypercut.benchmark import cost, work


@cache
def described_size(dataset):
    """Return the size of a dataset from its description; None for own data."""
    return cost.described_size(dataset, BENCHMARK.data_entry(dataset))


def size_of(dataset, problem):
    """Return the size of a dataset, of own data from the problem: until that exists, Snakemake asks again."""
    if not problem:  # the job of a restored result, which does not run
        return cost.Size(1, 1, 1)
    return described_size(dataset) or cost.stored_size(Path(problem), "draws")


def megabytes(needed, attempt):
    return attempt * (needed + (cost.SUBMISSION_MB if workflow.non_local_exec else 0))


def clustering_memory(wildcards, input, attempt):
    size = size_of(wildcards.dataset, input.problem)
    return megabytes(cost.clustering_mb(size.samples, size.features), attempt)


def corruption_memory(wildcards, input, attempt):
    size = described_size(wildcards.dataset)
    size = size or cost.stored_size(Path(input.features), "X")
    draws = BENCHMARK.draws(wildcards.dataset, wildcards.problem)
    needed = cost.corruption_mb(size.samples, size.features, draws)
    return megabytes(needed, attempt)


def minutes(job, attempt):
    limits = CONFIG["time_limit"], CONFIG["give_up_after"]
    return attempt * work.minutes(job, cost.calibrated(), *limits)


def clustering_minutes(result, input, attempt):
    size = size_of(result.dataset, input.problem)
    scaled = cost.calibrated().of(result.algorithm).scaled
    return minutes(work.clusterings(BENCHMARK, result, size, scaled=scaled), attempt)


def cell_minutes(wildcards, input, attempt):
    names = wildcards.dataset, wildcards.setting, wildcards.algorithm
    return clustering_minutes(BENCHMARK.cell(*names), input, attempt)


def variation_minutes(wildcards, input, attempt):
    return clustering_minutes(variation(wildcards), input, attempt)


def communities_minutes(wildcards, input, attempt):
    size = size_of(wildcards.dataset, input.problem)
    job = work.overclustering(BENCHMARK, wildcards.dataset, wildcards.problem, size)
    return minutes(job, attempt)


# Seconds of the last steps, the last one for each result in addition.
LAST_SECONDS = dict(aggregate=3, report=10, track=10)
TRACKED_SECONDS = 0.05


def expected_seconds(job):
    """Return the seconds that a job is expected to take, for the time left; 1 where there is no forecast."""
    names = dict(job.wildcards.items())
    size = described_size(names["dataset"]) if "dataset" in names else None
    if size is None or job.rule.name not in ("overcluster", "cluster", "vary"):
        results = len(CELLS) + len(VARIATIONS) if job.rule.name == "track" else 0
        return LAST_SECONDS.get(job.rule.name, 1) + TRACKED_SECONDS * results
    costs = cost.calibrated()
    if job.rule.name == "overcluster":
        content = work.overclustering(BENCHMARK, **names, size=size)
    else:
        find = BENCHMARK.variation if job.rule.name == "vary" else BENCHMARK.cell
        result = find(*names.values())
        scaled = costs.of(result.algorithm).scaled
        content = work.clusterings(BENCHMARK, result, size, scaled=scaled)
    seconds = sum(
        part.count * costs.of(part.name).seconds(part.size) for part in content
    )
    return 1 + seconds / job.threads


def clustering_threads(wildcards):
    size = described_size(wildcards.dataset)
    return cost.clustering_threads(size.samples) if size else 1


def group_of(wildcards):
    """Return the group of a job: on a cluster, jobs on a small dataset under one setting are submitted together."""
    size = workflow.non_local_exec and described_size(wildcards.dataset)
    return "small" if size and size.samples <= cost.SMALL_SAMPLES else None
