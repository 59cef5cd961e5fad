"""What a clustering is said to need before it starts."""

from pathlib import Path

import numpy as np

from hypercut import resources
from hypercut.core import samples
from hypercut.problems import make_problem, save_problem
from hypercut.resources import clustering_mb, memory_mb


def test_the_precision_is_that_of_the_core() -> None:
    assert resources.DOUBLE_PRECISION_SAMPLES == samples.DOUBLE_PRECISION_SAMPLES


def test_matrices_of_many_samples_dominate() -> None:
    usps = clustering_mb(9298, 256)
    assert usps > 3 * 4 * 9298**2 / 2**20
    assert clustering_mb(150, 4) < 310 < usps


def test_it_is_read_off_the_header_of_a_problem(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(900, 7))
    problem = make_problem("some", X, np.arange(900) % 3, {"kind": "own"}, setting="noise-L1", level=0.2, repeats=2)
    save_problem(tmp_path / "problem.npz", problem)
    assert memory_mb(tmp_path / "problem.npz") == clustering_mb(900, 7)
