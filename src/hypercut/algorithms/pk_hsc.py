"""PK+HSC: PKO+HSC without the over-clustering hypergraph."""

from dataclasses import dataclass

from hypercut.algorithms._hypergraph import HypergraphEstimator
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.similarity import Similarity
from hypercut.errors import InputError
from hypercut.paper.protocol import NEIGHBORS


@dataclass(eq=False, repr=False, kw_only=True)
class PKHSC(HypergraphEstimator):
    """PK+HSC: pairwise and kNN hypergraphs, cut by the trace ratio.

    The similarity is S = (αA + βB) / (α + β). :class:`hypercut.PKOHSC` describes parameters and attributes in full.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K.
    sigma_factor : float or "auto", default="auto"
        Scale of the kernel, σ/ρ. Small values isolate outliers, large ones blur the clusters; "auto" chooses.
    alpha, beta : float, default=0.4
        Weights of the pairwise and the kNN hypergraph in PKO+HSC. Only their ratio has an effect here.
    n_neighbors : int, default=3
        Neighbours in a kNN hyperedge. More of them smooth the clusters.
    affinity : {"euclidean", "precomputed_distances"}, default="euclidean"
        Whether ``fit`` gets features or distances.
    random_state : int, RandomState or None, default=None
        Seed of the starts of the discretisation.

    Attributes
    ----------
    labels_, embedding_, n_iter_, status_, solver_, sigma_factor_, affinity_scale_
        As in :class:`hypercut.PKOHSC`.

    Examples
    --------
    >>> from hypercut import PKHSC
    >>> labels = PKHSC(2, random_state=0).fit_predict([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> (labels == labels[0]).tolist()
    [True, True, True, False, False, False]
    """

    name = "PK+HSC"
    uses = ("weights",)

    n_neighbors: int = NEIGHBORS

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        total = self.alpha + self.beta
        if total == 0:
            raise InputError("PK+HSC needs alpha + beta > 0, since it has only these two hypergraphs.")
        alpha, beta = self.alpha / total, self.beta / total
        return hypergraphs.combined(alpha, beta, k=self.n_neighbors, n_communities=0, seed=seed)
