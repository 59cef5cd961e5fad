"""The graph of AK+NC: kNN hypergraphs of several sizes in one balanced similarity, with local scales."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from hypercut.core.hypergraphs import knn_factor
from hypercut.core.neighbors import SCALE_NEIGHBOR, Neighbors
from hypercut.core.samples import Array, IntArray
from hypercut.core.similarity import Factored, Similarity

# Neighbours in the hyperedges: several sizes, since none suits all data.
SIZES = range(2, 8)


@dataclass(frozen=True)
class Graph:
    """A similarity, the local scales σ_i in it, and the nearest others of each sample."""

    similarity: Similarity
    scales: Array
    neighbors: IntArray


def multiscale_knn(neighbors: Neighbors, counts: Array | None = None) -> Graph:
    """Return the mean of the kNN similarities B (eq:KNN_hypergraph_similarity_matrix) over hyperedge sizes.

    Affinities are exp(−d²/(σ_i σ_j)) with σ_i the distance to the 7th neighbour, or to the farthest if there are fewer.
    Each B is divided by its mean degree before they are added: a large hyperedge joins more pairs and would outweigh
    the small ones.

    ``counts`` is the number of identical samples that each one represents; it multiplies the weights of its edges.
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
    factors = []
    for size in sizes:
        factor = sp.diags_array(counts) @ knn_factor(members[:, : size + 1], affinities[:, : size + 1])
        degree = np.sum(factor.sum(axis=0) ** 2) / n
        factors.append(factor / np.sqrt(len(sizes) * degree))
    return Graph(Factored(sp.hstack(factors, format="csr")), scales, neighbors.indices)
