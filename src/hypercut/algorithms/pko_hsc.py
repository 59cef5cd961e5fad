"""PKO+HSC: the paper's algorithm (alg:Framwork)."""

import numpy as np

from hypercut.algorithms._base import Clustering, dhpc
from hypercut.algorithms._hypergraph import HypergraphEstimator
from hypercut.core.similarity import Similarity


class PKOHSC(HypergraphEstimator):
    """Pairwise + kNN + over-clustering hypergraph spectral clustering, cut by the trace ratio.

    For the parameters see :class:`hypercut.algorithms._hypergraph.HypergraphEstimator`.
    """

    name = "PKO+HSC"
    uses = ("weights", "communities")

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        return dhpc(similarity, self.n_clusters, rng)
