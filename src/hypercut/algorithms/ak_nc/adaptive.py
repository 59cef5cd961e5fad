"""kNN hypergraphs of several sizes in one balanced graph, and the choice of a view and of K without labels."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from hypercut.core.blocks import map_row_blocks
from hypercut.core.discretize import discretize
from hypercut.core.eigen import Normalized, top_eigenpairs
from hypercut.core.hypergraphs import knn_factor
from hypercut.core.information import EdgeEnds, edge_ends
from hypercut.core.neighbors import Neighbors
from hypercut.core.normalized_cut import unit_rows
from hypercut.core.samples import Array
from hypercut.core.similarity import Factored, Similarity
from hypercut.core.starts import by_centrality

# Neighbours in the hyperedges: of every size, since none is right for all data.
SIZES = range(2, 8)
# The scale of a sample is its distance to this neighbour, as in STSC.
SCALE_NEIGHBOR = 7

# By how much another view must be better than the one given.
MARGIN = 0.05
# Clouds that a view is compared with. One would leave it to chance, more cost time.
CLOUDS = 3
# Information that differs less from its largest value does not differ.
SMALLEST_DIFFERENCE = 1e-3

# The search for K: up to here every number, then steps of a tenth; from how many eigenvectors it starts, and the most.
EVERY_NUMBER = 12
FIRST_LIMIT = 16
MAX_CLUSTERS = 128
# Where the last eigenvalue is above this, the graph has more nearly separate parts than eigenvectors were computed.
SEPARATE = 0.99
# By how much the parts of a graph must hold together better than they hold to each other. The pieces of a curve do not.
COHERENT = 10
# Rough eigenvectors and partitions suffice to compare views and numbers of clusters.
SEARCH_STARTS = 2
SEARCH_TOLERANCE = 1e-3


@dataclass(frozen=True)
class Graph:
    """A similarity, and the local scales it was made with."""

    similarity: Similarity
    scales: Array


@dataclass(frozen=True)
class Candidate:
    """A view that may be chosen: how to make its graph, and that of a cloud without clusters to compare it with.

    There is no cloud where nothing is known but distances.
    """

    graph: Callable[[], Graph]
    cloud: Callable[[np.random.Generator], Graph] | None = None


@dataclass(frozen=True)
class Choice:
    """A view with its graph, and a number of clusters in it. ``information`` is that of each view, above chance."""

    view: str
    n_clusters: int
    graph: Graph
    information: dict[str, float]


def local_scales(neighbors: Neighbors) -> Array:
    """Return σ_i, the distance to the 7th neighbour, or to the farthest where there are fewer."""
    return neighbors.distances[:, min(SCALE_NEIGHBOR, neighbors.distances.shape[1]) - 1]


def multiscale_knn(neighbors: Neighbors, counts: Array | None = None) -> Graph:
    """Return the mean of the kNN similarities B (eq:KNN_hypergraph_similarity_matrix) over hyperedge sizes.

    Affinities are exp(−d²/(σ_i σ_j)) with the local scales. Each B is divided by its mean degree before they are added:
    a large hyperedge joins more pairs, and would drown the small ones.

    Where a sample stands for several, ``counts`` says for how many: its edges have the weight of all of theirs.
    """
    n = len(neighbors)
    counts = np.ones(n) if counts is None else counts
    scales = local_scales(neighbors)
    products = scales[:, None] * scales[neighbors.indices]
    # Between copies of a sample every scale is zero: they are alike, and unlike everything else.
    exponents = np.where(neighbors.distances > 0, np.inf, 0.0)
    np.divide(neighbors.distances**2, products, out=exponents, where=products > 0)
    members = np.column_stack([np.arange(n), neighbors.indices])
    affinities = np.column_stack([np.ones(n), np.exp(-exponents)])
    available = neighbors.indices.shape[1]
    sizes = [size for size in SIZES if size <= available] or [available]
    factors = []
    for size in sizes:
        factor = sp.diags_array(counts) @ knn_factor(members[:, : size + 1], affinities[:, : size + 1])
        degree = np.sum(factor.sum(axis=0) ** 2) / n
        factors.append(factor / np.sqrt(len(sizes) * degree))
    return Graph(Factored(sp.hstack(factors, format="csr")), scales)


def choose(candidates: Mapping[str, Candidate], n_clusters: int | None, seed: int) -> Choice:
    """Return the view whose clusters say most of their neighbours' (:class:`EdgeEnds`), and K if not given.

    What they say is compared with what a cloud without clusters would let them say: of few dimensions, any cloud can be
    cut at little cost. The first view is the one given; another must be better by a margin to take its place. Only the
    graph of the best one so far is kept.
    """
    information: dict[str, float] = {}
    best: Choice | None = None
    for view, candidate in candidates.items():
        graph = candidate.graph()
        if n_clusters is None:
            k, value = best_number(graph.similarity, seed)
        else:
            k, value = n_clusters, _information(graph, n_clusters, seed)
        needed = -np.inf
        if best is not None:
            needed = information[best.view] + (MARGIN if best.view == next(iter(candidates)) else 0)
        if candidate.cloud is not None:
            value = _above_chance(value, candidate.cloud, k, seed, needed)
        information[view] = value
        if value > needed:
            best = Choice(view, k, graph, information)
    assert best is not None
    return best


def gaussian_cloud(X: Array, rng: np.random.Generator) -> Array:
    """Return as many samples without clusters: normally distributed, with the covariance of those given.

    They are random combinations of them, taken by rank: the same in whatever order they come.
    """
    ranked = X[by_centrality(X)]
    centered = ((ranked - ranked.mean(axis=0)) / np.sqrt(len(X))).astype(np.float32)
    weights = rng.standard_normal((len(X), len(X)), dtype=np.float32)
    return np.concatenate(map_row_blocks(lambda rows: weights[rows] @ centered, len(X)))


def _above_chance(
    value: float, cloud: Callable[[np.random.Generator], Graph], k: int, seed: int, needed: float
) -> float:
    """Return (J − J₀) / (1 − J₀) with J₀ the information in a cloud, the most of several.

    It falls with each cloud. Once it is no more than what is needed, the others need not be made.
    """
    rng = np.random.default_rng(seed)
    chance = 0.0
    for _ in range(CLOUDS):
        chance = max(chance, _information(cloud(rng), k, seed))
        above = (value - chance) / max(1 - chance, SMALLEST_DIFFERENCE)
        if above <= needed:
            break
    return above


def _information(graph: Graph, k: int, seed: int) -> float:
    return _Search(graph.similarity, seed).provide(k).ends(k).information


def best_number(similarity: Similarity, seed: int) -> tuple[int, float]:
    """Return the number of clusters at which neighbours say most of each other, and how much they say.

    There are at least as many as there are separate parts: to join some of them costs nothing, and makes clusters more
    equal in size. More clusters are tried as long as the best number is in the upper half of those tried, or the
    graph is known to consist of at least as many nearly separate parts.
    """
    most = max(2, min(MAX_CLUSTERS, similarity.n // 4))
    limit = min(FIRST_LIMIT, most)
    search = _Search(similarity, seed)
    while True:
        search.provide(limit)
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

    def provide(self, k: int) -> "_Search":
        """Compute the eigenvectors for partitions into at most k."""
        operator = Normalized(self.similarity)
        start = self._vectors if self._vectors.size else None
        rng = np.random.default_rng(self.seed)
        # Completeness matters here too: of many separate parts, none may be missing.
        found = top_eigenpairs(operator, k, rng, start=start, tol=SEARCH_TOLERANCE)
        self._vectors, self.values = found.vectors, found.values
        self._rows = operator.scale[:, None] * self._vectors
        return self

    def ends(self, k: int) -> EdgeEnds:
        """Return what the edges tell of a partition into k."""
        if k not in self._known:
            rng = np.random.default_rng([self.seed, k])
            labels = discretize(unit_rows(self._rows[:, :k]), rng, n_starts=SEARCH_STARTS).labels
            self._known[k] = edge_ends(self.similarity, labels)
        return self._known[k]

    def best(self, numbers: Iterable[int]) -> int:
        """Return the number of the partition that is worth most, of those that join no separate parts."""
        numbers = sorted(numbers)
        parts = max((k for k in numbers if self.separates(k)), default=0)
        return max((k for k in numbers if k >= parts), key=lambda k: self.ends(k).information)

    def separates(self, k: int) -> bool:
        """Whether the graph consists of k parts: hardly an edge leads from one to another, and they hold together.

        A curve of many samples can be cut anywhere at next to no cost, but so can its pieces. How fast a walk goes from
        one part to another is 1 − λ_K, and how fast it spreads within one is 1 − λ_{K+1}.
        """
        if k >= len(self.values) or not self.ends(k).separate:
            return False
        between, within = np.maximum(0, 1 - self.values[k - 1 : k + 1])
        return bool(within > COHERENT * between)
