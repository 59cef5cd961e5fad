"""STSC: self-tuning spectral clustering (Zelnik-Manor and Perona, 2005)."""

from typing import Any

import numpy as np

from hypercut.algorithms._base import Clustering, status_of
from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.core.blocks import map_row_blocks
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.normalized_cut import spectral_vectors
from hypercut.core.rotation import align
from hypercut.core.samples import Array, Samples
from hypercut.core.similarity import Dense, Similarity

# The scale of a sample is its distance to this neighbour.
SCALE_NEIGHBOR = 7


class STSC(SpectralEstimator):
    """Self-tuning spectral clustering: local scales σ_i, eigenvectors rotated towards the axes.

    a_ij = exp(−d²/(σ_i σ_j)) with zero diagonal, σ_i the distance to the 7th neighbour. There is no σ to choose.

    Parameters
    ----------
    n_clusters, affinity, random_state
        As in :class:`hypercut.PKOHSC`.
    """

    name = "STSC"
    has_scale = False

    def __init__(self, n_clusters: int = 8, *, affinity: str = "euclidean", random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.random_state = random_state

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        return Dense(local_kernel(hypergraphs.samples), hollow=True)

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        found = spectral_vectors(similarity, self.n_clusters, rng)
        rotated = align(found.vectors)
        return Clustering(rotated.labels, rotated.vectors, rotated.n_iter, status_of(found), found.eigenpairs.solver)

    def _fit_samples(self, samples: Samples, seed: int) -> Clustering:
        self.affinity_scale_ = local_scales(samples)
        return self.cluster(Hypergraphs(samples, samples.mean_distance), seed)


def local_scales(samples: Samples) -> Array:
    """Return σ_i, the distance to the 7th neighbour (the farthest sample if there are fewer).

    Among eight or more copies of a sample that distance is zero; the nearest other sample then sets the scale.
    """
    nearest = samples.nearest(SCALE_NEIGHBOR)[:, -1]
    scales = np.sqrt(samples.squared_distances[np.arange(len(samples)), nearest].astype(np.float64))
    for i in np.flatnonzero(scales == 0):
        distances = samples.squared_distances[i]
        scales[i] = np.sqrt(distances[distances > 0].min())
    return scales


def local_kernel(samples: Samples) -> Array:
    """Return exp(−d²_ij / (σ_i σ_j))."""
    squared = samples.squared_distances
    inverse = (1 / local_scales(samples)).astype(squared.dtype)
    kernel = np.empty_like(squared)

    def fill(rows: slice) -> None:
        np.multiply(squared[rows], -inverse[rows, None] * inverse, out=kernel[rows])
        np.exp(kernel[rows], out=kernel[rows])

    map_row_blocks(fill, len(samples))
    return kernel
