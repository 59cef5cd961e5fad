"""RWDSM: the random-walk diffusion similarity measure (Li, Hu, Zhang and Liu, 2009), a reconstruction.

The full text was not available: one step of the random walk on both sides follows from the name and its use in the
paper, and results are those of the reconstruction.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hypercut.algorithms._base import Clustering, require_choice, require_integer
from hypercut.algorithms._cut import CutEstimator, TraceRatioEstimator
from hypercut.core.blocks import map_row_blocks
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Array
from hypercut.core.similarity import Dense, Similarity


@dataclass(eq=False, repr=False, kw_only=True)
class RWDSM(TraceRatioEstimator):
    """RWDSM: random-walk diffusion, cut by the trace ratio, a reconstruction.

    The similarity is S = P A Pᵀ with the random walk P = D⁻¹A.
    """

    name = "RWDSM"

    walk_steps: int = 1
    cut: str = "trace ratio"

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        return Diffusion(hypergraphs.pairwise, self.walk_steps)

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        base = TraceRatioEstimator if self.cut == "trace ratio" else CutEstimator
        return base.partition(self, similarity, rng)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_integer("walk_steps", self.walk_steps, at_least=1)
        require_choice("cut", self.cut, ("trace ratio", "normalized"))


class Diffusion(Similarity):
    """P^m A (P^m)ᵀ after m steps, applied as 2m + 1 products with A; for one step D⁻¹ A A A D⁻¹."""

    def __init__(self, pairwise: Dense, steps: int = 1) -> None:
        super().__init__(pairwise.n)
        self.pairwise = pairwise
        self.steps = steps
        self.double = pairwise.double

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:  # noqa: D102
        degrees = self.pairwise.degrees[:, None]
        for _ in range(self.steps):
            vectors = self.pairwise.apply(vectors / degrees, exact=exact)
        vectors = self.pairwise.apply(vectors, exact=exact)
        for _ in range(self.steps):
            vectors = self.pairwise.apply(vectors, exact=exact) / degrees
        return vectors

    @cached_property
    def rough_diagonal(self) -> Array:  # noqa: D102
        if self.pairwise.smooth:
            return np.zeros(self.n)
        # s_ii = Σ_jk a_ij a_jk a_ki / d_i²: the exact sum would cost a product of N×N matrices. The terms with j = k
        # or with i among them are cheap, and dominate at small σ, for samples far from the others. Further steps of
        # the walk change little there.
        matrix = self.pairwise.matrix
        squares = np.concatenate(map_row_blocks(lambda rows: np.sum(matrix[rows] ** 2, axis=1), self.n))
        return np.asarray((3 * squares.astype(np.float64) - 2) / self.pairwise.degrees**2)

    def dense(self) -> Array:  # noqa: D102
        kernel = self.pairwise.dense()
        walk = np.linalg.matrix_power(kernel / self.pairwise.degrees[:, None], self.steps)
        return walk @ kernel @ walk.T
