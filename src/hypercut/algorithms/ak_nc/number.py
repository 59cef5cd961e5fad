"""Choosing the view and the number of clusters by information, without labels."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from hypercut.algorithms.ak_nc.graph import Graph
from hypercut.core.blocks import map_row_blocks
from hypercut.core.discretize import discretize
from hypercut.core.eigen import Normalized, top_eigenpairs
from hypercut.core.information import EdgeEnds, edge_ends
from hypercut.core.normalized_cut import unit_rows
from hypercut.core.samples import Array
from hypercut.core.similarity import Similarity
from hypercut.core.starts import by_centrality

# By how much another view must exceed the features as given.
MARGIN = 0.05
# Gaussian null samples that a view is compared with. One would leave the choice to chance; more cost time.
NULL_SAMPLES = 3
# A smaller difference from the largest possible information is negligible.
SMALLEST_DIFFERENCE = 1e-3

# The search for K tries every number up to here, then steps of a tenth.
EVERY_NUMBER = 12
# Eigenvectors that the search starts with, and their largest number.
FIRST_LIMIT = 16
MAX_CLUSTERS = 128
# If the last eigenvalue is above this, the graph may have more nearly separate parts than eigenvectors were computed.
SEPARATE = 0.99
# How much better the parts of a graph must hold together than they hold to each other. Pieces of a curve do not.
COHERENT = 10
# Rough eigenvectors and partitions suffice to compare views and numbers of clusters.
SEARCH_STARTS = 2
SEARCH_TOLERANCE = 1e-3


@dataclass(frozen=True)
class Candidate:
    """A view that may be chosen: functions that compute its graph and that of a Gaussian null sample.

    There is no null sample where only distances are known.
    """

    graph: Callable[[], Graph]
    null_graph: Callable[[np.random.Generator], Graph] | None = None


@dataclass(frozen=True)
class Choice:
    """The chosen view, its graph and its number of clusters; ``information`` is that of each view, above chance."""

    view: str
    n_clusters: int
    graph: Graph
    information: dict[str, float]


def choose(candidates: Mapping[str, Candidate], n_clusters: int | None, seed: int) -> Choice:
    """Return the view that maximises I(c; c′)/log K above chance, and K if it is not given.

    Chance is the information in a Gaussian null sample: in few dimensions, any sample can be cut at little cost. The
    first view is that of the features as given; another must exceed it by a margin. Only the graph of the best view so
    far is kept.
    """
    information: dict[str, float] = {}
    best: Choice | None = None
    for view, candidate in candidates.items():
        graph = candidate.graph()
        if n_clusters is None:
            k, value = estimate_n_clusters(graph.similarity, seed)
        else:
            k, value = n_clusters, _information(graph, n_clusters, seed)
        needed = -np.inf
        if best is not None:
            needed = information[best.view] + (MARGIN if best.view == next(iter(candidates)) else 0)
        if candidate.null_graph is not None:
            value = _above_chance(value, candidate.null_graph, k, seed, needed)
        information[view] = value
        if value > needed:
            best = Choice(view, k, graph, information)
    assert best is not None
    return best


def gaussian_null(X: Array, rng: np.random.Generator) -> Array:
    """Return as many normally distributed samples with the covariance of X, and so without clusters.

    They are random combinations of the rows of X by rank, and so do not depend on the order of the rows.
    """
    ranked = X[by_centrality(X)]
    centered = ((ranked - ranked.mean(axis=0)) / np.sqrt(len(X))).astype(np.float32)
    weights = rng.standard_normal((len(X), len(X)), dtype=np.float32)
    return np.concatenate(map_row_blocks(lambda rows: weights[rows] @ centered, len(X)))


def _above_chance(
    value: float, null_graph: Callable[[np.random.Generator], Graph], k: int, seed: int, needed: float
) -> float:
    """Return (J − J₀) / (1 − J₀) with J₀ the largest information over ``NULL_SAMPLES`` Gaussian null samples.

    It falls with each null sample: once it is at most ``needed``, the view has lost and the others are not drawn.
    """
    rng = np.random.default_rng(seed)
    chance = 0.0
    for _ in range(NULL_SAMPLES):
        chance = max(chance, _information(null_graph(rng), k, seed))
        above = (value - chance) / max(1 - chance, SMALLEST_DIFFERENCE)
        if above <= needed:
            break
    return above


def _information(graph: Graph, k: int, seed: int) -> float:
    search = _Search(graph.similarity, seed)
    search.compute_eigenvectors(k)
    return search.ends(k).information


def estimate_n_clusters(similarity: Similarity, seed: int) -> tuple[int, float]:
    """Return the number of clusters K that maximises I(c; c′)/log K, and this maximum.

    K is at least the number of separate parts of the graph: joining some of them costs nothing and makes clusters more
    equal in size. The search extends to more clusters while the best K is in the upper half of those tried, or the
    graph has at least as many nearly separate parts as were tried.
    """
    most = max(2, min(MAX_CLUSTERS, similarity.n // 4))
    limit = min(FIRST_LIMIT, most)
    search = _Search(similarity, seed)
    while True:
        search.compute_eigenvectors(limit)
        tried = set(_numbers(limit))
        best = search.best(tried)
        if limit == most or (2 * best <= limit and search.values[-1] < SEPARATE):
            break
        limit = min(2 * limit, most)
    below = max((k for k in tried if k < best), default=best)
    above = min((k for k in tried if k > best), default=best)
    best = search.best(tried | set(range(below + 1, above)))
    return best, search.ends(best).information


def _numbers(limit: int) -> list[int]:
    numbers = list(range(2, min(EVERY_NUMBER, limit) + 1))
    while numbers[-1] * 1.1 + 1 <= limit:
        numbers.append(int(np.ceil(1.1 * numbers[-1])))
    return numbers


class _Search:
    """Partitions of one graph into various numbers of clusters, from the same eigenvectors."""

    def __init__(self, similarity: Similarity, seed: int) -> None:
        self.similarity = similarity
        self.seed = seed
        self.values = np.empty(0)
        self._vectors = self._rows = np.empty((similarity.n, 0))
        self._known: dict[int, EdgeEnds] = {}

    def compute_eigenvectors(self, k: int) -> None:
        """Compute the eigenvectors for partitions into at most k."""
        operator = Normalized(self.similarity)
        start = self._vectors if self._vectors.size else None
        rng = np.random.default_rng(self.seed)
        # Completeness matters even here: none of many separate parts may be missing.
        found = top_eigenpairs(operator, k, rng, start=start, tol=SEARCH_TOLERANCE)
        self._vectors, self.values = found.vectors, found.values
        self._rows = operator.scale[:, None] * self._vectors

    def ends(self, k: int) -> EdgeEnds:
        """Return the clusters at the two ends of an edge, for a partition into k."""
        if k not in self._known:
            rng = np.random.default_rng([self.seed, k])
            labels = discretize(unit_rows(self._rows[:, :k]), rng, n_starts=SEARCH_STARTS).labels
            self._known[k] = edge_ends(self.similarity, labels)
        return self._known[k]

    def best(self, numbers: Iterable[int]) -> int:
        """Return the k with the largest information among the partitions that join no separate parts."""
        numbers = sorted(numbers)
        parts = max((k for k in numbers if self.separates(k)), default=0)
        return max((k for k in numbers if k >= parts), key=lambda k: self.ends(k).information)

    def separates(self, k: int) -> bool:
        """Whether the graph consists of k parts that are well separated and hold together.

        A long curve can be cut anywhere at almost no cost, but so can its pieces. A random walk moves from one part to
        another at the rate 1 − λ_K and spreads within a part at the rate 1 − λ_{K+1}.
        """
        if k >= len(self.values) or not self.ends(k).separate:
            return False
        between, within = np.maximum(0, 1 - self.values[k - 1 : k + 1])
        return bool(within > COHERENT * between)
