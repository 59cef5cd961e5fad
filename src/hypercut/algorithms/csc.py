"""CSC: classic spectral clustering (Ng, Jordan and Weiss, 2001)."""

import numpy as np

from hypercut.algorithms._base import Clustering, status_of
from hypercut.algorithms._kernel import KernelEstimator
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.kmeans import orthogonal_kmeans
from hypercut.core.normalized_cut import spectral_vectors, unit_rows
from hypercut.core.similarity import Similarity


class CSC(KernelEstimator):
    """CSC: classic spectral clustering.

    k-means on the unit rows of the top eigenvectors of D^−½AD^−½, where the kernel A has a zero diagonal.
    :class:`hypercut.PKOHSC` describes parameters and attributes in full.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K.
    sigma_factor : float or "auto", default="auto"
        Scale of the kernel, σ/ρ. Small values isolate outliers, large ones blur the clusters; "auto" chooses.
    affinity : {"euclidean", "precomputed_distances"}, default="euclidean"
        Whether ``fit`` gets features or distances.
    random_state : int, RandomState or None, default=None
        Seed of the starts of k-means.

    Attributes
    ----------
    labels_, embedding_, n_iter_, status_, solver_, sigma_factor_, affinity_scale_
        As in :class:`hypercut.PKOHSC`.

    Examples
    --------
    >>> from hypercut import CSC
    >>> labels = CSC(2, random_state=0).fit_predict([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> (labels == labels[0]).tolist()
    [True, True, True, False, False, False]
    """

    name = "CSC"

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        return hypergraphs.pairwise.without_diagonal()

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        found = spectral_vectors(similarity, self.n_clusters, rng)
        rows = unit_rows(found.vectors)
        grouped = orthogonal_kmeans(rows, self.n_clusters, rng)
        return Clustering(grouped.labels, rows, grouped.n_iter, status_of(found), found.eigenpairs.solver)
