"""CSC: classic spectral clustering (Ng, Jordan and Weiss, 2001)."""

from typing import Any

import numpy as np

from hypercut.algorithms._base import Clustering, SpectralEstimator, status_of
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.kmeans import orthogonal_kmeans
from hypercut.core.normalized_cut import spectral_vectors, unit_rows
from hypercut.core.similarity import Similarity


class CSC(SpectralEstimator):
    """Classic spectral clustering: the kernel with a zero diagonal, its top eigenvectors, unit rows, k-means.

    Parameters
    ----------
    n_clusters, sigma_factor, affinity, random_state
        As in :class:`hypercut.PKOHSC`.
    """

    name = "CSC"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        sigma_factor: float | str = "auto",
        affinity: str = "euclidean",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.sigma_factor = sigma_factor
        self.affinity = affinity
        self.random_state = random_state

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        return hypergraphs.pairwise.without_diagonal()

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        found = spectral_vectors(similarity, self.n_clusters, rng)
        rows = unit_rows(found.vectors)
        grouped = orthogonal_kmeans(rows, self.n_clusters, rng)
        return Clustering(grouped.labels, rows, grouped.n_iter, status_of(found.degenerate), found.eigenpairs.solver)
