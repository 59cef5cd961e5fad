"""Exact nearest neighbours in blocks of rows, without an N×N matrix."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from hypercut.core.blocks import map_row_blocks
from hypercut.core.samples import Array, IntArray, rounded

# Products of a block of rows with all samples take this many bytes at once, in each thread.
BLOCK_BYTES = 48 * 2**20

# More candidates than neighbours are examined, since the products that find them are rounded.
SPARE = 8

# The local scale of a sample is its distance to this neighbour (Zelnik-Manor and Perona, 2005).
SCALE_NEIGHBOR = 7


@dataclass(frozen=True)
class Neighbors:
    """The nearest other samples of each sample, nearest first."""

    indices: IntArray
    distances: Array


def nearest_neighbors(X: Array, k: int) -> Neighbors:
    """Return the k nearest other rows of each row (all others if there are fewer), ties by index.

    Candidates are found by products in single precision; their distances are then computed from the differences, so
    that copies of a sample are at distance zero. Where rounding may have hidden a nearer row, double precision is used.
    """
    search = ExactSearch(X, k)
    size = max(16, BLOCK_BYTES // (len(X) * np.dtype(np.float32).itemsize))
    parts = map_row_blocks(lambda rows: search.find(np.arange(rows.start, rows.stop)), len(X), size)
    return Neighbors(np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))


class ExactSearch:
    """Search for the k nearest other rows of some rows of X, by products."""

    def __init__(self, X: Array, k: int) -> None:
        n, features = X.shape
        self.k = min(k, n - 1)
        self._candidates = min(self.k + SPARE, n - 1)
        self._mean = X.mean(axis=0, dtype=np.float64)
        # Differences of features in single precision are exact in double, and need no copy of them.
        self._compared = X if X.dtype == np.float32 else X - self._mean
        self._single = np.empty(X.shape, dtype=np.float32)
        np.subtract(X, self._mean, out=self._single, casting="same_kind")
        self._norms = np.einsum("ij,ij->i", self._single, self._single)
        # Entries, their products and the sums of these are rounded: an upper bound relative to |x||y|.
        self._rounding = (features + 4) * float(np.finfo(np.float32).eps)

    def find(self, rows: IntArray) -> tuple[IntArray, Array]:
        """Return the neighbours of some rows and their distances."""
        rounding = self._rounding
        block = (-2 * self._single[rows]) @ self._single.T
        # Lower bounds of the squared distances, but for |x|² of the row: the error is at most ε(|x|² + 2|y|²).
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
        """Return the nearest by exact distances among the candidates, and the largest entry of the candidates."""
        block[np.arange(len(rows)), rows] = np.inf
        candidates = np.sort(_smallest(block, self._candidates), axis=1)
        farthest = np.take_along_axis(block, candidates, axis=1).max(axis=1).astype(np.float64)
        return _nearest_of(self._compared, rows, candidates, self.k), farthest


def squared_distances(X: Array) -> Callable[[IntArray], Array]:
    """Return a function that returns the squared distances of some rows to all, up to rounding."""

    @cache
    def terms() -> tuple[Array, Array]:
        centered = X - X.mean(axis=0)
        return centered, np.einsum("ij,ij->i", centered, centered)

    def squared(rows: IntArray) -> Array:
        centered, norms = terms()
        return norms[rows, None] - 2 * (centered[rows] @ centered.T) + norms

    return squared


def _smallest(block: Array, count: int) -> IntArray:
    """Return the columns of the ``count`` smallest entries of each row, in no order.

    The count-th smallest of the minima of groups is an upper bound of the count-th smallest entry, and few entries are
    below it. Rows where many are, because of ties, are searched entry by entry.
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
    """Return the k nearest candidates of the rows ``own``, by exact distances."""
    squared = np.empty(candidates.shape)
    samples = X[own].astype(np.float64)
    for column in range(candidates.shape[1]):  # one at a time: all differences at once would take too much memory
        difference = samples - X[candidates[:, column]]
        squared[:, column] = np.einsum("ij,ij->i", difference, difference)
    squared = rounded(squared)
    order = np.argsort(squared, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(candidates, order, axis=1), np.sqrt(np.take_along_axis(squared, order, axis=1))
