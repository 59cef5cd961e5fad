"""Clearly separate parts of a graph, and joining parts until a given number is left.

A random walk leaves one of K parts at about the rate 1 − λ_K and spreads within it at the rate 1 − λ_{K+1}. The ratio
of the two measures how separate the parts are. It is at most 4 for the pieces of a homogeneous curve and smaller for a
sheet or a cloud, so a larger ratio is evidence of parts of any shape, size and dimension. Parts are divided again in
the same way.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hypercut.algorithms._base import Clustering, status_of
from hypercut.algorithms.ak_nc.graph import FAR, Graph
from hypercut.core.components import connected_components
from hypercut.core.discretize import discretize
from hypercut.core.eigen import Spectrum
from hypercut.core.information import edge_ends
from hypercut.core.normalized_cut import normalized_cut_vectors, unit_rows
from hypercut.core.samples import Array, IntArray
from hypercut.core.similarity import Sparse

# The ratio of rates from which parts are separate: above the 4 of a curve that is cut in two.
GAP = 6.0
# Rates below those of the weakest bridge are not distinguished.
SLOWEST = np.exp(-FAR)
# A part smaller than this share of the mean size is a splinter: outliers, not a cluster.
SPLINTER = 0.1
# If there are more parts than clusters asked for, those smaller than this share of N/K are joined first.
SMALL = 0.25
# Eigenvectors computed in the search for parts: one more than the parts that it can find at once.
VECTORS = 16
# Fewer samples are not divided: twice the samples of the largest hyperedge.
INDIVISIBLE = 16
# The graph is cut into at most this many times K.
MORE = 1.5
# Links over far bridges only order parts that have no edge between them.
FAINT = 1e-12
# Tolerance and starts: rough eigenvectors and partitions suffice.
TOLERANCE = 1e-3
STARTS = 3


def separate_parts(graph: Graph, seed: int, n_clusters: int | None = None) -> IntArray:
    """Return the part of each sample; 0 everywhere if the graph has no separate parts.

    Splinters are joined to the part to which they have the strongest link. The eigenvectors that a partition into
    ``n_clusters`` needs are computed at the same time.
    """
    if n_clusters is not None:
        count = max(VECTORS, _most_cut(n_clusters, graph.similarity.n))
        graph.spectrum.leading(min(count, graph.similarity.n // 2) or 1, np.random.default_rng(seed), tol=TOLERANCE)
    labels = np.empty(graph.similarity.n, dtype=np.intp)
    for part, rows in enumerate(_divide(graph.spectrum, np.arange(graph.similarity.n), seed)):
        labels[rows] = part
    return without_splinters(Links.of(graph.similarity, labels, graph.bridges, graph.exponents)).labels[labels]


def without_splinters(links: "Links") -> "Links":
    """Return the links with each splinter joined to another part."""
    while links.n > 1 and links.shares.min() * links.n < SPLINTER:
        links = links.joined(int(links.shares.argmin()))
    return links


def joined_to(graph: Graph, labels: IntArray, k: int) -> IntArray:
    """Return the labels after parts have been joined until k are left: small parts first, then the closest pairs."""
    links = Links.of(graph.similarity, labels, graph.bridges, graph.exponents)
    while links.n > k:
        smallest = int(links.shares.argmin())
        strength = links.weights * (1 / links.shares[:, None] + 1 / links.shares)
        small = links.shares[smallest] * k < SMALL
        links = links.joined(smallest if small else int(strength.max(axis=1).argmax()))
    return links.labels[labels]


def partition(graph: Graph, parts: IntArray, k: int, rng: np.random.Generator) -> Clustering:
    """Return a clustering into k: separate parts if there are at least k, otherwise by the normalised cut.

    The graph is also cut into somewhat more than k clusters, which are then joined until k are left; the partition with
    the most information is taken. The normalised cut into k alone may split off a splinter, or divide a cluster where
    the next eigenvectors show no border.
    """
    if parts.max() + 1 >= k:
        labels = joined_to(graph, parts, k)
        components = 1 + np.count_nonzero(graph.exponents >= FAR)
        status = "degenerate" if components >= k else "ok"
        return Clustering(labels, np.eye(k)[labels], n_iter=1, status=status, solver={"path": "parts"})
    most = _most_cut(k, graph.similarity.n)
    found = normalized_cut_vectors(graph.spectrum, most, rng)
    best: tuple[float, Clustering] | None = None
    for cut in _numbers(k, most):
        rows = unit_rows(found.vectors[:, :cut])
        discrete = discretize(rows, rng, n_starts=STARTS)
        labels = joined_to(graph, np.unique(discrete.labels, return_inverse=True)[1], k)
        nats = edge_ends(graph.similarity, labels).nats
        if best is None or nats > best[0]:
            solver = {**found.eigenpairs.solver, "cut": cut}
            best = nats, Clustering(labels, found.vectors[:, :cut], discrete.n_iter, status_of(found), solver)
    assert best is not None
    return best[1]


def _most_cut(k: int, n: int) -> int:
    """Return the largest number of clusters into which n samples are cut if k are asked for."""
    return max(k, min(int(MORE * k), n // 2))


def _numbers(k: int, most: int) -> list[int]:
    """Return numbers from k to ``most``: every number up to 20, then in steps of a twentieth or more."""
    numbers = [k]
    while numbers[-1] < most:
        numbers.append(min(most, numbers[-1] + max(1, (numbers[-1] - k) // 4, numbers[-1] // 20)))
    return numbers


@dataclass(frozen=True)
class Links:
    """Parts: their shares of the weight and the weights between them; ``labels`` maps the original parts to these."""

    shares: Array
    weights: Array
    labels: IntArray

    @classmethod
    def of(cls, similarity: Sparse, labels: IntArray, bridges: IntArray, exponents: Array) -> "Links":
        """Return the links between the parts of a graph; far bridges have a faint weight."""
        ends = edge_ends(similarity, labels)
        weights = ends.joint.copy()
        far = exponents >= FAR
        one, other = labels[bridges[far]].T
        faint = FAINT / (FAR + np.minimum(exponents[far], 1 / FAINT))
        np.add.at(weights, (one, other), faint)
        np.add.at(weights, (other, one), faint)
        np.fill_diagonal(weights, -1)
        return cls(ends.share, weights, np.arange(len(weights)))

    @property
    def n(self) -> int:
        """The number of parts."""
        return len(self.shares)

    def joined(self, part: int) -> "Links":
        """Return the links after a part has been joined to the one with the strongest link, relative to its size."""
        return self._merged(part, int((self.weights[part] * (1 / self.shares[part] + 1 / self.shares)).argmax()))

    def _merged(self, part: int, into: int) -> "Links":
        weights, shares = self.weights.copy(), self.shares.copy()
        shares[into] += shares[part]
        weights[into] += weights[part]
        weights[:, into] += weights[:, part]
        weights[into, into] = -1
        kept = np.arange(self.n) != part
        position = np.cumsum(kept) - 1
        position[part] = position[into]
        return Links(shares[kept], weights[np.ix_(kept, kept)], position[self.labels])


def _divide(spectrum: Spectrum, rows: IntArray, seed: int) -> Iterator[IntArray]:
    """Yield the rows of each part."""
    similarity = spectrum.operator.similarity
    assert isinstance(similarity, Sparse)
    labels = connected_components(similarity)
    if not labels.any():
        labels = _cut_at_gap(spectrum, similarity, seed)
    if not labels.any():
        yield rows
        return
    for part in range(labels.max() + 1):
        members = np.flatnonzero(labels == part)
        if len(members) <= INDIVISIBLE:
            yield rows[members]
        else:
            yield from _divide(Spectrum(_within(similarity, members)), rows[members], seed)


def _within(similarity: Sparse, members: IntArray) -> Sparse:
    return Sparse(similarity.matrix[members][:, members], semidefinite=True)


def _cut_at_gap(spectrum: Spectrum, similarity: Sparse, seed: int) -> IntArray:
    """Return the partition of a connected graph with the largest ratio of rates; 0 everywhere if none reaches ``GAP``.

    If the solver has not converged, its rates are no evidence; the status of the cut reports that.
    """
    whole = np.zeros(similarity.n, dtype=np.intp)
    if similarity.n <= INDIVISIBLE:
        return whole
    rng = np.random.default_rng(seed)
    pairs = spectrum.leading(min(VECTORS, similarity.n // 2), rng, tol=TOLERANCE)
    ratios = gaps(pairs.values)
    by_ratio = np.argsort(-ratios, kind="stable") + 1
    for k in by_ratio[(ratios[by_ratio - 1] >= GAP) & (by_ratio > 1)] if pairs.converged else ():
        rows = unit_rows(spectrum.operator.scale[:, None] * pairs.vectors[:, :k])
        labels = np.unique(discretize(rows, rng, n_starts=STARTS).labels, return_inverse=True)[1]
        links = without_splinters(Links.of(similarity, labels, np.empty((0, 2), np.intp), np.empty(0)))
        if links.n > 1:
            return links.labels[labels]
    return whole


def gaps(values: Array) -> Array:
    """Return (1 − λ_{K+1}) / (1 − λ_K) for K = 1, 2, …"""
    rates = np.maximum(1 - values, SLOWEST)
    return rates[1:] / rates[:-1]
