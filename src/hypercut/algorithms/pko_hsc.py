"""PKO+HSC: the paper's algorithm (alg:Framwork)."""

from dataclasses import dataclass

from hypercut.algorithms._hypergraph import HypergraphEstimator
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.similarity import Similarity
from hypercut.paper.protocol import COMMUNITIES_PER_CLUSTER, NEIGHBORS


@dataclass(eq=False, repr=False, kw_only=True)
class PKOHSC(HypergraphEstimator):
    """PKO+HSC: pairwise, kNN and over-clustering hypergraphs, cut by the trace ratio.

    The similarity is S = αA + βB + (1 − α − β)C (eq:hyper_similarity_measure).
    """

    name = "PKO+HSC"
    uses = ("weights", "communities")

    n_neighbors: int = NEIGHBORS
    communities_per_cluster: int = COMMUNITIES_PER_CLUSTER

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        n_communities = self.communities_per_cluster * self.n_clusters
        return hypergraphs.combined(self.alpha, self.beta, k=self.n_neighbors, n_communities=n_communities, seed=seed)
