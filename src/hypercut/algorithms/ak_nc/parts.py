"""Parts of a graph that are clearly separate, and joining parts to a given number.

A random walk leaves one of K parts at about the rate 1 − λ_K and spreads within it at the rate 1 − λ_{K+1}. The ratio
of the two says how separate the parts are. Pieces of a homogeneous curve have at most 4, those of a sheet or a cloud
less, so a larger ratio is evidence of parts whatever their shapes, sizes and dimension. Parts may have parts: the
question is asked again inside each.
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
# A part smaller than this, relative to equal ones, is a splinter: outliers, not a cluster.
SPLINTER = 0.1
# If fewer clusters are asked for than there are parts, those smaller than this are given up first.
SMALL = 0.25
# Parts that are looked for at once, plus one.
VECTORS = 16
# Fewer samples are not divided: twice the samples of the largest hyperedge.
INDIVISIBLE = 16
# The graph is cut into up to this many times the clusters that are asked for.
MORE = 1.5
# Links over far bridges only order parts that have no edge between them.
FAINT = 1e-12
# Rough eigenvectors and partitions suffice.
TOLERANCE = 1e-3
STARTS = 3


def separate_parts(graph: Graph, seed: int, n_clusters: int | None = None) -> IntArray:
    """Return the part of each sample: 0 everywhere if the graph does not fall into separate parts.

    Splinters belong to the part that they have the strongest link to. The eigenvectors that a partition into
    ``n_clusters`` will need are computed at the same time.
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
    """Return the labels with parts joined until there are k: small ones first, then those with the strongest link."""
    links = Links.of(graph.similarity, labels, graph.bridges, graph.exponents)
    while links.n > k:
        smallest = int(links.shares.argmin())
        strength = links.weights * (1 / links.shares[:, None] + 1 / links.shares)
        small = links.shares[smallest] * k < SMALL
        links = links.joined(smallest if small else int(strength.max(axis=1).argmax()))
    return links.labels[labels]


def partition(graph: Graph, parts: IntArray, k: int, rng: np.random.Generator) -> Clustering:
    """Return a clustering into k: separate parts if there are at least k, otherwise by the normalised cut.

    The graph is also cut into somewhat more than k, whose parts are joined to k again; the partition with the most
    information is taken. The normalised cut into k alone may split off a splinter, or divide a cluster at a place that
    the next eigenvectors show to be none.
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
    """Return the largest number of clusters that n samples are cut into if k are asked for."""
    return max(k, min(int(MORE * k), n // 2))


def _numbers(k: int, most: int) -> list[int]:
    """Return k, ``most`` and numbers between: every one up to 20, then in steps of a twentieth and more."""
    numbers = [k]
    while numbers[-1] < most:
        numbers.append(min(most, numbers[-1] + max(1, (numbers[-1] - k) // 4, numbers[-1] // 20)))
    return numbers


@dataclass(frozen=True)
class Links:
    """Parts with their shares of the weight and the weights between them; ``labels`` maps the first parts to these."""

    shares: Array
    weights: Array
    labels: IntArray

    @classmethod
    def of(cls, similarity: Sparse, labels: IntArray, bridges: IntArray, exponents: Array) -> "Links":
        """Return the links between the parts of a graph. Far bridges count a little."""
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
        """Return the links after a part has been joined to the one that it has the strongest link to, for its size."""
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

    Rates of a solver that has not converged are no evidence; the status of the cut reports that.
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
