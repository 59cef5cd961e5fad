"""PKO+HSC: the paper's algorithm (alg:Framwork)."""

from hypercut.algorithms._hypergraph import CombinedEstimator


class PKOHSC(CombinedEstimator):
    """PKO+HSC: pairwise, kNN and over-clustering hypergraphs, cut by the trace ratio.

    The similarity is S = αA + βB + (1 − α − β)C (eq:hyper_similarity_measure).
    """

    name = "PKO+HSC"
    uses = ("weights", "communities")
