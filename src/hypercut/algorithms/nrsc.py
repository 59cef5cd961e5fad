"""NRSC: noise-robust spectral clustering (Li, Liu, Chen and Tang, 2007), a reconstruction.

The full text was not available: the warping follows its description in later work, and results are those of the
reconstruction.
"""

from functools import cached_property

import numpy as np
from scipy.linalg import get_lapack_funcs

from hypercut.algorithms._base import Clustering, status_of
from hypercut.algorithms._spectral import KernelEstimator
from hypercut.core.blocks import map_row_blocks
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.kmeans import orthogonal_kmeans
from hypercut.core.normalized_cut import spectral_vectors
from hypercut.core.samples import Array
from hypercut.core.similarity import Dense, Similarity, multiply

# γ in F = (I + γ(I − Ā))⁻¹.
WARPING = 100.0


class NRSC(KernelEstimator):
    """NRSC: noise-robust spectral clustering, a reconstruction.

    Samples are warped by F = (I + γ(I − Ā))⁻¹ with Ā = D^−½AD^−½, zero on the diagonal, and γ = 100. The cosine
    affinity of the rows of F is normalised as in CSC; k-means groups the rows of its top eigenvectors without scaling
    them, so that noise gathers near the origin. F is one more N×N matrix than the other algorithms hold.
    """

    name = "NRSC"

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        return HollowCosine(warp(hypergraphs.pairwise))

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        found = spectral_vectors(similarity, self.n_clusters, rng)
        grouped = orthogonal_kmeans(found.vectors, self.n_clusters, rng)
        return Clustering(grouped.labels, found.vectors, grouped.n_iter, status_of(found), found.eigenpairs.solver)


class HollowCosine(Similarity):
    """The cosines between the rows of a symmetric matrix F, zero on the diagonal, applied as F twice."""

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
