"""Exact nearest neighbours in blocks of rows, without an N×N matrix."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hypercut.core.blocks import map_row_blocks
from hypercut.core.memory import DOUBLE_PRECISION_SAMPLES
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

    Candidates are found by products, in single precision for many samples; their distances are then computed from the
    differences, so that copies of a sample are at distance zero.
    """
    n = len(X)
    k = min(k, n - 1)
    candidates = min(k + SPARE, n - 1)
    mean = X.mean(axis=0, dtype=np.float64)
    searched = np.empty(X.shape, dtype=np.float64 if n <= DOUBLE_PRECISION_SAMPLES else np.float32)
    np.subtract(X, mean, out=searched, casting="same_kind")
    # Differences of features in single precision are exact in double, and need no copy of them.
    compared = X if X.dtype == np.float32 else X - mean
    norms = np.einsum("ij,ij->i", searched, searched)

    def find(rows: slice) -> tuple[IntArray, Array]:
        block = (-2 * searched[rows]) @ searched.T
        block += norms
        own = np.arange(rows.start, rows.stop)
        block[own - rows.start, own] = np.inf
        return _nearest_of(compared, own, np.sort(_smallest(block, candidates), axis=1), k)

    size = max(16, BLOCK_BYTES // (n * searched.itemsize))
    parts = map_row_blocks(find, n, size)
    return Neighbors(np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))


def squared_distances(X: Array) -> Callable[[IntArray], Array]:
    """Return a function that returns the squared distances of some rows to all, up to rounding."""
    centered = X - X.mean(axis=0)
    norms = np.einsum("ij,ij->i", centered, centered)
    return lambda rows: norms[rows, None] - 2 * (centered[rows] @ centered.T) + norms


def _smallest(block: Array, count: int) -> IntArray:
    """Return the columns of the ``count`` smallest entries of each row, in no order.

    They can only be in the groups whose minimum is among the ``count`` smallest minima. One fast pass finds these
    groups, and few entries are left to search.
    """
    rows, n = block.shape
    size = int(np.sqrt(n / count))  # balances the number of groups and of entries in the chosen ones
    groups = n // size
    grouped = block[:, : size * groups].reshape(rows, size, groups)
    chosen = np.argpartition(grouped.min(axis=1), count - 1, axis=1)[:, :count]
    within = (chosen[:, :, None] + groups * np.arange(size)).reshape(rows, -1)
    rest = np.broadcast_to(np.arange(size * groups, n), (rows, n - size * groups))
    considered = np.concatenate([within, rest], axis=1)
    best = np.argpartition(np.take_along_axis(block, considered, axis=1), count - 1, axis=1)[:, :count]
    return np.take_along_axis(considered, best, axis=1)


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
    for column in range(candidates.shape[1]):  # one at a time: all differences at once would take too much memory
        difference = np.subtract(X[own], X[candidates[:, column]], dtype=np.float64)
        squared[:, column] = np.einsum("ij,ij->i", difference, difference)
    squared = rounded(squared)
    order = np.argsort(squared, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(candidates, order, axis=1), np.sqrt(np.take_along_axis(squared, order, axis=1))
