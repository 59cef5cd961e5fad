"""PK+HSC: without the over-clustering hypergraph."""

from typing import Any

import numpy as np

from hypercut.algorithms._base import Clustering, dhpc
from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.similarity import Similarity
from hypercut.errors import InputError


class PKHSC(SpectralEstimator):
    """Pairwise + kNN hypergraph spectral clustering, cut by the trace ratio: S = (αA + βB) / (α + β).

    Parameters
    ----------
    n_clusters, sigma_factor, n_neighbors, affinity, random_state
        As in :class:`hypercut.PKOHSC`.
    alpha, beta : float, default=0.4
        The weights of the full similarity. Only their proportion counts here.
    """

    name = "PK+HSC"
    uses = ("weights",)

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        sigma_factor: float | str = "auto",
        alpha: float = 0.4,
        beta: float = 0.4,
        n_neighbors: int = 3,
        affinity: str = "euclidean",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.sigma_factor = sigma_factor
        self.alpha = alpha
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.random_state = random_state

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        total = self.alpha + self.beta
        if total == 0:
            raise InputError("Expected alpha + beta > 0, found 0: PK+HSC has only these two hypergraphs.")
        alpha, beta = self.alpha / total, self.beta / total
        return hypergraphs.combined(alpha, beta, k=self.n_neighbors, n_communities=0, seed=seed)

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        return dhpc(similarity, self.n_clusters, rng)
