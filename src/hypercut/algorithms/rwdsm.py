"""RWDSM: the random-walk diffusion similarity measure (Li, Hu, Zhang and Liu, 2009), a reconstruction.

The full text was not available: one step of the random walk on both sides follows from the name and its use in the
paper, and results are those of the reconstruction.
"""

from functools import cached_property

import numpy as np

from hypercut.algorithms._base import Clustering, dhpc
from hypercut.algorithms._spectral import KernelEstimator
from hypercut.core.blocks import map_row_blocks
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Array
from hypercut.core.similarity import Dense, Similarity


class RWDSM(KernelEstimator):
    """RWDSM: random-walk diffusion, cut by the trace ratio, a reconstruction.

    The similarity is S = P A Pᵀ with the random walk P = D⁻¹A.
    """

    name = "RWDSM"

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        return Diffusion(hypergraphs.pairwise)

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        return dhpc(similarity, self.n_clusters, rng)


class Diffusion(Similarity):
    """P A Pᵀ = D⁻¹ A A A D⁻¹, applied as three products with A."""

    def __init__(self, pairwise: Dense) -> None:
        super().__init__(pairwise.n)
        self.pairwise = pairwise
        self.double = pairwise.double

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:  # noqa: D102
        product = vectors / self.pairwise.degrees[:, None]
        for _ in range(3):
            product = self.pairwise.apply(product, exact=exact)
        return product / self.pairwise.degrees[:, None]

    @cached_property
    def rough_diagonal(self) -> Array:  # noqa: D102
        if self.pairwise.smooth:
            return np.zeros(self.n)
        # s_ii = Σ_jk a_ij a_jk a_ki / d_i²: the exact sum would cost a product of N×N matrices. The terms with j = k
        # or with i among them are cheap, and dominate at small σ, for samples far from the others.
        matrix = self.pairwise.matrix
        squares = np.concatenate(map_row_blocks(lambda rows: np.sum(matrix[rows] ** 2, axis=1), self.n))
        return np.asarray((3 * squares.astype(np.float64) - 2) / self.pairwise.degrees**2)

    def dense(self) -> Array:  # noqa: D102
        kernel = self.pairwise.dense()
        walk = kernel / self.pairwise.degrees[:, None]
        return walk @ kernel @ walk.T
