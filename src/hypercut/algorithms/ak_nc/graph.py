"""The graph of AK+NC: kNN hypergraphs of several sizes in one balanced similarity, with local scales."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from hypercut.core.bridges import find_bridges
from hypercut.core.components import connected_components
from hypercut.core.eigen import Spectrum
from hypercut.core.neighbors import SCALE_NEIGHBOR, Neighbors, nearest_neighbors, squared_distances
from hypercut.core.samples import Array, IntArray
from hypercut.core.similarity import Sparse

# Numbers of neighbours in the hyperedges: several, since none suits all data.
SIZES = range(2, 8)

# Samples farther apart than four local scales are not joined by a bridge: their affinity exp(−d²/(σ_i σ_j)) would be
# below exp(−16) = 1e-7.
FAR = 16.0

# A component with a smaller share of the samples consists of outliers: it is joined to the nearest sample as if their
# distance were at most one local scale.
CRUMB = 1 / 512


@dataclass(frozen=True)
class Graph:
    """A similarity, its local scales σ_i, and the nearest other samples of each sample.

    ``bridges`` (L, 2) are the shortest edges between the components before they were joined, ``exponents`` their
    d²/(σ_i σ_j). ``search`` records how the neighbours were found.
    """

    similarity: Sparse
    scales: Array
    neighbors: IntArray
    bridges: IntArray = field(default_factory=lambda: np.empty((0, 2), np.intp))
    exponents: Array = field(default_factory=lambda: np.empty(0))
    search: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def spectrum(self) -> Spectrum:
        """The eigenpairs of the graph."""
        return Spectrum(self.similarity)


def multiscale_knn(
    neighbors: Neighbors, counts: Array | None = None, squared: Callable[[IntArray], Array] | None = None
) -> Graph:
    """Return the mean of the similarities B, Eq. (7), eq:KNN_hypergraph_similarity_matrix, over hyperedge sizes.

    Affinities are exp(−d²/(σ_i σ_j)) with σ_i the distance to the 7th neighbour, or to the farthest if there are fewer.
    Each B is divided by its mean degree before they are added: large hyperedges join more pairs and would outweigh
    small ones.

    ``counts`` is the number of identical samples that each one represents; it multiplies the weights of its edges.
    With ``squared``, see :func:`find_bridges`, components that are not far apart are joined: with few neighbours, a
    curve or a sparse cluster may fall into pieces that are closer to each other than clusters are.
    """
    n, available = neighbors.indices.shape
    counts = np.ones(n) if counts is None else counts
    scales = neighbors.distances[:, min(SCALE_NEIGHBOR, available) - 1]
    products = scales[:, None] * scales[neighbors.indices]
    # Among copies of a sample every scale is zero: affinity 1 to each other, 0 to all else.
    exponents = np.where(neighbors.distances > 0, np.inf, 0.0)
    np.divide(neighbors.distances**2, products, out=exponents, where=products > 0)
    members = np.column_stack([np.arange(n), neighbors.indices])
    affinities = np.column_stack([np.ones(n), np.exp(-exponents)])
    sizes = [size for size in SIZES if size <= available] or [available]
    # Row by row, the hyperedges of each size.
    edges = sp.vstack([_balanced(members[:, : size + 1], affinities[:, : size + 1], counts) for size in sizes])
    # The product has fewer entries than the factor: a hyperedge contains the smaller ones of the same sample.
    similarity = Sparse(edges.T.tocsr() @ edges / len(sizes), semidefinite=True)
    graph = Graph(similarity, scales, neighbors.indices, search=_search(neighbors))
    return graph if squared is None else _bridged(graph, squared, len(sizes))


def _balanced(members: IntArray, affinities: Array, counts: Array) -> Any:
    """Return the transposed factor of B, see :func:`~hypercut.core.hypergraphs.knn_factor`, with mean degree 1."""
    n, size = members.shape
    vertices = members.ravel()
    weights = (affinities * np.sqrt(affinities.mean(axis=1, keepdims=True))).ravel()
    lengths = np.sqrt(np.bincount(vertices, weights**2, minlength=n))  # of x_m, not zero: m is in its own hyperedge
    weights *= (counts / lengths)[vertices]
    degree = np.sum(weights.reshape(n, size).sum(axis=1) ** 2) / n
    return sp.csr_array((weights / np.sqrt(degree), vertices, np.arange(0, n * size + 1, size)), shape=(n, n))


def _bridged(graph: Graph, squared: Callable[[IntArray], Array], n_sizes: int) -> Graph:
    """Return the graph with an edge for each bridge, weighted like an affinity in hyperedges of one size."""
    components = connected_components(graph.similarity)
    if not components.any():
        return graph
    ends, lengths = find_bridges(components, squared)
    products = graph.scales[ends].prod(axis=1)
    exponents = np.divide(lengths, products, out=np.full(len(ends), np.inf), where=products > 0)
    crumbs = np.bincount(components)[components] < CRUMB * len(components)
    exponents = np.where(crumbs[ends].any(axis=1), np.minimum(exponents, 1.0), exponents)
    near = np.flatnonzero(exponents < FAR)
    one, other = ends[near].T
    # Each end also gets the weight on its diagonal, so that the sum stays semidefinite.
    rows, columns = np.concatenate([one, other, one, other]), np.concatenate([other, one, one, other])
    weights = np.tile(np.exp(-exponents[near]) / n_sizes, 4)
    total = graph.similarity.matrix + sp.csr_array((weights, (rows, columns)), shape=graph.similarity.matrix.shape)
    return replace(graph, similarity=Sparse(total, semidefinite=True), bridges=ends, exponents=exponents)


def _search(neighbors: Neighbors) -> dict[str, Any]:
    if neighbors.library is None:
        return {"neighbors": "exact"}
    return {"neighbors": f"approximate, {neighbors.library}", "recall": neighbors.recall}


def bridged_knn(X: Array, counts: Array | None = None) -> Graph:
    """Return the graph of distinct samples, its components joined by bridges."""
    return multiscale_knn(nearest_neighbors(X, max(SIZES)), counts, squared_distances(X))
