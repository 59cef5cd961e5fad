"""PO+HSC: without the kNN hypergraph."""

from typing import Any

import numpy as np

from hypercut.algorithms._base import Clustering, dhpc
from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.similarity import Similarity
from hypercut.errors import InputError


class POHSC(SpectralEstimator):
    """Pairwise + over-clustering hypergraph spectral clustering, cut by the trace ratio.

    S = (αA + γC) / (α + γ) with γ = 1 − α − β.

    Parameters
    ----------
    n_clusters, sigma_factor, communities_per_cluster, affinity, random_state
        As in :class:`hypercut.PKOHSC`.
    alpha, beta : float, default=0.4
        The weights of the full similarity: they fix the proportion of α to γ.
    """

    name = "PO+HSC"
    uses = ("weights", "communities")

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        sigma_factor: float | str = "auto",
        alpha: float = 0.4,
        beta: float = 0.4,
        communities_per_cluster: int = 2,
        affinity: str = "euclidean",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.sigma_factor = sigma_factor
        self.alpha = alpha
        self.beta = beta
        self.communities_per_cluster = communities_per_cluster
        self.affinity = affinity
        self.random_state = random_state

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        if self.beta == 1:
            raise InputError("Expected beta < 1, found 1: PO+HSC has only the other two hypergraphs.")
        n_communities = self.communities_per_cluster * self.n_clusters
        return hypergraphs.combined(self.alpha / (1 - self.beta), 0, k=1, n_communities=n_communities, seed=seed)

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        return dhpc(similarity, self.n_clusters, rng)
