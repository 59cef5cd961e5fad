"""PO+HSC: PKO+HSC without the kNN hypergraph."""

from dataclasses import dataclass

from hypercut.algorithms._hypergraph import HypergraphEstimator
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.similarity import Similarity
from hypercut.errors import InputError
from hypercut.paper.protocol import COMMUNITIES_PER_CLUSTER


@dataclass(eq=False, repr=False, kw_only=True)
class POHSC(HypergraphEstimator):
    """PO+HSC: pairwise and over-clustering hypergraphs, cut by the trace ratio.

    The similarity is S = (αA + γC) / (α + γ) with γ = 1 − α − β. :class:`hypercut.PKOHSC` describes parameters and
    attributes in full.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K.
    sigma_factor : float or "auto", default="auto"
        Scale of the kernel, σ/ρ. Small values isolate outliers, large ones blur the clusters; "auto" chooses.
    alpha, beta : float, default=0.4
        Weights of the pairwise and the kNN hypergraph in PKO+HSC. Only the ratio of α to γ has an effect here.
    communities_per_cluster : int, default=2
        Communities of the over-clusterings, per cluster. Fewer give broader contexts.
    affinity : {"euclidean", "precomputed_distances"}, default="euclidean"
        Whether ``fit`` gets features or distances.
    random_state : int, RandomState or None, default=None
        Seed of the starts of the discretisation and of k-means.

    Attributes
    ----------
    labels_, embedding_, n_iter_, status_, solver_, sigma_factor_, affinity_scale_
        As in :class:`hypercut.PKOHSC`.

    Examples
    --------
    >>> from hypercut import POHSC
    >>> labels = POHSC(2, random_state=0).fit_predict([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> (labels == labels[0]).tolist()
    [True, True, True, False, False, False]
    """

    name = "PO+HSC"
    uses = ("weights", "communities")

    communities_per_cluster: int = COMMUNITIES_PER_CLUSTER

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        if self.beta == 1:
            raise InputError("PO+HSC needs beta < 1, since it has only the other two hypergraphs.")
        n_communities = self.communities_per_cluster * self.n_clusters
        return hypergraphs.combined(self.alpha / (1 - self.beta), 0, k=1, n_communities=n_communities, seed=seed)
