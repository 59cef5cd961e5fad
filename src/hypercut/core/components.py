"""Connected components of a similarity known only by its products."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from hypercut.core.samples import Array, IntArray
from hypercut.core.similarity import CONNECTED_SHARE, NO_DEGREE, Factored, Similarity, Sparse

# Components that one product grows at once.
SEEDS = 32


def connected_components(similarity: Similarity) -> IntArray:
    """Return the connected component of each vertex, by breadth-first search with one product per step.

    A vertex of negligible degree is a component of its own. Sparse similarities are searched edge by edge, since
    breadth-first search along a long curve would take too many products. The components of F·Fᵀ with a sparse F are
    those of the bipartite graph of its rows and columns.
    """
    if isinstance(similarity, Sparse):
        return similarity.components.copy()
    if isinstance(similarity, Factored):
        return _components_of_factor(similarity)
    connected = similarity.degrees > NO_DEGREE
    labels = np.where(connected, -1, np.arange(similarity.n))
    bound = np.where(connected, CONNECTED_SHARE * similarity.degrees, np.inf)[:, None]
    n_components = similarity.n
    while (labels < 0).any():
        seeds = np.flatnonzero(labels < 0)[:SEEDS]
        reached = np.zeros((similarity.n, len(seeds)), dtype=bool)
        reached[seeds, np.arange(len(seeds))] = True
        while True:
            grown = reached | (similarity.apply(reached.astype(np.float64)) > bound)
            if (grown == reached).all():
                break
            reached = grown
        for members in reached.T:
            # Two sets may overlap although neither contains the other's seed: near the bound, reach is not symmetric.
            touched = np.unique(labels[members & (labels >= 0)])
            labels[members | np.isin(labels, touched)] = n_components
            n_components += 1
    return np.unique(labels, return_inverse=True)[1]


def _components_of_factor(similarity: Factored) -> IntArray:
    entries = similarity.factor.tocoo()
    weights = np.abs(entries.data) * similarity.factor.sum(axis=0)[entries.col]
    degrees = similarity.degrees[entries.row]
    joins = (weights > CONNECTED_SHARE * degrees) & (degrees > NO_DEGREE)
    rows, columns = similarity.factor.shape
    joined = sp.coo_array(
        (np.ones(joins.sum(), dtype=bool), (entries.row[joins], rows + entries.col[joins])), shape=(rows + columns,) * 2
    )
    _, labels = csgraph.connected_components(joined, directed=False)
    return np.unique(labels[:rows], return_inverse=True)[1]


def component_indicators(similarity: Similarity, k: int) -> Array | None:
    """Return K unit indicator vectors of unions of components, or None if there are fewer than K components.

    Vertices without any edge, not even to themselves, belong to none of them.

    With more than K components, no partition into K unions cuts an edge, and all are equally good by every criterion.
    Here the K − 1 largest components stay separate and the others are united. If components are equally large, the one
    with the larger degree comes first.
    """
    connected = similarity.degrees > NO_DEGREE
    labels = connected_components(similarity)
    sizes = np.bincount(labels, connected)
    if np.count_nonzero(sizes) < k:
        return None
    rank = np.empty(len(sizes), dtype=np.intp)
    rank[np.lexsort((-np.bincount(labels, similarity.degrees), -sizes))] = np.arange(len(sizes))
    indicators = np.eye(k)[np.minimum(rank[labels], k - 1)] * connected[:, None]
    return indicators / np.linalg.norm(indicators, axis=0)
