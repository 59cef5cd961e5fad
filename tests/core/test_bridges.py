"""Bridges are the edges between components of the shortest spanning tree."""

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from sklearn.metrics import pairwise_distances

from hypercut.core import bridges
from hypercut.core.bridges import find_bridges
from hypercut.core.neighbors import squared_distances


def shortest_tree(X: np.ndarray, components: np.ndarray) -> float:
    """Return the total length of the shortest tree over components, from all distances."""
    distances = pairwise_distances(X)
    k = components.max() + 1
    between = [[distances[np.ix_(components == a, components == b)].min() for b in range(k)] for a in range(k)]
    return float(minimum_spanning_tree(np.array(between)).sum())


@pytest.mark.parametrize("seed", range(5))
def test_they_are_the_shortest_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 3))
    components = np.unique(rng.integers(9, size=200) * (X[:, 0] > -0.5), return_inverse=True)[1]
    ends, squared = find_bridges(components, squared_distances(X))
    assert len(ends) == components.max()
    assert (components[ends[:, 0]] != components[ends[:, 1]]).all()
    lengths = np.linalg.norm(X[ends[:, 0]] - X[ends[:, 1]], axis=1)
    np.testing.assert_allclose(np.sqrt(squared), lengths)
    assert lengths.sum() == pytest.approx(shortest_tree(X, components))


def test_one_component_needs_none() -> None:
    ends, squared = find_bridges(np.zeros(5, dtype=np.intp), squared_distances(np.eye(5)))
    assert ends.shape == (0, 2)
    assert squared.shape == (0,)


def test_large_components_are_searched_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridges, "PAIRS", 20 * 2 * 600)
    X = np.random.default_rng(0).uniform(size=(600, 2)) + np.repeat([[0, 0], [3, 0]], 300, axis=0)
    ends, squared = find_bridges(np.repeat([0, 1], 300), squared_distances(X))
    shortest = np.linalg.norm(X[:300, None] - X[300:], axis=2).min()
    assert len(ends) == 1
    assert shortest <= np.sqrt(squared[0]) * (1 + 1e-9) < 1.05 * shortest
