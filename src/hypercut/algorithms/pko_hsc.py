"""PKO+HSC: the paper's algorithm (alg:Framwork)."""

from hypercut.algorithms._hypergraph import CombinedEstimator


class PKOHSC(CombinedEstimator):
    """PKO+HSC: pairwise, kNN and over-clustering hypergraphs, cut by the trace ratio.

    The similarity is S = αA + βB + (1 − α − β)C (eq:hyper_similarity_measure).

    Examples
    --------
    >>> from hypercut import PKOHSC, metrics
    >>> metrics.ari([0, 0, 0, 1, 1, 1], PKOHSC(2, random_state=0).fit_predict([[0], [1], [2], [50], [51], [52]]))
    1.0
    """

    name = "PKO+HSC"
    uses = ("weights", "communities")
