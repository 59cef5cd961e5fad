"""AK+NC: adaptive kNN hypergraphs under the normalised cut. Beyond the paper, and for any data without tuning."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from hypercut.algorithms._base import (
    Clustering,
    Estimator,
    copies_of_one,
    normalized_cut,
    one_cluster,
    one_per_distinct,
)
from hypercut.algorithms.ak_nc.adaptive import SIZES, Candidate, Choice, choose, gaussian_cloud, multiscale_knn
from hypercut.algorithms.ak_nc.views import GIVEN, all_views
from hypercut.core import memory
from hypercut.core.copies import Distinct, distinct_by_distance, distinct_rows
from hypercut.core.neighbors import nearest_neighbors, neighbors_from_distances
from hypercut.core.samples import Array, checked_distances, rounded
from hypercut.core.starts import by_centrality

# View and number of clusters are chosen on at most so many samples, drawn at random.
CHOICE_SAMPLES = 4000


class HypergraphClustering(Estimator):
    """A clustering with nothing to set: the graph, its scale, the metric and the number of clusters suit themselves.

    The graph is the kNN hypergraph of the paper, balanced over hyperedges of 2 to 7 neighbours, with a local scale. The
    metric (as given, standardized, denoised, equalized: see ``views``) and the number of clusters are
    those at which the cluster of a neighbour tells most of a sample's own (:mod:`hypercut.core.information`). No N×N
    matrix is made: memory grows with N. docs/BEYOND.md derives it, and shows what each part is worth.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Number of clusters K; None: it is estimated, up to 128.
    affinity : {"euclidean", "precomputed_distances"}, default="euclidean"
        Whether ``fit`` gets features or distances. Distances have no other view than themselves.
    random_state : int, RandomState or None, default=None
        Decides the starts of the discretisation, and which samples choose for all where there are more than 4000.

    Attributes
    ----------
    n_clusters_ : int
        K, given or estimated.
    view_ : str
        The metric chosen.
    information_ : dict
        By view: the share of information by which it was chosen, at most 1, and 0 for a cloud without clusters.
    """

    name = "AK+NC"
    role = "beyond"
    has_scale = False

    def __init__(self, n_clusters: int | None = None, *, affinity: str = "euclidean", random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.random_state = random_state

    def _needed_mb(self, n_samples: int, n_features: int) -> int:
        if self.affinity == "precomputed_distances":
            return memory.given_distances_mb(n_samples)
        return memory.graph_mb(n_samples, n_features, self.n_clusters)

    def _cluster_features(self, features: Array, seed: int) -> Clustering:
        if self.affinity == "precomputed_distances":
            features = checked_distances(features)
        distinct = self._distinct(features)
        if len(distinct) == 1:
            raise copies_of_one(len(features))
        if self.n_clusters is not None and (self.n_clusters == 1 or len(distinct) <= self.n_clusters):
            self.n_clusters_, self.view_, self.information_ = min(self.n_clusters, len(distinct)), GIVEN, {}
            self.affinity_scale_ = self._candidates(features, distinct)[GIVEN].graph().scales[distinct.of]
            return one_cluster(len(features)) if self.n_clusters == 1 else one_per_distinct(distinct, self.n_clusters)
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
        distances = self.affinity == "precomputed_distances"
        ranked = np.argsort(rounded(features.sum(axis=1)), kind="stable") if distances else by_centrality(features)
        rows = ranked[np.sort(rng.choice(len(features), CHOICE_SAMPLES, replace=False))]
        return features[np.ix_(rows, rows)] if distances else features[rows]

    def _distinct(self, features: Array) -> Distinct:
        return distinct_by_distance(features) if self.affinity == "precomputed_distances" else distinct_rows(features)

    def _candidates(self, features: Array, distinct: Distinct) -> dict[str, Candidate]:
        """Return the views. Their graphs are those of the samples that differ.

        Copies count as often as they are there, but not as neighbours: eight would know of nothing else, and be a
        component of the graph.
        """
        if self.affinity == "precomputed_distances":
            between = features[np.ix_(distinct.first, distinct.first)]
            return {
                GIVEN: Candidate(lambda: multiscale_knn(neighbors_from_distances(between, max(SIZES)), distinct.counts))
            }

        def candidate(view: Callable[[], Array]) -> Candidate:
            return Candidate(
                lambda: multiscale_knn(nearest_neighbors(view()[distinct.first], max(SIZES)), distinct.counts),
                lambda rng: multiscale_knn(nearest_neighbors(gaussian_cloud(view(), rng), max(SIZES))),
            )

        return {name: candidate(cache(view)) for name, view in all_views(features).items()}
