"""Neighbours by blocks equal those from all distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercut.core import neighbors
from hypercut.core.neighbors import _smallest, nearest_neighbors


def literal(X, k):
    """Return neighbours by sorting all distances, ties by index."""
    indices, distances = [], []
    for i, x in enumerate(X):
        others = [(float(np.sum((x - other) ** 2)), j) for j, other in enumerate(X) if j != i]
        nearest = sorted(others)[:k]
        indices.append([j for _, j in nearest])
        distances.append([d**0.5 for d, _ in nearest])
    return np.array(indices), np.array(distances)


@given(st.integers(2, 40), st.integers(1, 6), st.integers(1, 9), st.integers(0, 1000))
def test_against_all_distances(n, features, k, seed):
    X = np.random.default_rng(seed).standard_normal((n, features))
    found = nearest_neighbors(X, k)
    indices, distances = literal(X, k)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-9)


@given(st.integers(1, 2000), st.integers(1, 20), st.sampled_from([3, 1000]), st.integers(0, 1000))
def test_the_smallest_of_a_row(n, count, distinct, seed):
    count = min(count, n)
    block = np.random.default_rng(seed).integers(distinct, size=(3, n)).astype(np.float32)
    found = _smallest(block, count)
    assert all(len(set(row)) == count for row in found)
    values = np.take_along_axis(block, found, axis=1)
    np.testing.assert_array_equal(np.sort(values, axis=1), np.sort(block, axis=1)[:, :count])


def test_ties_and_copies():
    X = np.array([[0.0], [1.0], [1.0], [2.0], [0.0]])
    found = nearest_neighbors(X, 2)
    np.testing.assert_array_equal(found.indices, [[4, 1], [2, 0], [1, 0], [1, 2], [0, 1]])
    assert found.distances[0, 0] == 0


@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_many_blocks_find_the_same(monkeypatch, offset):
    X = np.random.default_rng(0).standard_normal((500, 8))
    expected = nearest_neighbors(X, 7)
    monkeypatch.setattr(neighbors, "BLOCK_BYTES", 40_000)
    found = nearest_neighbors(X + offset, 7)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.distances, expected.distances, rtol=1e-5)


def test_neighbours_are_exact_where_single_precision_is_not():
    """Distances within a cluster are below the rounding of products between clusters."""
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0, 1e3, -1e3]], 40, axis=0).T.reshape(-1, 1) + 1e-3 * rng.standard_normal((120, 5))
    found = nearest_neighbors(X, 7)
    indices, distances = literal(X, 7)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-6)
