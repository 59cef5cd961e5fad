"""PK+HSC: PKO+HSC without the over-clustering hypergraph."""

from dataclasses import dataclass

from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.algorithms.pko_hsc import CUT, PKOHSC, SIMILARITY, context_similarity
from hypercut.core.discretize import N_STARTS
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.similarity import Similarity
from hypercut.errors import InputError
from hypercut.paper.protocol import ALPHA, BETA, NEIGHBORS


@dataclass(eq=False, repr=False, kw_only=True)
class PKHSC(SpectralEstimator):
    """PK+HSC: pairwise and kNN hypergraphs, cut by the trace ratio.

    The similarity is S = (αA + βB) / (α + β): only the ratio of ``alpha`` to ``beta`` has an effect.
    """

    name = "PK+HSC"
    uses = ("weights",)
    has_diagnostics = True
    _allowed = SIMILARITY | CUT

    alpha: float = ALPHA
    beta: float = BETA
    n_neighbors: int = NEIGHBORS
    pairwise_neighbors: int | None = None
    diagonal: str = "one"
    center: bool = True
    balance: str | None = None
    newton_steps: int | None = None
    rescaled: bool = False
    assign_labels: str = "discretize"
    n_starts: int = N_STARTS

    partition = PKOHSC.partition

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        total = self.alpha + self.beta
        if total == 0:
            raise InputError("PK+HSC needs alpha + beta > 0, since it has only these two hypergraphs.")
        return context_similarity(
            hypergraphs,
            self.alpha / total,
            self.beta / total,
            n_neighbors=self.n_neighbors,
            pairwise_neighbors=self.pairwise_neighbors,
            diagonal=self.diagonal,
            center=self.center,
            balance=self.balance,
        )
