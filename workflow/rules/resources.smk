# Resources of jobs: memory, time and cores, by the size of the dataset. A second attempt requests twice as much.

from hypercut.benchmark import requests, size


def described_size(dataset):
    """Return the size of a dataset from its description; None for own data."""
    return size.described_size(dataset, BENCHMARK.data_entry(dataset))


def size_of(dataset, file):
    """Return the size of a dataset; for own data, from a file. Until it exists, Snakemake evaluates this again."""
    return described_size(dataset) or size.stored_size(Path(str(file)))


def megabytes(needed, attempt):
    return attempt * (needed + (requests.SUBMISSION_MB if workflow.non_local_exec else 0))


def clustering_memory(wildcards, input, attempt):
    needed = requests.clustering_mb(size_of(wildcards.dataset, input.problem))
    return megabytes(needed, attempt)


def corruption_memory(wildcards, input, attempt):
    draws = BENCHMARK.draws(wildcards.dataset, wildcards.problem)
    needed = requests.corruption_mb(size_of(wildcards.dataset, input.features), draws)
    return megabytes(needed, attempt)


def clusterings(wildcards):
    """Return the number of clusterings that take as long as a job."""
    if "problem" in wildcards.keys():
        count = requests.overclusterings(BENCHMARK, *wildcards)
        return requests.OVERCLUSTERING * count
    return requests.clusterings(BENCHMARK, result_of(wildcards))


def clustering_minutes(wildcards, input, attempt):
    limits = CONFIG["time_limit"], CONFIG["give_up_after"]
    found = size_of(wildcards.dataset, input.problem)
    return attempt * requests.minutes(clusterings(wildcards), found, *limits)


def clustering_threads(wildcards):
    found = described_size(wildcards.dataset)
    return requests.clustering_threads(found) if found else 1


def group_of(wildcards):
    """Return the group of a job: on a cluster, jobs on a small dataset under one setting are submitted together."""
    found = workflow.non_local_exec and described_size(wildcards.dataset)
    return "small" if found and found.samples <= requests.SMALL_SAMPLES else None
