"""What every table of results is read against: two methods of scikit-learn, and two controls.

They are scikit-learn clusterers on the features, with the ``name`` and ``role`` that tables show.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import cluster
from sklearn.base import BaseEstimator, ClusterMixin


class KMeans(cluster.KMeans):
    """scikit-learn's k-means, ten starts."""

    name = "KMeans"
    role = "reference"

    def __init__(self, n_clusters: int = 8, *, random_state: Any = None) -> None:
        super().__init__(n_clusters, n_init=10, random_state=random_state)


class SpectralClustering(cluster.SpectralClustering):
    """scikit-learn's spectral clustering on the graph of the ten nearest neighbours.

    It has no scale to choose, and so is what somebody without labels would use. Its RBF affinity with the default scale
    means nothing for features of other units than its own.
    """

    name = "SpectralClustering"
    role = "reference"

    def __init__(self, n_clusters: int = 8, *, n_neighbors: int = 10, random_state: Any = None) -> None:
        super().__init__(
            n_clusters, affinity="nearest_neighbors", n_neighbors=n_neighbors, n_init=10, random_state=random_state
        )


class RandomLabels(ClusterMixin, BaseEstimator):
    """Labels drawn at random: what no information is worth in each metric."""

    name = "random labels"
    role = "control"

    def __init__(self, n_clusters: int = 8, *, random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Draw."""
        rng = np.random.default_rng(self.random_state)
        self.labels_ = rng.integers(self.n_clusters, size=len(np.asarray(X)))
        return self


class TrueLabels(ClusterMixin, BaseEstimator):
    """The true labels: anything but 1 in any metric is a mistake of the benchmark."""

    name = "true labels"
    role = "control"

    def __init__(self, n_clusters: int = 8, *, random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Take the truth, which is given to controls alone."""
        self.labels_ = np.asarray(y)
        return self
