"""The similarity that PKO+HSC and PKO+NC share."""

from typing import Any

from hypercut.algorithms._base import SpectralEstimator
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.similarity import Similarity


class HypergraphEstimator(SpectralEstimator):
    """Base of the algorithms on S = αA + βB + (1 − α − β)C (eq:hyper_similarity_measure).

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

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        sigma_factor: float | str = "auto",
        alpha: float = 0.4,
        beta: float = 0.4,
        n_neighbors: int = 3,
        communities_per_cluster: int = 2,
        affinity: str = "euclidean",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.sigma_factor = sigma_factor
        self.alpha = alpha
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.communities_per_cluster = communities_per_cluster
        self.affinity = affinity
        self.random_state = random_state

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:
        return hypergraphs.combined(
            self.alpha,
            self.beta,
            k=self.n_neighbors,
            n_communities=self.communities_per_cluster * self.n_clusters,
            seed=seed,
        )
