"""Nearest neighbours in blocks of rows, without an N×N matrix.

The search is exact up to :data:`~hypercut.core.approximate.APPROXIMATE_SAMPLES` samples, with few features, or if the
library of the approximate search is not installed.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy.spatial import KDTree

from hypercut.core.approximate import APPROXIMATE_SAMPLES, Index, load_faiss
from hypercut.core.blocks import map_row_blocks
from hypercut.core.samples import Array, IntArray, rounded

_log = logging.getLogger(__name__)

# Products of a block of rows with all samples take this many bytes at once, in each thread.
BLOCK_BYTES = 48 * 2**20

# Candidates examined beyond the number of neighbours, since the products that find them are rounded.
SPARE = 8

# With few features and many samples, a tree is faster than products, which compare all pairs.
TREE_FEATURES = 8
TREE_SAMPLES = 10_000
# Rows that a thread searches in the tree at once.
TREE_ROWS = 4096

# Rows for which an approximate search finds candidates at once.
SEARCHED_ROWS = 2**16
# Rows whose distances from their candidates a thread computes at once.
RERANKED_ROWS = 2048
# Rows on which the recall is measured: its standard error is below half a percent.
RECALL_ROWS = 500

# The local scale of a sample is its distance to this neighbour (Zelnik-Manor and Perona, 2005).
SCALE_NEIGHBOR = 7


@dataclass(frozen=True)
class Neighbors:
    """The nearest other samples of each sample, nearest first.

    ``library`` names the library of an approximate search, ``recall`` the share of the true neighbours that it found.
    """

    indices: IntArray
    distances: Array
    library: str | None = None
    recall: float = 1.0


def nearest_neighbors(X: Array, k: int) -> Neighbors:
    """Return the k nearest other rows of each row (all others if there are fewer), ties by index.

    Candidates are found by products in single precision. Their distances are then computed from differences, so that
    copies of a sample have distance zero. Rows for which rounding may have hidden a nearer sample are searched again
    in double precision.
    """
    if len(X) > TREE_SAMPLES and X.shape[1] <= TREE_FEATURES:
        return _by_tree(X, k)
    if len(X) > APPROXIMATE_SAMPLES:
        faiss = load_faiss()
        if faiss is not None:
            return _approximate(X, k, Index(faiss, X))
        _log.warning(
            "Exact search for the neighbours of %d samples: time grows with their square. "
            "An approximate one needs faiss: pip install 'hypercut[approximate]'.",
            len(X),
        )
    search = ExactSearch(X, k)
    return Neighbors(*_joined(map_row_blocks(lambda rows: search.find(_range(rows)), len(X), search.block_rows)))


def _by_tree(X: Array, k: int) -> Neighbors:
    centered = X - X.mean(axis=0, dtype=np.float64)
    tree = KDTree(centered)

    def find(rows: slice) -> tuple[IntArray, Array]:
        candidates = np.sort(tree.query(centered[rows], k + SPARE)[1], axis=1)
        return _nearest_of(centered, _range(rows), candidates, k)

    return Neighbors(*_joined(map_row_blocks(find, len(X), TREE_ROWS)))


def _approximate(X: Array, k: int, index: Index) -> Neighbors:
    """Return the nearest among the candidates of an approximate search, with the recall on a sample of rows."""
    search = ExactSearch(X, k)

    def find(first: int) -> list[tuple[IntArray, Array]]:
        rows = np.arange(first, min(first + SEARCHED_ROWS, len(X)))
        candidates = index.candidates(slice(first, first + len(rows)))
        return map_row_blocks(lambda at: search.nearest_of(rows[at], candidates[at]), len(rows), RERANKED_ROWS)

    found = [part for first in range(0, len(X), SEARCHED_ROWS) for part in find(first)]
    indices, distances = _joined(found)
    sample = np.random.default_rng(0).choice(len(X), min(RECALL_ROWS, len(X)), replace=False)
    _, exact = _joined(map_row_blocks(lambda block: search.find(sample[block]), len(sample), search.block_rows))
    recall = float(np.mean(distances[sample] <= exact[:, -1:]))
    return Neighbors(indices, distances, index.library, recall)


def _range(rows: slice) -> IntArray:
    return np.arange(rows.start, rows.stop)


def _joined(parts: list[tuple[IntArray, Array]]) -> tuple[IntArray, Array]:
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


class ExactSearch:
    """Search for the k nearest other rows of some rows of X, by products."""

    def __init__(self, X: Array, k: int) -> None:
        n, features = X.shape
        self.k = min(k, n - 1)
        self._candidates = min(self.k + SPARE, n - 1)
        self._mean = X.mean(axis=0, dtype=np.float64)
        # Features in single precision need no centred copy: their differences are exact in double precision.
        self._compared = X if X.dtype == np.float32 else X - self._mean
        self._single = np.empty(X.shape, dtype=np.float32)
        np.subtract(X, self._mean, out=self._single, casting="same_kind")
        self._norms = np.einsum("ij,ij->i", self._single, self._single)
        # Entries, their products and the sums of these are rounded. Relative to |x||y|, the error is almost certainly
        # below this (Higham and Mary, 2019).
        self._rounding = (4 * features**0.5 + 4) * float(np.finfo(np.float32).eps)

    @property
    def block_rows(self) -> int:
        """Number of rows to search at once, such that their products and differences fit into a block."""
        return max(16, BLOCK_BYTES // max(self._norms.nbytes, 4 * 8 * len(self._mean)))

    def nearest_of(self, rows: IntArray, candidates: IntArray) -> tuple[IntArray, Array]:
        """Return the nearest candidates of some rows; rows with too few candidates are searched exactly."""
        found = _nearest_of(self._compared, rows, np.sort(candidates, axis=1), self.k)
        few = np.flatnonzero(np.isinf(found[1][:, -1]))
        if len(few):
            found[0][few], found[1][few] = self.find(rows[few])
        return found

    def find(self, rows: IntArray) -> tuple[IntArray, Array]:
        """Return the neighbours of some rows and their distances."""
        rounding = self._rounding
        block = (-2 * self._single[rows]) @ self._single.T
        # Lower bounds of |y|² − 2xᵀy, the squared distances less |x|²: the error is at most ε(|x|² + 2|y|²).
        block += (1 - 2 * rounding) * self._norms
        found, farthest = self._nearest(block, rows)
        own = self._norms[rows].astype(np.float64)
        doubtful = np.flatnonzero(found[1][:, -1] ** 2 >= farthest + (1 - 2 * rounding) * own)
        if self._candidates < len(self._norms) - 1 and len(doubtful):
            found[0][doubtful], found[1][doubtful] = self._find_in_double(rows[doubtful])
        return found

    def _find_in_double(self, rows: IntArray) -> tuple[IntArray, Array]:
        centered = self._double[0]
        return self._nearest(-2 * (centered[rows] @ centered.T) + self._double[1], rows)[0]

    @cached_property
    def _double(self) -> tuple[Array, Array]:
        centered = self._compared - self._mean if self._compared.dtype == np.float32 else self._compared
        return centered, np.einsum("ij,ij->i", centered, centered)

    def _nearest(self, block: Array, rows: IntArray) -> tuple[tuple[IntArray, Array], Array]:
        """Return the nearest candidates by exact distances, and the largest block entry among the candidates."""
        block[np.arange(len(rows)), rows] = np.inf
        candidates = np.sort(_smallest(block, self._candidates), axis=1)
        farthest = np.take_along_axis(block, candidates, axis=1).max(axis=1).astype(np.float64)
        return _nearest_of(self._compared, rows, candidates, self.k), farthest


def squared_distances(X: Array) -> Callable[[IntArray], Array]:
    """Return a function that computes the squared distances of some rows to all rows, up to rounding."""

    @cache
    def terms() -> tuple[Array, Array]:
        centered = X - X.mean(axis=0)
        return centered, np.einsum("ij,ij->i", centered, centered)

    def squared(rows: IntArray) -> Array:
        centered, norms = terms()
        return norms[rows, None] - 2 * (centered[rows] @ centered.T) + norms

    return squared


def _smallest(block: Array, count: int) -> IntArray:
    """Return the columns of the ``count`` smallest entries of each row, in arbitrary order.

    The entries of a row are divided into groups. The count-th smallest of the group minima is an upper bound of the
    count-th smallest entry, and few entries are below it. If ties leave many entries below it, the whole row is
    searched.
    """
    rows, n = block.shape
    size = int(np.sqrt(n / count))  # balances the number of groups and of entries in them
    groups = n // size
    minima = block[:, : size * groups].reshape(rows, size, groups).min(axis=1)
    bound = np.partition(minima, count - 1, axis=1)[:, count - 1 : count]
    row, column = np.divmod(np.flatnonzero(block <= bound), n)
    numbers = np.bincount(row, minlength=rows)
    considered = np.full((rows, 2 * count), -1, dtype=np.intp)
    position = np.arange(len(row)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    fits = position < 2 * count
    considered[row[fits], position[fits]] = column[fits]
    entries = np.where(considered >= 0, np.take_along_axis(block, considered, axis=1), np.inf)
    best = np.argpartition(entries, count - 1, axis=1)[:, :count]
    found = np.take_along_axis(considered, best, axis=1)
    tied = np.flatnonzero(numbers > 2 * count)
    found[tied] = np.argpartition(block[tied], count - 1, axis=1)[:, :count]
    return found


def neighbors_from_distances(distances: Array, k: int) -> Neighbors:
    """Return the k nearest other samples of each, given a matrix of distances."""
    n = len(distances)
    k = min(k, n - 1)
    masked = distances.astype(np.float64)
    np.fill_diagonal(masked, np.inf)
    indices = np.argsort(masked, axis=1, kind="stable")[:, :k]
    return Neighbors(indices, np.take_along_axis(masked, indices, axis=1))


def _nearest_of(X: Array, own: IntArray, candidates: IntArray, k: int) -> tuple[IntArray, Array]:
    """Return the k nearest candidates of the rows ``own`` by exact distances, ignoring these rows and −1."""
    squared = np.empty(candidates.shape)
    samples = X[own].astype(np.float64)
    for column in range(candidates.shape[1]):  # one at a time: all differences at once would take too much memory
        difference = samples - X[candidates[:, column]]
        squared[:, column] = np.einsum("ij,ij->i", difference, difference)
    squared = np.where((candidates < 0) | (candidates == own[:, None]), np.inf, rounded(squared))
    order = np.argsort(squared, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(candidates, order, axis=1), np.sqrt(np.take_along_axis(squared, order, axis=1))
