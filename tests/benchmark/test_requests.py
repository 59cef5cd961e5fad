"""Sizes of datasets, and the memory, time and cores that jobs on them request."""

from pathlib import Path

import numpy as np
import pytest

from hypercut.benchmark import requests
from hypercut.benchmark.size import Size, described_size, own_size, stored_size
from hypercut.data.datasets import registry
from hypercut.data.features import Features
from hypercut.results.archive import read_archive
from hypercut.run.problems import make_problem, save_problem
from tests.benchmark.test_design import FULL, ROOT, benchmark
from tests.rows import ORIGIN

IRIS = Size(150, 4, 3)


def test_the_size_is_read_from_the_file_of_a_dataset() -> None:
    for name, dataset in registry().items():
        size = described_size(name, {})
        assert size == Size(dataset.samples, dataset.features, dataset.classes), name


def test_options_change_the_size(tmp_path: Path) -> None:
    entries = {465: {"subset": 465}, 5000: {"per_class": 500}, 100: {"per_class": 500, "subset": 100}}
    for samples, entry in {**entries, 70_000: {"per_class": 0}}.items():
        assert described_size("mnist", entry) == Size(samples, 784, 10)
    (tmp_path / "my.csv").write_text("a,b,label\n1,0,x\n2,0,y\n3,0,y\n")
    own = {"path": str(tmp_path / "my.csv"), "label_column": "label"}
    assert described_size("mine", own) is None
    assert own_size("mine", own) == Size(3, 2, 2)
    assert own_size("mine", {**own, "subset": 2}) == Size(2, 2, 2)


def test_the_size_of_stored_problems_and_features(tmp_path: Path) -> None:
    facts = {"kind": "own", "complete": True, "identity": ""}
    features = Features(np.random.default_rng(0).normal(size=(900, 7)), np.arange(900) % 3, facts)
    problem = make_problem("some", features, setting="noise-L1", level=0.2, draws=2)
    save_problem(tmp_path / "problem.npz", problem, ORIGIN)
    np.savez(tmp_path / "features.npz", X=features.X, y=features.y)
    assert stored_size(tmp_path / "problem.npz") == stored_size(tmp_path / "features.npz") == Size(900, 7, 3)


def test_clusterings_are_repeats_times_scales_times_parameter_sets() -> None:
    sweeps = {"repeats": 2, "neighbors": [1, 2], "communities": [2, 3, 6]}
    given = benchmark(datasets={"iris": {}}, sigma_factors=[1, 2, 3], repeats=5, sweeps=sweeps, readings={})
    neighbors, communities = given.variations()
    assert requests.clusterings(given, given.cell("iris", "noise-L1", "CSC")) == 15
    assert requests.clusterings(given, neighbors) == 12
    assert requests.clusterings(given, communities) == 18
    assert requests.overclusterings(given, "iris", "clean") == 15


def test_time_covers_the_clusterings_and_the_timeouts_that_a_job_waits_for() -> None:
    each = requests.SAFETY * requests.typical_seconds(IRIS)
    needed = requests.BASE_MINUTES + (1000 * each + 3 * 900) // 60
    assert requests.minutes(1000, IRIS, time_limit=900, give_up_after=3) == needed
    # No clustering takes longer than the limit.
    assert requests.minutes(60, Size(10**5, 10, 10), 2, 0) == requests.BASE_MINUTES + 2


def test_every_archived_result_fits_into_the_time_requested_for_it() -> None:
    rows = read_archive(ROOT / "reference").rows
    # This sweep computes its own over-clusterings, which take the time requested for timeouts.
    rows = rows[rows["variation"] != "communities"]
    jobs = rows.groupby(["dataset", "setting", "algorithm", "variation"])
    sizes = jobs[["n_samples", "n_features", "n_clusters"]].first()
    numbers = jobs[["repeat", "parameters", "sigma_factor"]].nunique()
    counts = numbers["repeat"] * numbers["parameters"] * numbers["sigma_factor"].clip(15)
    for (key, seconds), count in zip(jobs["cpu_seconds"].sum().items(), counts, strict=True):
        assert seconds < 60 * requests.minutes(count, Size(*sizes.loc[key]), FULL["time_limit"], give_up_after=0), key


def test_memory_is_dominated_by_square_matrices() -> None:
    three_matrices = 3 * 4 * 9298**2 // 2**20
    assert requests.clustering_mb(Size(9298, 256, 10)) == pytest.approx(requests.BASE_MB + three_matrices, rel=0.15)
    assert requests.clustering_mb(IRIS) < requests.BASE_MB + 10
    # 4 copies of 1 MB, 16 bytes per value.
    assert requests.corruption_mb(Size(2**10, 2**6, 2), draws=3) == requests.BASE_MB + 4


def test_the_page_on_clusters_says_what_jobs_request() -> None:
    page = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    full = benchmark()
    columns = []
    for dataset in ("iris", "mnist", "usps"):
        size = described_size(dataset, full.data_entry(dataset))
        count = requests.clusterings(full, full.cell(dataset, "clean", "PKO+HSC"))
        memory = requests.clustering_mb(size) + requests.SUBMISSION_MB
        minutes = requests.minutes(count, size, FULL["time_limit"], FULL["give_up_after"])
        columns.append((f"{memory} MB", f"{minutes} min", str(requests.clustering_threads(size))))
    for row in zip(*columns, strict=True):
        assert f"| {' | '.join(row)} |" in page
