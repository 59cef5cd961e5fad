"""RWDSM: the random-walk diffusion similarity measure (Li, Hu, Zhang and Liu, 2009), a reconstruction.

The full text was not available. Its abstract (ACCV 2009) describes emission, absorption and transmission, and a
discriminative partitioning criterion of its own. The name of the measure, and its use in the trace ratio by the paper,
suggest one step of the random walk on both sides. Results are those of this reconstruction.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hypercut.algorithms._base import Clustering
from hypercut.algorithms._parameters import choice, integer
from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.algorithms.pko_hsc import CUT, trace_ratio_cut
from hypercut.algorithms.pko_nc import normalized_cut
from hypercut.core.blocks import map_row_blocks
from hypercut.core.discretize import N_STARTS
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Array
from hypercut.core.similarity import Dense, Similarity


@dataclass(eq=False, repr=False, kw_only=True)
class RWDSM(SpectralEstimator):
    """RWDSM: random-walk diffusion, cut by the trace ratio, a reconstruction.

    The similarity is S = P A Pᵀ with the random walk P = D⁻¹A.
    """

    name = "RWDSM"
    has_diagnostics = True
    _allowed = CUT | {"walk_steps": integer(1), "cut": choice("trace ratio", "normalized")}

    walk_steps: int = 1
    cut: str = "trace ratio"
    newton_steps: int | None = None
    rescaled: bool = False
    assign_labels: str = "discretize"
    n_starts: int = N_STARTS

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        return Diffusion(hypergraphs.pairwise, self.walk_steps)

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        k, assign_labels, n_starts = self.n_clusters, self.assign_labels, self.n_starts
        if self.cut == "normalized":
            return normalized_cut(similarity, k, rng, assign_labels=assign_labels, n_starts=n_starts)
        return trace_ratio_cut(
            similarity,
            k,
            rng,
            newton_steps=self.newton_steps,
            rescaled=self.rescaled,
            assign_labels=assign_labels,
            n_starts=n_starts,
        )


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
        # s_ii = Σ_jk a_ij a_jk a_ki / d_i². The exact sum would take a product of N×N matrices. The terms with j = k,
        # i = j or i = k are cheap, and dominate for samples that are far from the others in units of σ, where further
        # steps of the walk change little.
        matrix = self.pairwise.matrix
        squares = np.concatenate(map_row_blocks(lambda rows: np.sum(matrix[rows] ** 2, axis=1), self.n))
        return np.asarray((3 * squares.astype(np.float64) - 2) / self.pairwise.degrees**2)

    def dense(self) -> Array:  # noqa: D102
        kernel = self.pairwise.dense()
        walk = np.linalg.matrix_power(kernel / self.pairwise.degrees[:, None], self.steps)
        return walk @ kernel @ walk.T
