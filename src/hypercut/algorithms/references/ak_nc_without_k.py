"""AK+NC, not told how many clusters there are: a row of its own in every table.

It is apart from the other references, so that these do not depend on its code.
"""

from typing import Any

from hypercut.algorithms.ak_nc import HypergraphClustering


class UnknownNumber(HypergraphClustering):
    """Estimates K, where all others are told."""

    name = "AK+NC without K"
    role = "beyond"

    n_clusters = None
    affinity = "euclidean"

    def __init__(self, *, random_state: Any = None) -> None:
        self.random_state = random_state
