"""AK+NC with K estimated: a baseline that is a separate row in every table.

It is not in ``baselines``, since those do not depend on the code of AK+NC.
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
