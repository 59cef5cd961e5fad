"""The similarity that PKO+HSC and PKO+NC share."""

from typing import Any

from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.similarity import Similarity


class HypergraphEstimator(SpectralEstimator):
    """Base of the algorithms on S = αA + βB + (1 − α − β)C (eq:hyper_similarity_measure).

    For the parameters see :class:`hypercut.PKOHSC`.
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
