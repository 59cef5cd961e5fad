"""Memory, time and cores of jobs, from the size of their dataset."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hypercut.benchmark.cost import (
    BASE_MB,
    OVERCLUSTERING,
    SMALL_SAMPLES,
    Size,
    clustering_mb,
    clustering_minutes,
    clustering_threads,
    corruption_mb,
    described_size,
    fitted_costs,
    stored_size,
)
from hypercut.benchmark.problems import make_problem, save_problem
from hypercut.data.features.file import Features
from tests.rows import ORIGIN


def rows(algorithm: str, constant: float, at_2000: float, sizes=(100, 400, 1600)) -> pd.DataFrame:
    seconds = [constant + at_2000 * (n / 2000) ** 2 for n in sizes]
    return pd.DataFrame({"algorithm": algorithm, "n_samples": sizes, "cpu_seconds": seconds, "shared_seconds": 0.0})


@pytest.mark.parametrize(("constant", "at_2000"), [(0.0, 3.0), (0.5, 1.0), (2.0, 0.0)])
def test_costs_are_recovered_from_past_rows(constant: float, at_2000: float) -> None:
    cost = fitted_costs(rows("CSC", constant, at_2000))["CSC"]
    assert (cost.constant, cost.at_2000) == pytest.approx((constant, at_2000), abs=1e-6)
    assert cost.seconds(4000) == pytest.approx(constant + 4 * at_2000)
    assert cost.measured == 3


def test_overclusterings_have_their_own_cost() -> None:
    past = rows("PKO+HSC", 0.1, 2.0).assign(shared_seconds=0.5)
    assert fitted_costs(past)[OVERCLUSTERING].seconds(800) == pytest.approx(0.5)


def test_memory_is_dominated_by_square_matrices() -> None:
    three_matrices = 3 * 4 * 9298**2 // 2**20
    assert clustering_mb(9298, 256) == pytest.approx(BASE_MB + three_matrices, rel=0.15)
    assert clustering_mb(150, 4) < BASE_MB + 10


def test_memory_of_a_corruption() -> None:
    assert corruption_mb(2**10, 2**6, repeats=3) == BASE_MB + 4  # 4 copies of 1 MB, 16 bytes per value


def test_minutes() -> None:
    # 4 × (0.125 + 1) s at N = 2000, and three timeouts of 900 s.
    assert clustering_minutes(2000, 100, time_limit=900, give_up_after=3) == 5 + (450 + 2700) // 60
    # A job that is about to record its timeouts must not be killed: no clustering takes longer than the limit.
    assert clustering_minutes(20_000, 10, time_limit=60, give_up_after=3) == 5 + 13


@pytest.mark.parametrize(("samples", "threads", "small"), [(150, 1, True), (4096, 1, False), (9298, 2, False)])
def test_threads_and_groups(samples: int, threads: int, small: bool) -> None:
    assert (clustering_threads(samples), samples <= SMALL_SAMPLES) == (threads, small)


def test_size_of_a_problem(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(900, 7))
    features = Features(X, np.arange(900) % 3, {"kind": "own"})
    problem = make_problem("some", features, setting="noise-L1", level=0.2, draws=2)
    save_problem(tmp_path / "problem.npz", problem, ORIGIN)
    assert stored_size(tmp_path / "problem.npz", "draws") == Size(900, 7)


def test_size_of_features(tmp_path: Path) -> None:
    np.savez(tmp_path / "features.npz", X=np.zeros((30, 4), dtype=np.float32))
    assert stored_size(tmp_path / "features.npz", "X") == Size(30, 4)


@pytest.mark.parametrize(
    ("dataset", "entry", "size"),
    [
        ("iris", {}, Size(150, 4)),
        ("usps", {}, Size(9298, 256)),
        ("usps", {"subset": 465}, Size(465, 256)),
        ("usps465", {}, Size(465, 256)),
        ("mnist", {"per_class": 500}, Size(5000, 784)),
        ("mnist", {"per_class": 0}, Size(70_000, 784)),
    ],
)
def test_size_from_the_description(dataset: str, entry: dict[str, int], size: Size) -> None:
    assert described_size(dataset, entry) == size


def test_the_size_of_own_data_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text("a,label\n1,x\n2,y\n")
    assert described_size("mine", {"path": str(tmp_path / "my.csv")}) is None
