"""STSC: self-tuning spectral clustering (Zelnik-Manor and Perona, 2005)."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from hypercut.algorithms._base import Clustering, single_cluster, status_of
from hypercut.algorithms._parameters import choice
from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.core.blocks import map_row_blocks
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.kmeans import orthogonal_kmeans
from hypercut.core.neighbors import SCALE_NEIGHBOR
from hypercut.core.normalized_cut import spectral_vectors, unit_rows
from hypercut.core.rotation import align
from hypercut.core.samples import Array, Samples
from hypercut.core.similarity import Dense, Similarity


@dataclass(eq=False, repr=False, kw_only=True)
class STSC(SpectralEstimator):
    """STSC: self-tuning spectral clustering.

    The affinity is a_ij = exp(−d²/(σ_i σ_j)) with zero diagonal and σ_i the distance to the 7th neighbour, so there is
    no σ to choose. Its top eigenvectors are rotated towards the axes; the largest element of a row gives the cluster.
    """

    name = "STSC"
    has_sigma = False
    _allowed: ClassVar = {"assign_labels": choice("rotate", "kmeans")}

    sigma_factor: float | str = field(init=False, default="auto")  # not a parameter of STSC
    assign_labels: str = "rotate"

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        return Dense(local_kernel(hypergraphs.samples), diagonal=0.0)

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        found = spectral_vectors(similarity, self.n_clusters, rng)
        if self.assign_labels == "kmeans":
            grouped = orthogonal_kmeans(unit_rows(found.vectors), self.n_clusters, rng)
            labels, vectors, n_iter = grouped.labels, found.vectors, grouped.n_iter
        else:
            rotated = align(found.vectors)
            labels, vectors, n_iter = rotated.labels, rotated.vectors, rotated.n_iter
        return Clustering(labels, vectors, n_iter, status_of(found), found.eigenpairs.solver)

    def _fit_samples(self, samples: Samples, seed: int) -> Clustering:
        self.affinity_scale_ = local_scales(samples)
        if self.n_clusters == 1:
            return single_cluster(len(samples))
        return self.cluster(Hypergraphs(samples, samples.mean_distance), seed)


def local_scales(samples: Samples) -> Array:
    """Return σ_i, the distance to the 7th neighbour, or to the farthest sample if there are fewer.

    If a sample has at least seven copies, that distance is zero, and σ_i is the distance to the nearest other sample.
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
