"""PKO+NC: the paper's similarity under the normalised cut."""

import numpy as np

from hypercut.algorithms._base import Clustering, normalized_cut
from hypercut.algorithms.pko_hsc import PKOHSC
from hypercut.core.similarity import Similarity


class PKONC(PKOHSC):
    """PKO+NC: pairwise, kNN and over-clustering hypergraphs, cut by the normalised cut.

    The similarity is that of :class:`hypercut.PKOHSC`.
    """

    name = "PKO+NC"
    uses = ("weights", "communities")

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        return normalized_cut(similarity, self.n_clusters, rng)
