"""PKO+NC: the paper's similarity under the normalised cut."""

import numpy as np

from hypercut.algorithms._base import Clustering, normalized_cut
from hypercut.algorithms._hypergraph import HypergraphEstimator
from hypercut.core.similarity import Similarity


class PKONC(HypergraphEstimator):
    """Pairwise + kNN + over-clustering hypergraph spectral clustering, cut by the normalised cut.

    For the parameters see :class:`hypercut.algorithms._hypergraph.HypergraphEstimator`.
    """

    name = "PKO+NC"
    uses = ("weights", "communities")

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        return normalized_cut(similarity, self.n_clusters, rng)
