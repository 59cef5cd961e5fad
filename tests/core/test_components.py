import numpy as np
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components as scipy_components

from hypercut.core.components import component_indicators, connected_components
from hypercut.core.similarity import Dense
from hypercut.metrics import ari


@given(st.integers(1, 40), st.floats(0, 0.2), st.integers(0, 1000))
def test_agrees_with_scipy(n, density, seed):
    graph = sp.random_array((n, n), density=density, rng=seed).toarray() + np.eye(n)
    graph = graph + graph.T
    assert ari(scipy_components(graph)[1], connected_components(Dense(graph))) == 1


def test_indicators_are_orthonormal_and_cover_everything():
    graph = Dense(scipy.linalg.block_diag(np.ones((2, 2)), np.ones((5, 5)), np.ones((3, 3)), np.ones((1, 1))))
    indicators = component_indicators(graph, 3)
    np.testing.assert_allclose(indicators.T @ indicators, np.eye(3), atol=1e-12)
    np.testing.assert_array_equal((indicators > 0).sum(axis=1), 1)
    np.testing.assert_array_equal((indicators > 0).sum(axis=0), [5, 3, 3])
    assert component_indicators(graph, 5) is None
    # Vertices without edges belong to no component.
    graph = Dense(scipy.linalg.block_diag(np.ones((3, 3)), np.ones((2, 2)), np.zeros((2, 2))))
    assert not component_indicators(graph, 2)[5:].any()
    assert component_indicators(graph, 3) is None


def test_weak_links_that_only_one_side_feels():
    """A light vertex hangs on a heavy set that does not hang on it: still one component, and none is empty."""
    heavy = 1e14 * np.ones((40, 40))
    graph = scipy.linalg.block_diag(np.array([[1.0]]), heavy)
    graph[0, 1:] = graph[1:, 0] = 0.1
    for order in (np.arange(41), np.arange(41)[::-1]):
        labels = connected_components(Dense(graph[np.ix_(order, order)]))
        assert set(labels) == {0}


def test_a_vertex_that_counts_as_having_no_edges_joins_nothing():
    graph = scipy.linalg.block_diag(np.ones((3, 3)), np.zeros((1, 1)), np.ones((3, 3)))
    graph[3, :] = graph[:, 3] = 1e-15
    graph[3, 3] = 0
    labels = connected_components(Dense(graph))
    assert len(set(labels)) == 3
    assert labels[2] != labels[3] != labels[4] != labels[2]
