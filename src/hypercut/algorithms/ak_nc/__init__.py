"""AK+NC: adaptive kNN hypergraphs under the normalised cut, without parameters to tune. It is not in the paper."""

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, validate_data

from hypercut.algorithms._base import (
    BaseEstimator,
    Clustering,
    ClusterMixin,
    distinct_samples_as_clusters,
    fit,
    identical_samples_error,
    single_cluster,
)
from hypercut.algorithms._parameters import check_parameters, choice, integer
from hypercut.algorithms.ak_nc.graph import SIZES, Graph, bridged_knn, multiscale_knn
from hypercut.algorithms.ak_nc.membership import memberships, outlier_scores
from hypercut.algorithms.ak_nc.number import Candidate, choose, gaussian_null, principal_deviations
from hypercut.algorithms.ak_nc.parts import partition, separate_parts
from hypercut.algorithms.ak_nc.prediction import Voters, limits
from hypercut.algorithms.ak_nc.views import GIVEN, View, all_views
from hypercut.core import memory
from hypercut.core.copies import Distinct, distinct_by_distance, distinct_rows
from hypercut.core.memory import DOUBLE_PRECISION_SAMPLES
from hypercut.core.neighbors import nearest_neighbors, neighbors_from_distances
from hypercut.core.samples import Array, IntArray, checked_distances, rounded
from hypercut.core.starts import by_centrality

# Features in either precision are used as they are; others are converted to the first.
PRECISIONS = (np.float64, np.float32)

# The view and the number of clusters are chosen on at most this many samples, drawn at random.
CHOICE_SAMPLES = 4000

Views = dict[str, Callable[[], View]]


class HypergraphClustering(ClusterMixin, BaseEstimator):
    """AK+NC: kNN hypergraphs of several sizes under the normalised cut; it needs no tuning and can estimate K.

    The graph is the paper's kNN hypergraph, balanced over hyperedges of 2 to 7 neighbours, with local scales. If it
    falls into clearly separate parts, these are the clusters. Otherwise the metric (features as given, standardized,
    denoised or equalized) and the number of clusters are those that maximise the mutual information I(c; c′)/log K
    between the clusters of a sample and of its neighbour. No N×N matrix is formed, so memory grows linearly with N.
    docs/beyond.md has the derivation and an ablation.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Number of clusters K. None estimates it, up to 128.
    affinity : {"euclidean", "precomputed_distances"}, default="euclidean"
        Whether ``fit`` gets features or distances. With distances, there is no metric to choose.
    random_state : int, RandomState or None, default=None
        Seed of the starts of the discretisation and, beyond 4000 samples, of the subset on which metric and number of
        clusters are chosen.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample. Clusters are numbered in order of appearance.
    n_clusters_ : int
        K, given or estimated.
    probabilities_ : ndarray of shape (n_samples, ``n_clusters_``), single precision
        Soft membership: the probability that a random walk on the graph is in a cluster after two steps, each of which
        leaves its sample. Rows sum to 1. Inside a cluster one entry is near 1; at a border two or more share the
        weight, and the largest need not belong to the cluster in ``labels_``. Stored as a sparse matrix and expanded at
        each access: a million samples in 128 clusters take 0.5 GB.
    outlier_scores_ : ndarray of shape (n_samples,)
        Local scale σ_i relative to the geometric mean of the local scales of the neighbours' neighbours. About 1 inside
        a cluster of any density, and larger for outliers. Groups of 8 or more nearby outliers are not detected, since
        they are each other's neighbours.
    view_ : str
        The metric chosen: ``given``, ``standardized``, ``denoised`` or ``equalized``.
    information_ : dict of str to float
        Information of each view above chance: 1 for clusters without any edge between them, 0 for a Gaussian sample. It
        is not reduced by chance for precomputed distances, for a view that cannot win, or if the features as given
        have separate parts.
    k_profile_ : dict of str to ndarray
        The evidence for each number of clusters tried, only if K was estimated: ``n_clusters``; ``information`` of the
        partition, not reduced by chance; ``gap``, the ratio of rates (1 − λ_{K+1}) / (1 − λ_K), which from 6 on is
        evidence of separate parts (NaN where it was not computed). :func:`hypercut.plot.k_profile` draws it.
    affinity_scale_ : ndarray of shape (n_samples,)
        Local scales σ_i, the distances to the 7th neighbour in the chosen view; for the view ``given``, in the units of
        the data.
    embedding_ : ndarray of shape (n_samples, any)
        The vectors from which the labels are read: up to 1.5 K eigenvectors, or indicators of separate parts.
    n_iter_ : int
        Steps of the discretisation.
    status_ : {"ok", "degenerate", "not_converged", "trivial"}
        ``degenerate`` if the graph has at least K components or there are at most K distinct samples, ``trivial`` for a
        single cluster.
    solver_ : dict
        Path, products, residual and gap of the eigensolver, see :mod:`hypercut.core.eigen`, and ``cut``, the number of
        clusters before they were joined to K; or the path ``parts``. Also the chosen view and its information, and
        ``neighbors``: ``exact``, or ``approximate`` with the library. After an approximate search, ``recall`` is the
        share of the true neighbours found, measured on 500 samples.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Names of the features, if ``fit`` got a data frame whose column names are all strings.

    Notes
    -----
    Neighbours are exact up to 50,000 samples, and beyond if there are at most 8 features or faiss is not installed.
    Otherwise the search is approximate: ``pip install hypercut[approximate]``, and see ``recall`` in ``solver_``.

    Up to 4096 samples, features in single precision are converted to double precision; more stay in single precision,
    which halves their memory. Distances are always computed in double precision.

    A fitted model keeps the distinct training samples in the chosen view for :meth:`predict`, in the precision of the
    training data.

    Examples
    --------
    >>> from hypercut import HypergraphClustering
    >>> model = HypergraphClustering(random_state=0).fit([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> model.n_clusters_
    2
    >>> (model.labels_ == model.labels_[0]).tolist()
    [True, True, True, False, False, False]
    >>> bool(model.predict([[4.8]])[0] == model.labels_[-1])
    True
    """

    name = "AK+NC"
    role = "beyond"
    has_sigma = False
    uses: ClassVar[tuple[str, ...]] = ()
    labels_: IntArray
    embedding_: Array
    n_iter_: int
    status_: str
    solver_: dict[str, Any]
    affinity_scale_: Array
    _unit: float

    def __init__(self, n_clusters: int | None = None, *, affinity: str = "euclidean", random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Cluster the rows of ``X``.

        There is no ``sample_weight``: repeat a row instead. Copies add to the weight of a sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples; with ``affinity="precomputed_distances"``, their distances (n_samples, n_samples).
        y : None
            Ignored.
        """
        fit(self, X, PRECISIONS, "Use fewer samples")
        return self

    def validated(self) -> Self:
        """Validate parameters; return self."""
        allowed = {"n_clusters": integer(1, None), "affinity": choice("euclidean", "precomputed_distances")}
        check_parameters(self, allowed)
        return self

    @property
    def probabilities_(self) -> Array:
        """Membership of each training sample in each cluster, computed from a sparse matrix at each access."""
        check_is_fitted(self)
        return self._membership.toarray()

    def predict(self, X: ArrayLike) -> IntArray:
        """Return the cluster of each new sample, by a vote of its nearest training samples.

        Prediction does not change the clustering, while ``fit`` on all samples might find another one. The 7
        nearest distinct training samples in the chosen view vote. Their weights are the affinities exp(−d²/(σ_i σ_j))
        of the graph, where the σ of the new sample is its distance to the 7th. Half of each vote goes to the cluster of
        the training sample, and half is divided among the clusters of its neighbours in the graph. A copy of a training
        sample gets the label of that sample, so ``predict`` on the training data returns ``labels_``.

        Samples are processed in blocks: only ``X`` and the result take memory that grows with their number.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples, with the features of the training data.
        """
        voters, samples = self._vote_on(X)
        return voters.predict(samples)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the membership of each new sample in each cluster: (n_samples, n_clusters), single precision.

        See :meth:`predict`. A copy of a training sample has the row of that sample in ``probabilities_``. Rows sum to 1
        even for a sample that is far from all clusters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples, with the features of the training data.
        """
        voters, samples = self._vote_on(X)
        return voters.predict_proba(samples)

    def _vote_on(self, X: ArrayLike) -> tuple[Voters, Array]:
        check_is_fitted(self)
        if self._voters is None:
            raise NotFittedError(
                "The model was fitted to distances. Fit it to features before predicting, or cluster the new samples "
                "together with the others."
            )
        return self._voters, validate_data(self, X, dtype=list(PRECISIONS), reset=False)

    @property
    def _precomputed(self) -> bool:
        return self.affinity == "precomputed_distances"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        return tags

    def _needed_mb(self, n_samples: int, n_features: int) -> int:
        if self._precomputed:
            return memory.given_distances_mb(n_samples)
        return memory.graph_mb(n_samples, n_features, self.n_clusters)

    def _cluster_features(self, features: Array, seed: int) -> Clustering:
        precision = features.dtype
        if self._precomputed:
            features = checked_distances(features)
        elif len(features) <= DOUBLE_PRECISION_SAMPLES:
            features = features.astype(np.float64, copy=False)
        distinct = self._distinct(features)
        if len(distinct) == 1:
            raise identical_samples_error(len(features))
        views = self._views(features)
        graph, found = self._partition(features, distinct, views, seed)
        labels = found.labels[distinct.first]
        membership = memberships(graph, distinct, labels, self.n_clusters_)
        self._membership = membership.walk[distinct.of]
        self.affinity_scale_ = graph.scales[distinct.of]
        self.outlier_scores_ = outlier_scores(graph)[distinct.of]
        self._voters: Voters | None = None
        if not self._precomputed:
            view = views[self.view_]()
            self._voters = Voters(
                *limits(features, self._unit),
                self._unit,
                view.maps,
                view.samples[distinct.first].astype(precision, copy=False),
                graph.scales,
                distinct.counts,
                labels,
                membership,
            )
        return found

    def _partition(self, features: Array, distinct: Distinct, views: Views, seed: int) -> tuple[Graph, Clustering]:
        """Choose the view and K; return the graph of the distinct samples and the clustering."""
        k = self.n_clusters
        if k is not None and (k == 1 or len(distinct) <= k):
            self.n_clusters_, self.view_, self.information_ = min(k, len(distinct)), GIVEN, {}
            graph = self._candidates(features, distinct, views)[GIVEN].graph()
            return graph, single_cluster(len(features)) if k == 1 else distinct_samples_as_clusters(distinct, k)
        many = len(features) > CHOICE_SAMPLES
        rng = np.random.default_rng(seed)
        candidates = self._candidates(features, distinct, views)
        choice = choose(self._subset_candidates(features, rng) if many else candidates, k, seed)
        self.n_clusters_, self.view_, self.information_ = choice.n_clusters, choice.view, choice.information
        if choice.profile is not None:
            self.k_profile_ = choice.profile.arrays()
        graph = candidates[choice.view].graph() if many else choice.graph
        parts = separate_parts(graph, seed, self.n_clusters_) if many else choice.parts
        found = partition(graph, parts, self.n_clusters_, rng)
        solver = {**found.solver, "view": self.view_, "information": self.information_[self.view_], **graph.search}
        labels = _in_order_of_appearance(found.labels)[distinct.of]
        embedding = found.embedding if len(distinct) == len(features) else found.embedding[distinct.of]
        return graph, Clustering(labels, embedding, found.n_iter, found.status, solver)

    def _subset_candidates(self, features: Array, rng: np.random.Generator) -> dict[str, Candidate]:
        subset = self._subset(features, rng).astype(np.float64, copy=False)
        return self._candidates(subset, self._distinct(subset), self._views(subset))

    def _subset(self, features: Array, rng: np.random.Generator) -> Array:
        """Return random samples, drawn by the rank of their distance from the centre: their order has no effect."""
        ranked = (
            np.argsort(rounded(features.sum(axis=1)), kind="stable") if self._precomputed else by_centrality(features)
        )
        rows = ranked[np.sort(rng.choice(len(features), CHOICE_SAMPLES, replace=False))]
        return features[np.ix_(rows, rows)] if self._precomputed else features[rows]

    def _distinct(self, features: Array) -> Distinct:
        return distinct_by_distance(features) if self._precomputed else distinct_rows(features)

    def _views(self, features: Array) -> Views:
        return {} if self._precomputed else {name: cache(view) for name, view in all_views(features).items()}

    def _candidates(self, features: Array, distinct: Distinct, views: Views) -> dict[str, Candidate]:
        """Return the views by name, with functions that compute the graph of the distinct samples.

        Copies add to the weight of a sample but are not neighbours of each other: eight copies would have no other
        neighbours and form a component of the graph.
        """
        if self._precomputed:
            between = features[np.ix_(distinct.first, distinct.first)]
            neighbors = neighbors_from_distances(between, max(SIZES))
            return {
                GIVEN: Candidate(lambda: multiscale_knn(neighbors, distinct.counts, lambda rows: between[rows] ** 2))
            }

        def candidate(view: Callable[[], View]) -> Candidate:
            deviations = cache(lambda: principal_deviations(view().samples))

            def null_graph(rng: np.random.Generator) -> Graph:
                null = gaussian_null(deviations(), len(features), rng)
                return multiscale_knn(nearest_neighbors(null, max(SIZES)))

            return Candidate(lambda: bridged_knn(view().samples[distinct.first], distinct.counts), null_graph)

        return {name: candidate(view) for name, view in views.items()}


def _in_order_of_appearance(labels: IntArray) -> IntArray:
    """Return the labels renumbered, so that the same partition always has the same labels."""
    _, first, own = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[own]
