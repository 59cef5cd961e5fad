"""PO+HSC: PKO+HSC without the kNN hypergraph."""

from dataclasses import dataclass

from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.algorithms.pko_hsc import CUT, PKOHSC, SIMILARITY, context_similarity
from hypercut.core.discretize import N_STARTS
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.similarity import Similarity
from hypercut.errors import InputError
from hypercut.paper.protocol import ALPHA, BETA, COMMUNITIES_PER_CLUSTER


@dataclass(eq=False, repr=False, kw_only=True)
class POHSC(SpectralEstimator):
    """PO+HSC: pairwise and over-clustering hypergraphs, cut by the trace ratio.

    The similarity is S = (αA + γC) / (α + γ) with γ = 1 − α − β: only the ratio of α to γ has an effect.
    """

    name = "PO+HSC"
    uses = ("weights", "overclustering")
    has_diagnostics = True
    _allowed = SIMILARITY | CUT

    alpha: float = ALPHA
    beta: float = BETA
    communities_per_cluster: int = COMMUNITIES_PER_CLUSTER
    overclustering_sigma_factor: float | None = None
    overcluster_by: str = "spectral"
    pairwise_neighbors: int | None = None
    diagonal: str = "one"
    balance: str | None = None
    newton_steps: int | None = None
    rescaled: bool = False
    assign_labels: str = "discretize"
    n_starts: int = N_STARTS

    partition = PKOHSC.partition

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        if self.beta == 1:
            raise InputError("PO+HSC needs beta < 1, since it has only the other two hypergraphs.")
        return context_similarity(
            hypergraphs,
            self.alpha / (1 - self.beta),
            0,
            n_overclusters=self.communities_per_cluster * self.n_clusters,
            seed=seed,
            overclustering_sigma_factor=self.overclustering_sigma_factor,
            overcluster_by=self.overcluster_by,
            pairwise_neighbors=self.pairwise_neighbors,
            diagonal=self.diagonal,
            balance=self.balance,
        )
