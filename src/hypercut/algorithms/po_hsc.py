"""PO+HSC: PKO+HSC without the kNN hypergraph."""

from dataclasses import dataclass

from hypercut.algorithms._cut import TraceRatioEstimator
from hypercut.algorithms._hypergraph import HypergraphEstimator
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.similarity import Similarity
from hypercut.errors import InputError
from hypercut.paper.protocol import COMMUNITIES_PER_CLUSTER


@dataclass(eq=False, repr=False, kw_only=True)
class POHSC(HypergraphEstimator, TraceRatioEstimator):
    """PO+HSC: pairwise and over-clustering hypergraphs, cut by the trace ratio.

    The similarity is S = (αA + γC) / (α + γ) with γ = 1 − α − β: only the ratio of α to γ has an effect.
    """

    name = "PO+HSC"
    uses = ("weights", "communities")

    communities_per_cluster: int = COMMUNITIES_PER_CLUSTER
    community_factor: float | None = None

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        if self.beta == 1:
            raise InputError("PO+HSC needs beta < 1, since it has only the other two hypergraphs.")
        return self._combined(hypergraphs, self.alpha / (1 - self.beta), 0, seed)
