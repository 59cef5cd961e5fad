"""Eigenpairs of one graph, computed once for all callers."""

from dataclasses import replace

import numpy as np

from hypercut.core.eigen.lanczos import rough_lanczos
from hypercut.core.eigen.operators import STORAGE_ROUNDING, Eigenpairs, Normalized
from hypercut.core.eigen.solve import DENSE_SAMPLES, TOLERANCE, top_eigenpairs
from hypercut.core.similarity import Similarity


class Spectrum:
    """The largest eigenpairs of D^−½ S D^−½, computed when needed and kept."""

    def __init__(self, similarity: Similarity) -> None:
        self.operator = Normalized(similarity)
        self._pairs: Eigenpairs | None = None

    def leading(self, k: int, rng: np.random.Generator, *, tol: float = TOLERANCE) -> Eigenpairs:
        """Return the K largest eigenpairs; see :func:`top_eigenpairs` for ``tol``."""
        known = self._pairs
        if known is not None and k <= len(known.values):
            found = known if k == len(known.values) else _first(known, k)
            if known.converged and found.residual <= max(tol * found.gap, STORAGE_ROUNDING):
                return found
        start = None if known is None else known.vectors
        self._pairs = top_eigenpairs(self.operator, k, rng, start=start, tol=tol)
        return self._pairs

    def rough(self, k: int, rng: np.random.Generator) -> Eigenpairs:
        """Return K rough eigenpairs, which may skip copies of a repeated eigenvalue, at a third of the cost.

        They are accurate enough for samples without clusters, and are not kept.
        """
        found = rough_lanczos(self.operator, k, rng) if self.operator.n > DENSE_SAMPLES else None
        return found or self.leading(k, rng)


def _first(pairs: Eigenpairs, k: int) -> Eigenpairs:
    gap = float(pairs.values[k - 1] - pairs.values[k])
    return replace(pairs, values=pairs.values[:k], vectors=pairs.vectors[:, :k], gap=gap)
