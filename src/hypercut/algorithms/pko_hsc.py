"""PKO+HSC: the paper's algorithm (alg:Framwork)."""

import numpy as np

from hypercut.algorithms._base import Clustering, dhpc
from hypercut.algorithms._hypergraph import HypergraphEstimator
from hypercut.core.similarity import Similarity


class PKOHSC(HypergraphEstimator):
    """Pairwise + kNN + over-clustering hypergraph spectral clustering, cut by the trace ratio.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K.
    sigma_factor : float or "auto", default="auto"
        Scale of the kernel, σ/ρ with ρ the mean distance between samples. Small values see only near neighbours and
        isolate outliers; large ones blur the clusters. Worth trying: 0.2 to 1. "auto" tries fifteen values and chooses
        without labels.
    alpha, beta : float, default=0.4
        Weights of the pairwise and the kNN hypergraph; over-clustering gets the rest. The paper uses (0.4, 0.4) and,
        for faces and trajectories, (0.6, 0.2).
    n_neighbors : int, default=3
        Neighbours in a kNN hyperedge. More smooth the clusters over larger neighbourhoods; 3 to 10.
    communities_per_cluster : int, default=2
        The over-clusterings have this many communities for each cluster: fewer are broader contexts; 2 to 6.
    affinity : {"euclidean", "precomputed_distances"}, default="euclidean"
        Whether ``fit`` gets features or distances.
    random_state : int, RandomState or None, default=None
        Decides the starts of the discretisation and of k-means.
    """

    name = "PKO+HSC"
    uses = ("weights", "communities")

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        return dhpc(similarity, self.n_clusters, rng)
