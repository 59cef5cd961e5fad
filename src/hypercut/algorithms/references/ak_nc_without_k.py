"""AK+NC with K estimated, a separate row in every table.

It has its own file so that the other references do not depend on its code.
"""

from typing import Any

from hypercut.algorithms.ak_nc import HypergraphClustering


class UnknownNumber(HypergraphClustering):
    """AK+NC with K estimated; all other methods are given K."""

    name = "AK+NC without K"
    role = "beyond"

    n_clusters = None
    affinity = "euclidean"

    def __init__(self, *, random_state: Any = None) -> None:
        self.random_state = random_state
