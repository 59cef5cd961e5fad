"""The choice of the view and of the number of clusters by information, without labels."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from hypercut.algorithms.ak_nc.graph import Graph
from hypercut.algorithms.ak_nc.parts import gaps, separate_parts
from hypercut.core.discretize import discretize
from hypercut.core.eigen import Spectrum
from hypercut.core.information import edge_ends, information_with_error
from hypercut.core.normalized_cut import unit_rows
from hypercut.core.samples import Array, IntArray

# Number of standard errors of the information that count as a difference. Another view must exceed the features as
# given by that much. Numbers of clusters whose information differs by less are equally good; the largest is taken,
# since clusters can be joined later.
ERRORS = 2.0
# The most Gaussian null samples with which a view is compared: one leaves the choice to chance, more take time.
NULL_SAMPLES = 3
# Two suffice if they differ by at most this share of 1 − J₀, which changes the information above chance little.
AGREEMENT = 0.02
# A smaller difference from the largest possible information is negligible.
SMALLEST_DIFFERENCE = 1e-3

# Principal components with a smaller standard deviation, relative to the first, are rounding.
ROUNDING = 1e-6

# The search for K tries every number up to here, then steps of a tenth.
EVERY_NUMBER = 12
# Eigenvectors that the search starts with, and their largest number.
FIRST_LIMIT = 16
MAX_CLUSTERS = 128
# Starts and tolerance: rough partitions and eigenvectors suffice to compare views and numbers of clusters.
SEARCH_STARTS = 2
SEARCH_TOLERANCE = 1e-3


@dataclass(frozen=True)
class Candidate:
    """A view that may be chosen: functions that compute its graph and the graph of a Gaussian null sample.

    If only distances are known, there is no null sample.
    """

    graph: Callable[[], Graph]
    null_graph: Callable[[np.random.Generator], Graph] | None = None


@dataclass(frozen=True)
class Profile:
    """The evidence for numbers of clusters in one view: ``information`` of each K tried, and ``gaps`` for K = 2, 3, …

    ``parts`` is the number of separate parts, 1 if there are none.
    """

    information: dict[int, float]
    gaps: dict[int, float]
    parts: int

    def arrays(self) -> dict[str, Array]:
        """Return the evidence as columns of equal length, one row for each K tried."""
        numbers = sorted(self.information)
        return {
            "n_clusters": np.array(numbers),
            "information": np.array([self.information[k] for k in numbers]),
            "gap": np.array([self.gaps.get(k, np.nan) for k in numbers]),
        }

    def finest(self, within: float) -> int:
        """Return the largest K with information ``within`` of the largest."""
        return max(k for k, value in self.information.items() if value >= max(self.information.values()) - within)


@dataclass(frozen=True)
class Choice:
    """The chosen view, its graph, parts and number of clusters; ``information`` has the information_ of each view."""

    view: str
    n_clusters: int
    graph: Graph
    parts: IntArray
    information: dict[str, float]
    profile: Profile | None


def choose(candidates: Mapping[str, Candidate], n_clusters: int | None, seed: int) -> Choice:
    """Return the view that maximises I(c; c′)/log K above chance, and K if it is not given.

    K is the number of separate parts if there are several, otherwise the largest number whose information is within
    ``ERRORS`` standard errors of the maximum. Features as given, the first view, are taken if they have separate parts;
    otherwise another view must exceed them by ``ERRORS`` standard errors. Chance is the information in a Gaussian null
    sample: in few dimensions, any sample can be cut at little cost. Only the graph of the best view so far is kept.
    """
    information: dict[str, float] = {}
    best: Choice | None = None
    needed = -np.inf
    for view, candidate in candidates.items():
        graph = candidate.graph()
        parts = separate_parts(graph, seed, n_clusters)
        found = _evaluate(graph, parts, n_clusters, seed)
        k = found.n_clusters
        separate = parts.any() and k == parts.max() + 1
        information[view] = above = found.information
        if candidate.null_graph is not None and above > needed and not (best is None and separate):
            information[view] = above = _above_chance(above, candidate.null_graph, k, seed, needed)
        if above > needed:
            if found.profile is not None and not separate:
                k = found.profile.finest(ERRORS * found.error)
            first, best = best is None, Choice(view, k, graph, parts, information, found.profile)
            if separate and first:
                break
            needed = above + (ERRORS * found.error_above(above) if first else 0)
    assert best is not None
    return best


@dataclass(frozen=True)
class Evaluation:
    """K, its information with the standard error, and the profile if K is not given."""

    n_clusters: int
    information: float
    error: float
    profile: Profile | None = None

    def error_above(self, above: float) -> float:
        """Return the standard error of the information above chance (J − J₀) / (1 − J₀), if that is ``above``."""
        return self.error * (1 - above) / max(1 - self.information, SMALLEST_DIFFERENCE)


def _evaluate(graph: Graph, parts: IntArray, n_clusters: int | None, seed: int) -> Evaluation:
    """Return the information of the given or the best K."""
    n_parts = int(parts.max()) + 1
    search = Search(graph.spectrum, seed)
    if n_clusters is not None:
        if n_parts != n_clusters:
            search.compute_eigenvectors(n_clusters)
            parts = search.labels(n_clusters)
        return Evaluation(n_clusters, *information_with_error(graph.similarity, parts))
    k = search.best(extend=n_parts == 1)
    labels = parts if n_parts > 1 else search.labels(k)
    ratios = gaps(search.values)
    profile = Profile(
        {number: float(value) for number, value in sorted(search.known.items())},
        {i + 2: float(ratio) for i, ratio in enumerate(ratios[1:])},
        n_parts,
    )
    return Evaluation(n_parts if n_parts > 1 else k, *information_with_error(graph.similarity, labels), profile)


def principal_deviations(X: Array) -> Array:
    """Return the standard deviations of the principal components of X, without components that are rounding."""
    centered = X - X.mean(axis=0, dtype=np.float64)
    products = centered.T @ centered if X.shape[1] <= len(X) else centered @ centered.T
    deviations = np.sqrt(np.maximum(np.linalg.eigvalsh(products)[::-1], 0) / len(X))
    return deviations[deviations > ROUNDING * deviations[0]]


def gaussian_null(deviations: Array, n: int, rng: np.random.Generator) -> Array:
    """Return n normally distributed samples with the given deviations of their principal components.

    They have the same covariance as the data but no clusters. In the axes of the principal components, they depend
    neither on the order of the rows nor on the axes of the data.
    """
    return rng.standard_normal((n, len(deviations))) * deviations


def _above_chance(
    value: float, null_graph: Callable[[np.random.Generator], Graph], k: int, seed: int, needed: float
) -> float:
    """Return (J − J₀) / (1 − J₀) with J₀ the largest information over ``NULL_SAMPLES`` Gaussian null samples.

    It falls with each null sample: once it is at most ``needed``, the view has lost and no further sample is drawn.
    """
    rng = np.random.default_rng(seed)
    found: list[float] = []
    above = value
    while len(found) < NULL_SAMPLES:
        found.append(_information(null_graph(rng), k, seed))
        above = (value - max(found)) / max(1 - max(found), SMALLEST_DIFFERENCE)
        if above <= needed or (len(found) > 1 and max(found) - min(found) <= AGREEMENT * (1 - max(found))):
            break
    return above


def _information(graph: Graph, k: int, seed: int) -> float:
    search = Search(graph.spectrum, seed)
    search.compute_eigenvectors(k, rough=True)
    return search.information(k)


def _numbers(limit: int) -> list[int]:
    numbers = list(range(2, min(EVERY_NUMBER, limit) + 1))
    while numbers[-1] * 1.1 + 1 <= limit:
        numbers.append(int(np.ceil(1.1 * numbers[-1])))
    return numbers


class Search:
    """Partitions of one graph into various numbers of clusters, from the same eigenvectors."""

    def __init__(self, spectrum: Spectrum, seed: int) -> None:
        self.spectrum = spectrum
        self.similarity = spectrum.operator.similarity
        self.seed = seed
        self.values = np.empty(0)
        self._rows = np.empty((self.similarity.n, 0))
        self.known: dict[int, float] = {}

    def compute_eigenvectors(self, k: int, *, rough: bool = False) -> None:
        """Compute the eigenvectors for partitions into at most k."""
        rng = np.random.default_rng(self.seed)
        # None of many separate parts may be missing, except in null samples, so completeness is checked even here.
        found = self.spectrum.rough(k, rng) if rough else self.spectrum.leading(k, rng, tol=SEARCH_TOLERANCE)
        self.values = found.values
        self._rows = self.spectrum.operator.scale[:, None] * found.vectors

    def information(self, k: int) -> float:
        """Return I(c; c′)/log K for a partition into k."""
        if k not in self.known:
            self.known[k] = edge_ends(self.similarity, self.labels(k)).information
        return self.known[k]

    def labels(self, k: int) -> IntArray:
        """Return a partition into at most k."""
        rng = np.random.default_rng([self.seed, k])
        return discretize(unit_rows(self._rows[:, :k]), rng, n_starts=SEARCH_STARTS).labels

    def best(self, *, extend: bool = True) -> int:
        """Return the k with the largest information.

        With ``extend``, the search extends to more clusters while the best k is in the upper half of those tried.
        """
        most = max(2, min(MAX_CLUSTERS, self.similarity.n // 4))
        limit = min(FIRST_LIMIT, most)
        while True:
            self.compute_eigenvectors(limit)
            tried = set(_numbers(limit))
            best = max(sorted(tried), key=self.information)
            if limit == most or not extend or 2 * best <= limit:
                break
            limit = min(2 * limit, most)
        below = max((k for k in tried if k < best), default=best)
        above = min((k for k in tried if k > best), default=best)
        return max(sorted(tried | set(range(below + 1, above))), key=self.information)
