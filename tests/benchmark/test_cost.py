"""Memory, time and cores of jobs, from the size of their dataset."""

import math
from pathlib import Path

import numpy as np
import pytest

from hypercut.algorithms import _registry
from hypercut.benchmark import work
from hypercut.benchmark.clustering import load_method
from hypercut.benchmark.config import checked
from hypercut.benchmark.cost import (
    BASE_MB,
    DISTANCES,
    OVERCLUSTERING,
    SCORES,
    SMALL_SAMPLES,
    SUBMISSION_MB,
    Cost,
    Size,
    calibrated,
    clustering_mb,
    clustering_threads,
    corruption_mb,
    described_size,
    own_size,
    reference_seconds,
    stored_size,
)
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.problems import make_problem, save_problem
from hypercut.data.features.file import Features
from tests.benchmark.test_design import FULL, PAPER, ROOT, SCHEMA
from tests.rows import ORIGIN


def test_seconds_grow_with_each_number_by_its_exponent() -> None:
    cost = Cost(constant=0.5, growing=2.0, samples=2.0, features=0.5, clusters=1.0, spread=1.2, scaled=True)
    assert cost.seconds(Size(1000, 100, 10)) == pytest.approx(2.5)
    assert cost.seconds(Size(3000, 100, 10)) == pytest.approx(0.5 + 2 * 9)
    assert cost.seconds(Size(1000, 400, 20)) == pytest.approx(0.5 + 2 * 2 * 2)


def test_the_methods_of_the_full_benchmark_are_calibrated() -> None:
    costs = calibrated()
    methods = _registry.algorithms() | _registry.references()
    assert set(costs.by_name) >= {*PAPER, "AK+NC", *FULL["references"], OVERCLUSTERING, DISTANCES, SCORES}
    for name in costs.by_name.keys() & methods.keys():
        method = load_method(methods[name].module, name)
        assert costs.of(name).scaled == getattr(method, "has_scale", False), name


def test_an_unknown_algorithm_is_assumed_to_cost_as_much_as_a_known_one() -> None:
    assert calibrated().of("Mine") == calibrated().of("PKO+HSC")


def test_memory_is_dominated_by_square_matrices() -> None:
    three_matrices = 3 * 4 * 9298**2 // 2**20
    assert clustering_mb(9298, 256) == pytest.approx(BASE_MB + three_matrices, rel=0.15)
    assert clustering_mb(150, 4) < BASE_MB + 10


def test_memory_of_a_corruption() -> None:
    assert corruption_mb(2**10, 2**6, repeats=3) == BASE_MB + 4  # 4 copies of 1 MB, 16 bytes per value


@pytest.mark.parametrize(("samples", "threads", "small"), [(150, 1, True), (4096, 1, False), (9298, 2, False)])
def test_threads_and_groups(samples: int, threads: int, small: bool) -> None:
    assert (clustering_threads(samples), samples <= SMALL_SAMPLES) == (threads, small)


def test_size_of_a_problem(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(900, 7))
    features = Features(X, np.arange(900) % 3, {"kind": "own"})
    problem = make_problem("some", features, setting="noise-L1", level=0.2, draws=2)
    save_problem(tmp_path / "problem.npz", problem, ORIGIN)
    assert stored_size(tmp_path / "problem.npz", "draws") == Size(900, 7, 3)


def test_size_of_features(tmp_path: Path) -> None:
    np.savez(tmp_path / "features.npz", X=np.zeros((30, 4), dtype=np.float32), y=np.arange(30) % 5)
    assert stored_size(tmp_path / "features.npz", "X") == Size(30, 4, 5)


@pytest.mark.parametrize(
    ("dataset", "entry", "size"),
    [
        ("iris", {}, Size(150, 4, 3)),
        ("usps", {}, Size(9298, 256, 10)),
        ("usps", {"subset": 465}, Size(465, 256, 10)),
        ("usps465", {}, Size(465, 256, 10)),
        ("mnist", {"per_class": 500}, Size(5000, 784, 10)),
        ("mnist", {"per_class": 0}, Size(70_000, 784, 10)),
    ],
)
def test_size_from_the_description(dataset: str, entry: dict[str, int], size: Size) -> None:
    assert described_size(dataset, entry) == size


def test_own_data_are_read_for_their_size(tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text("a,b,label\n1,0,x\n2,0,y\n3,0,y\n")
    entry = {"path": str(tmp_path / "my.csv"), "label_column": "label"}
    assert described_size("mine", entry) is None
    assert own_size("mine", entry) == Size(3, 2, 2)
    assert own_size("mine", {**entry, "subset": 2}) == Size(2, 2, 2)


@pytest.mark.parametrize(("column", "dataset"), [(1, "iris"), (2, "mnist"), (3, "usps")])
def test_the_page_on_clusters_says_what_jobs_request(column: int, dataset: str) -> None:
    page = (ROOT / "docs" / "CLUSTER.md").read_text(encoding="utf-8")
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines()]
    rows = {cells[0]: cells[column] for cells in table if len(cells) == 4}
    benchmark = Benchmark(checked(FULL, SCHEMA))
    size = described_size(dataset, benchmark.data_entry(dataset))
    assert size is not None
    memory = clustering_mb(size.samples, size.features) + SUBMISSION_MB
    assert rows["memory of a clustering job"] == f"{memory} MB"
    job = work.clusterings(benchmark, benchmark.cell(dataset, "clean", "PKO+HSC"), size, scaled=True)
    minutes = work.minutes(job, calibrated(), FULL["time_limit"], FULL["give_up_after"])
    about = next(text for name, text in rows.items() if name.startswith("its run time"))
    assert about == f"{minutes} min"
    assert rows["its cores"] == str(clustering_threads(size.samples))


def test_the_reference_computation_takes_time() -> None:
    assert 0 < reference_seconds(samples=50, runs=1) < math.inf
