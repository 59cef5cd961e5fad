"""CSC: classic spectral clustering (Ng, Jordan and Weiss, 2001)."""

import numpy as np

from hypercut.algorithms._base import Clustering, status_of
from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.kmeans import orthogonal_kmeans
from hypercut.core.normalized_cut import spectral_vectors, unit_rows
from hypercut.core.similarity import Similarity


class CSC(SpectralEstimator):
    """CSC: classic spectral clustering.

    k-means on the unit rows of the top eigenvectors of D^−½AD^−½, where the kernel A has a zero diagonal.
    """

    name = "CSC"

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        return hypergraphs.pairwise.without_diagonal()

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        found = spectral_vectors(similarity, self.n_clusters, rng)
        rows = unit_rows(found.vectors)
        grouped = orthogonal_kmeans(rows, self.n_clusters, rng)
        return Clustering(grouped.labels, rows, grouped.n_iter, status_of(found), found.eigenpairs.solver)
