"""PKO+NC: the paper's similarity under the normalised cut."""

import numpy as np

from hypercut.algorithms._base import Clustering, normalized_cut
from hypercut.algorithms._hypergraph import CombinedEstimator
from hypercut.core.similarity import Similarity


class PKONC(CombinedEstimator):
    """PKO+NC: pairwise, kNN and over-clustering hypergraphs, cut by the normalised cut.

    The similarity is that of :class:`hypercut.PKOHSC`, where parameters and attributes are described in full.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K.
    sigma_factor : float or "auto", default="auto"
        Scale of the kernel, σ/ρ. Small values isolate outliers, large ones blur the clusters; "auto" chooses.
    alpha, beta : float, default=0.4
        Weights of the pairwise and the kNN hypergraph; the over-clustering hypergraph has 1 − α − β.
    n_neighbors : int, default=3
        Neighbours in a kNN hyperedge. More of them smooth the clusters.
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
    >>> from hypercut import PKONC
    >>> labels = PKONC(2, random_state=0).fit_predict([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> (labels == labels[0]).tolist()
    [True, True, True, False, False, False]
    """

    name = "PKO+NC"
    uses = ("weights", "communities")

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        return normalized_cut(similarity, self.n_clusters, rng)
