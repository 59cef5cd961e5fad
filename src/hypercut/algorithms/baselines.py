"""The baselines of the benchmark: two methods of scikit-learn and two controls.

They are scikit-learn clusterers on the features, with the ``name`` and ``role`` that tables show, and run only if a
configuration lists them. This file imports nothing of hypercut, so an edit of the algorithms does not rerun them.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import cluster
from sklearn.base import BaseEstimator, ClusterMixin


class KMeans(cluster.KMeans):
    """scikit-learn's k-means with ten starts."""

    name = "KMeans"
    role = "baseline"

    def __init__(self, n_clusters: int = 8, *, random_state: Any = None) -> None:
        super().__init__(n_clusters, n_init=10, random_state=random_state)


class SpectralClustering(cluster.SpectralClustering):
    """scikit-learn's spectral clustering on the graph of the ten nearest neighbours.

    It has no σ to choose, so it can be used without labels. The RBF affinity at its default σ would depend on the units
    of the features.
    """

    name = "SpectralClustering"
    role = "baseline"

    def __init__(self, n_clusters: int = 8, *, n_neighbors: int = 10, random_state: Any = None) -> None:
        super().__init__(
            n_clusters, affinity="nearest_neighbors", n_neighbors=n_neighbors, n_init=10, random_state=random_state
        )


class _Control(ClusterMixin, BaseEstimator):
    """Base of the controls."""

    role = "control"

    def __init__(self, n_clusters: int = 8, *, random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state


class RandomLabels(_Control):
    """Random labels: the value of each metric without any information."""

    name = "random labels"

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Draw labels."""
        rng = np.random.default_rng(self.random_state)
        self.labels_ = rng.integers(self.n_clusters, size=len(np.asarray(X)))
        return self


class TrueLabels(_Control):
    """The true labels: a metric other than 1 reveals a mistake in the benchmark."""

    name = "true labels"

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Copy the true labels, which only controls receive."""
        self.labels_ = np.asarray(y)
        return self
