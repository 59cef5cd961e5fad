import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercut.core.samples import Samples
from tests import reference
from tests.strategies import sample_sets


@given(sample_sets(), st.floats(-1e6, 1e6))
def test_distances_and_their_mean(x, offset):
    samples = Samples.from_features(x + offset)
    expected = reference.squared_distances(x + offset)
    np.testing.assert_allclose(samples.squared_distances, expected, rtol=1e-8, atol=1e-18)
    assert samples.mean_distance == pytest.approx(reference.mean_distance(expected))
    np.testing.assert_array_equal(samples.squared_distances, samples.squared_distances.T)


@given(sample_sets())
def test_duplicates_have_distance_zero(x):
    doubled = np.vstack([x, x]) + 1e5
    squared = Samples.from_features(doubled).squared_distances
    n = len(x)
    np.testing.assert_array_equal(squared[np.arange(n), np.arange(n) + n], 0)
    np.testing.assert_array_equal(squared.diagonal(), 0)


@given(sample_sets(), st.integers(1, 20))
def test_nearest_breaks_ties_by_index(x, k):
    squared = reference.squared_distances(x)
    nearest = Samples.from_features(x).nearest(k)
    expected = [
        sorted((j for j in range(len(x)) if j != i), key=lambda j: (row[j], j))[:k] for i, row in enumerate(squared)
    ]
    # Which of two samples is nearer may be rounding; that the distances are the smallest is not.
    for i, row in enumerate(squared):
        np.testing.assert_allclose(row[nearest[i]], row[expected[i]], rtol=1e-9)
        assert i not in nearest[i]
    if (x == np.round(x)).all():
        np.testing.assert_array_equal(nearest, expected)


def test_blocks_make_no_difference():
    x = np.random.default_rng(0).standard_normal((300, 5))  # three blocks of rows
    samples = Samples.from_features(x)
    squared = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(samples.kernel(0.7), np.exp(-squared / (2 * 0.7**2)))
    np.testing.assert_array_equal(samples.nearest(4), np.argsort(squared + np.diag(np.full(300, np.inf)))[:, :4])


def test_large_sets_are_stored_in_single_precision(monkeypatch):
    monkeypatch.setattr("hypercut.core.samples.DOUBLE_PRECISION_SAMPLES", 10)
    x = np.random.default_rng(0).standard_normal((11, 2))
    assert Samples.from_features(x).squared_distances.dtype == np.float32
    assert Samples.from_features(x[:10]).squared_distances.dtype == np.float64
