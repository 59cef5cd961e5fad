"""PKO+NC: the paper's similarity under the normalised cut."""

from dataclasses import dataclass

from hypercut.algorithms._hypergraph import ContextEstimator


@dataclass(eq=False, repr=False, kw_only=True)
class PKONC(ContextEstimator):
    """PKO+NC: pairwise, kNN and over-clustering hypergraphs, cut by the normalised cut.

    The similarity is that of :class:`hypercut.PKOHSC`.
    """

    name = "PKO+NC"
    uses = ("weights", "communities")
