"""PK+HSC: PKO+HSC without the over-clustering hypergraph."""

from dataclasses import dataclass

from hypercut.algorithms._cut import TraceRatioEstimator
from hypercut.algorithms._hypergraph import HypergraphEstimator
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.similarity import Similarity
from hypercut.errors import InputError
from hypercut.paper.protocol import NEIGHBORS


@dataclass(eq=False, repr=False, kw_only=True)
class PKHSC(HypergraphEstimator, TraceRatioEstimator):
    """PK+HSC: pairwise and kNN hypergraphs, cut by the trace ratio.

    The similarity is S = (αA + βB) / (α + β): only the ratio of ``alpha`` to ``beta`` has an effect.
    """

    name = "PK+HSC"
    uses = ("weights",)

    n_neighbors: int = NEIGHBORS
    center: bool = True

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        total = self.alpha + self.beta
        if total == 0:
            raise InputError("PK+HSC needs alpha + beta > 0, since it has only these two hypergraphs.")
        return self._combined(hypergraphs, self.alpha / total, self.beta / total, seed)
