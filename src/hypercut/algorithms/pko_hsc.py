"""PKO+HSC: the paper's algorithm (alg:Framwork)."""

from dataclasses import dataclass

from hypercut.algorithms._cut import TraceRatioEstimator
from hypercut.algorithms._hypergraph import ContextEstimator


@dataclass(eq=False, repr=False, kw_only=True)
class PKOHSC(ContextEstimator, TraceRatioEstimator):
    """PKO+HSC: pairwise, kNN and over-clustering hypergraphs, cut by the trace ratio.

    The similarity is S = αA + βB + (1 − α − β)C (eq:hyper_similarity_measure).
    """

    name = "PKO+HSC"
    uses = ("weights", "communities")
