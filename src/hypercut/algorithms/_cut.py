"""The bases of the algorithms that cut a similarity by the trace ratio or the normalised cut."""

from dataclasses import dataclass

import numpy as np

from hypercut.algorithms._base import (
    DISCRETIZE,
    KMEANS,
    Clustering,
    normalized_cut,
    require_choice,
    require_integer,
    trace_ratio_cut,
)
from hypercut.algorithms._spectral import KernelEstimator
from hypercut.core.discretize import N_STARTS
from hypercut.core.similarity import Similarity


@dataclass(eq=False, repr=False, kw_only=True)
class CutEstimator(KernelEstimator):
    """Base of the algorithms that cut a similarity, by default by the normalised cut."""

    assign_labels: str = DISCRETIZE
    n_starts: int = N_STARTS

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:
        return normalized_cut(
            similarity, self.n_clusters, rng, assign_labels=self.assign_labels, n_starts=self.n_starts
        )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_choice("assign_labels", self.assign_labels, (DISCRETIZE, KMEANS))
        require_integer("n_starts", self.n_starts, at_least=1)


@dataclass(eq=False, repr=False, kw_only=True)
class TraceRatioEstimator(CutEstimator):
    """Base of the algorithms that cut a similarity by the trace ratio."""

    newton_steps: int | None = None

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:
        return trace_ratio_cut(
            similarity,
            self.n_clusters,
            rng,
            newton_steps=self.newton_steps,
            assign_labels=self.assign_labels,
            n_starts=self.n_starts,
        )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.newton_steps is not None:
            require_integer("newton_steps", self.newton_steps, at_least=0)
