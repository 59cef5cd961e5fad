"""Which samples are identical."""

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

from hypercut.core import copies
from hypercut.core.copies import distinct_rows
from hypercut.core.samples import Samples


def with_copies(n_distinct, seed=0, dimension=3):
    rng = np.random.default_rng(seed)
    which = rng.permutation(np.repeat(np.arange(n_distinct), rng.integers(1, 6, n_distinct)))
    return rng.standard_normal((n_distinct, dimension))[which] + 100, which


def test_zero_of_either_sign_is_zero():
    found = distinct_rows(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -0.0]]))
    assert found.of.tolist() == [0, 1, 0]
    assert found.first.tolist() == [0, 1]
    assert found.counts.tolist() == [2, 1]


@pytest.mark.parametrize(
    "distinct",
    [
        pytest.param(distinct_rows, id="rows"),
        pytest.param(lambda X: Samples.from_features(X).distinct, id="features"),
        pytest.param(lambda X: Samples.from_features(X, dtype=np.float32).distinct, id="single precision"),
        # Products leave some 1e-6 between these copies, not zero.
        pytest.param(lambda X: Samples.from_distances(pairwise_distances(X - 100)).distinct, id="distances"),
    ],
)
def test_copies_are_found(distinct):
    X, which = with_copies(300)
    found = distinct(X)
    assert len(found) == 300
    np.testing.assert_array_equal(X[found.first][found.of], X)
    assert len(set(zip(which, found.of, strict=True))) == 300


def test_rows_of_equal_checksum_are_compared(monkeypatch):
    monkeypatch.setattr(copies, "_checksums", lambda rows: np.zeros(len(rows), dtype=np.uint64))
    assert len(distinct_rows(with_copies(50)[0])) == 50


def test_near_is_not_identical():
    """Two clouds whose distance is 10⁹ times their extent: nothing in them is a copy of anything."""
    X = np.random.default_rng(0).standard_normal((40, 2))
    X[20:] += 1e9
    assert len(Samples.from_features(X).distinct) == len(X)
