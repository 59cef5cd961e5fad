"""The base of the algorithms on weighted hypergraphs, and the paper's similarity of all three."""

from dataclasses import dataclass

from hypercut.algorithms._base import is_number, require_choice, require_integer
from hypercut.algorithms._cut import CutEstimator
from hypercut.core.hypergraphs import BALANCES, DIAGONALS, Construction, Hypergraphs
from hypercut.core.similarity import Similarity
from hypercut.errors import InputError
from hypercut.paper.protocol import ALPHA, BETA, COMMUNITIES_PER_CLUSTER, NEIGHBORS


@dataclass(eq=False, repr=False, kw_only=True)
class HypergraphEstimator(CutEstimator):
    """Base of the algorithms with weights α and β."""

    alpha: float = ALPHA
    beta: float = BETA
    diagonal: str = "one"
    balance: str | None = None

    def _combined(self, hypergraphs: Hypergraphs, alpha: float, beta: float, seed: int) -> Similarity:
        """Return αA + βB + (1 − α − β)C, with the parameters that the algorithm has."""
        given = self.get_params(deep=False)
        factor = given.get("community_factor")
        return hypergraphs.combined(
            alpha,
            beta,
            k=given.get("n_neighbors", NEIGHBORS),
            n_communities=given.get("communities_per_cluster", COMMUNITIES_PER_CLUSTER) * self.n_clusters,
            seed=seed,
            community_sigma=None if factor is None else factor * hypergraphs.samples.mean_distance,
            construction=Construction(self.diagonal, given.get("center", True), self.balance),
        )

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
        require_choice("diagonal", self.diagonal, DIAGONALS)
        require_choice("balance", self.balance, BALANCES)
        parameters = self.get_params(deep=False)
        for count in {"n_neighbors", "communities_per_cluster"} & parameters.keys():
            require_integer(count, parameters[count], at_least=1)
        require_choice("center", parameters.get("center", True), (True, False))
        factor = parameters.get("community_factor")
        if factor is not None and not (is_number(factor) and 1e-6 <= factor <= 1e6):
            raise InputError(f"Expected community_factor > 0 or None, found {factor!r}.")


@dataclass(eq=False, repr=False, kw_only=True)
class ContextEstimator(HypergraphEstimator):
    """Base of the algorithms on all three hypergraphs, S = αA + βB + (1 − α − β)C (eq:hyper_similarity_measure)."""

    n_neighbors: int = NEIGHBORS
    center: bool = True
    communities_per_cluster: int = COMMUNITIES_PER_CLUSTER
    community_factor: float | None = None

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:
        return self._combined(hypergraphs, self.alpha, self.beta, seed)
