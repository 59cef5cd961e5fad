"""What a clustering is said to need before it starts."""

from pathlib import Path

import numpy as np
import pytest

from hypercut.benchmark.cost import (
    Size,
    clustering_mb,
    clustering_minutes,
    clustering_threads,
    described_size,
    features_size,
    is_small,
    problem_size,
)
from hypercut.benchmark.problems import make_problem, save_problem
from tests.rows import ORIGIN


def test_matrices_of_many_samples_dominate() -> None:
    usps = clustering_mb(9298, 256)
    assert usps > 3 * 4 * 9298**2 / 2**20
    assert clustering_mb(150, 4) < 310 < usps


def test_it_is_read_off_the_header_of_a_problem(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(900, 7))
    problem = make_problem("some", X, np.arange(900) % 3, {"kind": "own"}, setting="noise-L1", level=0.2, repeats=2)
    save_problem(tmp_path / "problem.npz", problem, ORIGIN)
    assert problem_size(tmp_path / "problem.npz") == Size(900, 7)


def test_features_tell_their_size(tmp_path: Path) -> None:
    np.savez(tmp_path / "features.npz", X=np.zeros((30, 4), dtype=np.float32))
    assert features_size(tmp_path / "features.npz") == Size(30, 4)


def test_usps_asks_for_more_than_iris() -> None:
    usps, iris = described_size("usps", {}), described_size("iris", {})
    assert usps == Size(9298, 256)
    assert iris == Size(150, 4)
    assert clustering_mb(9298, 256) > 4 * clustering_mb(150, 4)
    assert clustering_threads(9298) > clustering_threads(150)
    assert clustering_minutes(9298, 150, time_limit=900, give_up_after=3) > 4 * clustering_minutes(
        150, 150, time_limit=900, give_up_after=3
    )
    assert is_small(150)
    assert not is_small(9298)


@pytest.mark.parametrize(
    ("dataset", "entry", "samples"),
    [("usps", {"subset": 465}, 465), ("mnist", {"per_class": 500}, 5000), ("mnist", {"per_class": 0}, 70_000)],
)
def test_the_size_is_that_of_the_configuration(dataset: str, entry: dict[str, int], samples: int) -> None:
    size = described_size(dataset, entry)
    assert size is not None
    assert size.samples == samples


def test_the_size_of_own_data_is_not_known_before(tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text("a,label\n1,x\n2,y\n")
    assert described_size("mine", {"path": str(tmp_path / "my.csv")}) is None


def test_a_clustering_that_never_ends_is_waited_for() -> None:
    """A scheduler must not end a job that is about to record its timeouts."""
    assert clustering_minutes(100, 150, time_limit=900, give_up_after=3) >= 3 * 900 / 60
