"""The base of the algorithms on weighted hypergraphs."""

from dataclasses import dataclass

import numpy as np

from hypercut.algorithms._base import Clustering, dhpc, is_number, require_integer
from hypercut.algorithms._spectral import KernelEstimator
from hypercut.core.similarity import Similarity
from hypercut.errors import InputError
from hypercut.paper.protocol import ALPHA, BETA


@dataclass(eq=False, repr=False, kw_only=True)
class HypergraphEstimator(KernelEstimator):
    """Base of the algorithms with weights α and β, cut by the trace ratio."""

    alpha: float = ALPHA
    beta: float = BETA

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:
        return dhpc(similarity, self.n_clusters, rng)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, weight in (("alpha", self.alpha), ("beta", self.beta)):
            if not (is_number(weight) and 0 <= weight <= 1):
                raise InputError(f"Expected {name} between 0 and 1, found {weight!r}.")
        if self.alpha + self.beta > 1 + 1e-12:
            raise InputError(
                f"Expected alpha + beta ≤ 1, found {self.alpha} + {self.beta}: "
                "the over-clustering hypergraph has the weight 1 − alpha − beta."
            )
        parameters = self.get_params(deep=False)
        for count in {"n_neighbors", "communities_per_cluster"} & parameters.keys():
            require_integer(count, parameters[count], at_least=1)
