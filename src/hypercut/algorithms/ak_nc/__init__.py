"""AK+NC: adaptive kNN hypergraphs under the normalised cut. Not in the paper; needs no tuning."""

from collections.abc import Callable
from functools import cache

import numpy as np

from hypercut.algorithms._base import (
    Clustering,
    Estimator,
    distinct_samples_as_clusters,
    identical_samples_error,
    normalized_cut,
    single_cluster,
)
from hypercut.algorithms.ak_nc.graph import SIZES, multiscale_knn
from hypercut.algorithms.ak_nc.number import Candidate, Choice, choose, gaussian_null
from hypercut.algorithms.ak_nc.views import GIVEN, all_views
from hypercut.core import memory
from hypercut.core.copies import Distinct, distinct_by_distance, distinct_rows
from hypercut.core.neighbors import nearest_neighbors, neighbors_from_distances
from hypercut.core.samples import Array, checked_distances, rounded
from hypercut.core.starts import by_centrality

# The view and the number of clusters are chosen on at most this many samples, drawn at random.
CHOICE_SAMPLES = 4000


class HypergraphClustering(Estimator):
    """AK+NC: a clustering without parameters to tune.

    The graph is the paper's kNN hypergraph, balanced over hyperedges of 2 to 7 neighbours, with local scales. The
    metric (features as given, standardized, denoised or equalized) and the number of clusters are chosen from the data:
    they maximise the mutual information I(c; c′)/log K between the clusters of a sample and of its neighbour. No N×N
    matrix is formed, so memory grows linearly with N. docs/BEYOND.md has the derivation and an ablation.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Number of clusters K. None estimates it, up to 128.
    affinity : {"euclidean", "precomputed_distances"}, default="euclidean"
        Whether ``fit`` gets features or distances. Distances leave no choice of metric.
    random_state : int, RandomState or None, default=None
        Seed of the starts of the discretisation and, beyond 4000 samples, of the subset on which metric and number of
        clusters are chosen.

    Attributes
    ----------
    n_clusters_ : int
        K, given or estimated.
    view_ : str
        The metric chosen: ``given``, ``standardized``, ``denoised`` or ``equalized``.
    information_ : dict of str to float
        Information of each view above chance: 1 for clusters without any edge between them, 0 for a Gaussian sample.
    affinity_scale_ : ndarray of shape (n_samples,)
        Local scales σ_i, in the units of the data.
    labels_, embedding_, n_iter_, status_, solver_
        As in :class:`hypercut.PKOHSC`.

    Examples
    --------
    >>> from hypercut import HypergraphClustering
    >>> model = HypergraphClustering(random_state=0).fit([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> model.n_clusters_
    2
    >>> (model.labels_ == model.labels_[0]).tolist()
    [True, True, True, False, False, False]
    """

    name = "AK+NC"
    role = "beyond"
    has_scale = False

    def _needed_mb(self, n_samples: int, n_features: int) -> int:
        if self._precomputed:
            return memory.given_distances_mb(n_samples)
        return memory.graph_mb(n_samples, n_features, self.n_clusters)

    def _cluster_features(self, features: Array, seed: int) -> Clustering:
        if self._precomputed:
            features = checked_distances(features)
        distinct = self._distinct(features)
        if len(distinct) == 1:
            raise identical_samples_error(len(features))
        k = self.n_clusters
        if k is not None and (k == 1 or len(distinct) <= k):
            self.n_clusters_, self.view_, self.information_ = min(k, len(distinct)), GIVEN, {}
            self.affinity_scale_ = self._candidates(features, distinct)[GIVEN].graph().scales[distinct.of]
            return single_cluster(len(features)) if k == 1 else distinct_samples_as_clusters(distinct, k)
        many = len(features) > CHOICE_SAMPLES
        rng = np.random.default_rng(seed)
        choice = self._choose(self._subset(features, rng), seed) if many else self._choose(features, seed, distinct)
        self.n_clusters_, self.view_, self.information_ = choice.n_clusters, choice.view, choice.information
        graph = self._candidates(features, distinct)[choice.view].graph() if many else choice.graph
        self.affinity_scale_ = graph.scales[distinct.of]
        found = normalized_cut(graph.similarity, self.n_clusters_, rng)
        solver = {**found.solver, "view": self.view_, "information": self.information_[self.view_]}
        return Clustering(found.labels[distinct.of], found.embedding[distinct.of], found.n_iter, found.status, solver)

    def _choose(self, features: Array, seed: int, distinct: Distinct | None = None) -> Choice:
        return choose(self._candidates(features, distinct or self._distinct(features)), self.n_clusters, seed)

    def _subset(self, features: Array, rng: np.random.Generator) -> Array:
        """Draw samples by their rank in distance from the centre, so that their order in the data does not matter."""
        ranked = (
            np.argsort(rounded(features.sum(axis=1)), kind="stable") if self._precomputed else by_centrality(features)
        )
        rows = ranked[np.sort(rng.choice(len(features), CHOICE_SAMPLES, replace=False))]
        return features[np.ix_(rows, rows)] if self._precomputed else features[rows]

    def _distinct(self, features: Array) -> Distinct:
        return distinct_by_distance(features) if self._precomputed else distinct_rows(features)

    def _candidates(self, features: Array, distinct: Distinct) -> dict[str, Candidate]:
        """Return the views by name. Their graphs are those of the distinct samples.

        Copies add to the weight of a sample but are not neighbours of each other: eight copies would have no other
        neighbours and form a component of the graph.
        """
        if self._precomputed:
            between = features[np.ix_(distinct.first, distinct.first)]
            return {
                GIVEN: Candidate(lambda: multiscale_knn(neighbors_from_distances(between, max(SIZES)), distinct.counts))
            }

        def candidate(view: Callable[[], Array]) -> Candidate:
            return Candidate(
                lambda: multiscale_knn(nearest_neighbors(view()[distinct.first], max(SIZES)), distinct.counts),
                lambda rng: multiscale_knn(nearest_neighbors(gaussian_null(view(), rng), max(SIZES))),
            )

        return {name: candidate(cache(view)) for name, view in all_views(features).items()}
