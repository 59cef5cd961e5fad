"""AK+NC, not told how many clusters there are: a row of its own in every table.

It is apart from the other references, so that these do not depend on its code.
"""

from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin

from hypercut.algorithms.ak_nc import HypergraphClustering


class UnknownNumber(ClusterMixin, BaseEstimator):
    """Estimates K, where all others are told."""

    name = "AK+NC without K"
    role = "beyond"

    def __init__(self, *, random_state: Any = None) -> None:
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Estimate K, and cluster."""
        self.labels_ = HypergraphClustering(random_state=self.random_state).fit(X).labels_
        return self
