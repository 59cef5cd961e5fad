"""NRSC: noise-robust spectral clustering (Li, Liu, Chen and Tang, 2007), a reconstruction.

The full text was not available: the warping follows its description in later work, and results are those of the
reconstruction.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.linalg import get_lapack_funcs

from hypercut.algorithms._base import Clustering, status_of
from hypercut.algorithms._parameters import choice
from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.core.blocks import map_row_blocks
from hypercut.core.eigen import Eigenpairs, Normalized
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.kmeans import orthogonal_kmeans
from hypercut.core.normalized_cut import spectral_vectors
from hypercut.core.samples import Array, IntArray
from hypercut.core.similarity import Dense, Similarity, multiply

# γ in F = (I + γ(I − Ā))⁻¹.
WARPING = 100.0

# Beyond 4096 samples, F is not formed if ‖Ā‖ on the complement of its top 2K eigenvectors is at most this
LARGEST_REMAINDER = 0.2
# and the squared norms of the rows of F are known up to this fraction.
LARGEST_NEGLECTED = 1e-4
# Smaller terms of the series are omitted.
NEGLIGIBLE = 1e-9


@dataclass(eq=False, repr=False, kw_only=True)
class NRSC(SpectralEstimator):
    """NRSC: noise-robust spectral clustering, a reconstruction.

    Samples are warped by F = (I + γ(I − Ā))⁻¹ with Ā = D^−½AD^−½, zero on the diagonal, and γ = 100. The cosine
    affinity of the rows of F is normalised as in CSC; k-means groups the rows of its top eigenvectors without scaling
    them, so that noise gathers near the origin. F takes one N×N matrix more than the other algorithms need; beyond 4096
    samples it is not formed if the kernel is smooth.
    """

    name = "NRSC"
    _allowed: ClassVar = {"noise_cluster": choice(False, True)}

    noise_cluster: bool = False

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        pairwise = hypergraphs.pairwise
        if pairwise.smooth and not pairwise.double:
            hollow = pairwise.without_diagonal()
            found = spectral_vectors(hollow, 2 * self.n_clusters, np.random.default_rng(seed)).eigenpairs
            if found.converged and remaining_norm(hollow, found) <= LARGEST_REMAINDER:
                series = HollowCosineSeries(hollow, found)
                if series.neglected <= LARGEST_NEGLECTED:
                    return series
        return HollowCosine(warp(pairwise))

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        found = spectral_vectors(similarity, self.n_clusters, rng)
        count = self.n_clusters + self.noise_cluster
        grouped = orthogonal_kmeans(found.vectors, count, rng)
        labels = without_noise_cluster(grouped.labels, found.vectors) if self.noise_cluster else grouped.labels
        return Clustering(labels, found.vectors, grouped.n_iter, status_of(found), found.eigenpairs.solver)


def without_noise_cluster(labels: IntArray, vectors: Array) -> IntArray:
    """Return labels without the cluster nearest to the origin: its samples go to the nearest other cluster."""
    found = np.unique(labels)
    centers = np.array([vectors[labels == label].mean(axis=0) for label in found])
    noise = int(np.argmin(np.linalg.norm(centers, axis=1)))
    centers[noise] = np.inf
    squared = np.sum((vectors[labels == found[noise], None] - centers) ** 2, axis=2)
    cleaned = labels.copy()
    cleaned[labels == found[noise]] = found[np.argmin(squared, axis=1)]
    return np.unique(cleaned, return_inverse=True)[1]


class HollowCosine(Similarity):
    """The cosines between the rows of a symmetric matrix F, zero on the diagonal, applied as two products with F."""

    def __init__(self, matrix: Array) -> None:
        super().__init__(len(matrix))
        self.matrix = matrix
        self.double = matrix.dtype == np.float64
        squares = map_row_blocks(lambda rows: np.sum(matrix[rows].astype(np.float64) ** 2, axis=1), self.n)
        self.inverse_norms = 1 / np.sqrt(np.concatenate(squares))[:, None]

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:  # noqa: D102
        product = multiply(self.matrix, self.inverse_norms * vectors, exact=exact)
        return self.inverse_norms * multiply(self.matrix, product, exact=exact) - vectors

    @cached_property
    def degrees(self) -> Array:  # noqa: D102
        return np.maximum(super().degrees, 0)  # rounding may make the difference negative

    @cached_property
    def rough_diagonal(self) -> Array:  # noqa: D102
        # F is (1 + γ)⁻¹ I on all but the smooth vectors of Ā.
        return np.asarray(self.inverse_norms[:, 0] ** 2 / (1 + WARPING) ** 2 - 1)

    def dense(self) -> Array:  # noqa: D102
        unit = self.inverse_norms * self.matrix
        cosines = unit @ unit.T
        np.fill_diagonal(cosines, 0)
        return cosines


class HollowCosineSeries(Similarity):
    """The cosines between the rows of F, zero on the diagonal, without forming F, which takes N³ operations.

    On the leading eigenvectors of Ā with eigenvalues μ, F² is f(μ)² with f(μ) = 1/(1 + γ − γμ) = f(0)/(1 − tμ) and
    t = γ/(1 + γ). On their complement, where |μ| ≤ ε, it is the series f(0)² Σ_j (j + 1)(tĀ)^j, truncated where its
    terms are negligible.
    """

    def __init__(self, hollow: Dense, pairs: Eigenpairs) -> None:
        super().__init__(hollow.n)
        self.matrix = hollow.matrix
        self.normalized = Normalized(hollow)
        self.double = hollow.double
        self.vectors = pairs.vectors
        self.damping = WARPING / (1 + WARPING)
        self.gains = (1 - self.damping * pairs.values) ** -2  # f(μ)² / f(0)²
        remainder = remaining_norm(hollow, pairs)
        self.terms = next(j for j in itertools.count(1) if (j + 2) * remainder ** (j + 1) <= NEGLIGIBLE)
        # ‖F_i‖² = Σ_k f(μ_k)² v_ik². The terms of the series from Ā³ on would take N³ operations and are small.
        norms = self.vectors**2 @ self.gains
        for j, diagonal in enumerate((1.0, 0.0, self._squared_diagonal())):  # of Ā^j
            share = diagonal - self.vectors**2 @ pairs.values**j
            norms += (j + 1) * self.damping**j * share
        self.inverse_norms = 1 / np.sqrt(norms)[:, None]  # of F / f(0)
        #: A bound of the share of these terms: on the complement, each power of Ā is smaller by the factor ‖Ā‖.
        self.neglected = float(np.max(4 * remainder / (1 - remainder) ** 2 * share / norms))

    def _squared_diagonal(self) -> Array:
        """Return the diagonal of Ā²."""
        weights = (self.normalized.scale**2).astype(self.matrix.dtype)
        sums = np.concatenate(map_row_blocks(lambda rows: self.matrix[rows] ** 2 @ weights, self.n))
        return np.asarray(self.normalized.scale**2 * (sums - weights))  # without a_ii = 1

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:  # noqa: D102
        scaled = self.inverse_norms * vectors
        leading = self.vectors.T @ scaled
        term = scaled - self.vectors @ leading
        product = self.vectors @ (self.gains[:, None] * leading) + term
        for j in range(1, self.terms + 1):
            term = self.damping * self.normalized.apply(term, exact=exact)
            product += (j + 1) * term
        return self.inverse_norms * product - vectors

    @cached_property
    def degrees(self) -> Array:  # noqa: D102
        return np.maximum(super().degrees, 0)  # rounding may make the difference negative

    @cached_property
    def rough_diagonal(self) -> Array:  # noqa: D102
        return np.asarray(self.inverse_norms[:, 0] ** 2 - 1)

    def dense(self) -> Array:  # noqa: D102
        return HollowCosine(warp(Dense(self.matrix))).dense()


def remaining_norm(hollow: Dense, pairs: Eigenpairs) -> float:
    """Return a bound of ‖Ā‖ on the complement of its leading eigenvectors.

    The kernel is positive semidefinite and Ā lacks its diagonal, so Ā has no eigenvalue below −1 / min d_i. Two samples
    far from all others, for instance, have the eigenvalues 1 and −1.
    """
    return max(float(pairs.values[-1]), 1 / max(float(hollow.degrees.min()), np.finfo(float).tiny))


def warp(pairwise: Dense) -> Array:
    """Return F = (I + γ(I − Ā))⁻¹ by Cholesky; its condition number is at most 1 + 2γ."""
    degrees = pairwise.without_diagonal().degrees
    scale = np.divide(1, np.sqrt(degrees), out=np.zeros(len(degrees)), where=degrees > 0).astype(pairwise.matrix.dtype)
    warped = pairwise.matrix * (-WARPING * scale[:, None])
    warped *= scale
    np.fill_diagonal(warped, 1 + WARPING)
    potrf, potri = get_lapack_funcs(("potrf", "potri"), (warped,))
    # The transpose of a symmetric matrix is the same matrix in column order, on which LAPACK works in place.
    factor, failed = potrf(warped.T, lower=True, overwrite_a=True, clean=False)
    if not failed:
        inverse, failed = potri(factor, lower=True, overwrite_c=True)
    if failed:
        raise FloatingPointError(f"NRSC: I + γ(I − Ā) is not positive definite (LAPACK info {failed}).")

    def mirror(rows: slice) -> None:
        for row in range(rows.start, rows.stop):
            inverse[row, row + 1 :] = inverse[row + 1 :, row]

    map_row_blocks(mirror, len(inverse))
    return inverse.T  # the same matrix in row order
