"""Distances between samples, computed once and shared by every σ and every algorithm."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from hypercut.core.blocks import map_row_blocks
from hypercut.core.copies import Distinct, distinct_by_distance
from hypercut.core.memory import DOUBLE_PRECISION_SAMPLES
from hypercut.errors import InputError

Array = NDArray[Any]
IntArray = NDArray[np.intp]

# d² = ‖x‖² + ‖y‖² − 2⟨x, y⟩ loses digits when x ≈ y. Below this fraction of ‖x‖² + ‖y‖², fewer than twelve digits are
# left, and d² is computed again from x − y, so that exact duplicates have distance zero.
CANCELLATION = 1e-4

# Squared distances in double precision are rounded to this many significant bits. The other bits are rounding errors,
# which would break ties (common in integer data) and make neighbours depend on the order or position of the samples.
SIGNIFICANT_BITS = 36

# Neighbours found in one search: more than most callers request, so that the distances are searched only once.
USUAL_NEIGHBORS = 16

# Precomputed distances below this fraction of the median are distances between copies: ‖x‖² + ‖y‖² − 2⟨x, y⟩ leaves
# about 10⁻⁸ ‖x‖ instead of zero.
COPY = 1e-7


class Samples:
    """N samples, known by their squared distances (N, N), symmetric with zero diagonal.

    The matrix is stored without copying. Its dtype is the precision of every N×N matrix derived from it. ``features``
    are the centred features, None if only distances are known.
    """

    def __init__(self, squared_distances: Array, features: Array | None = None) -> None:
        self.squared_distances = squared_distances
        self.features = features
        #: Labelings by k-means, which do not depend on σ; the key is the number of clusters and the seed.
        self.labelings: dict[tuple[int, int], IntArray] = {}
        self._nearest = np.empty((len(squared_distances), 0), dtype=np.intp)
        self._nearest_distinct: dict[int, IntArray] = {}

    @classmethod
    def from_features(cls, X: ArrayLike, *, dtype: DTypeLike | None = None) -> "Samples":
        """Return samples with the distances of the rows of ``X``.

        ``dtype`` is the precision in which the N×N matrices are stored: by default double up to 4096 samples, single
        beyond. Distances are always computed in double precision.
        """
        features = np.array(X, dtype=np.float64)
        features -= features.mean(axis=0)
        norms = np.einsum("ij,ij->i", features, features)
        n = len(features)
        # ‖x‖² + ‖y‖² − 2⟨x, y⟩ as one inner product, so that BLAS does it all.
        left = np.column_stack([-2 * features, norms, np.ones(n)])
        right = np.column_stack([features, np.ones(n), norms])
        squared = np.empty((n, n), dtype=dtype or _storage_dtype(n))

        def fill(rows: slice) -> None:
            # From the diagonal on, then mirrored: exactly symmetric and half the work.
            columns = slice(rows.start, n)
            block = left[rows] @ right[columns].T
            np.fill_diagonal(block, np.inf)
            suspects = block.min(axis=1) <= CANCELLATION * (norms[rows] + norms.max())
            for row in np.flatnonzero(suspects):
                close = np.flatnonzero(block[row] <= CANCELLATION * (norms[rows.start + row] + norms[columns]))
                difference = features[rows.start + row] - features[rows.start + close]
                block[row, close] = np.einsum("ij,ij->i", difference, difference)
            np.fill_diagonal(block, 0)
            block = rounded(block) if squared.dtype == np.float64 else block.astype(squared.dtype)
            squared[rows, columns] = block
            squared[columns, rows] = block.T

        map_row_blocks(fill, n)
        return cls(squared, features)

    @classmethod
    def from_distances(cls, distances: ArrayLike) -> "Samples":
        """Return samples with the given distances, see :func:`checked_distances`."""
        symmetric = checked_distances(distances)
        squared = np.empty(symmetric.shape, dtype=_storage_dtype(len(symmetric)))

        def fill(rows: slice) -> None:
            squared[rows] = rounded(symmetric[rows] ** 2)

        map_row_blocks(fill, len(symmetric))
        return cls(squared)

    def __len__(self) -> int:
        return len(self.squared_distances)

    @cached_property
    def mean_distance(self) -> float:
        """ρ, the mean of ‖z_i − z_j‖ over all pairs i ≠ j: the unit in which σ is given."""
        n = len(self)
        sums = map_row_blocks(lambda rows: float(np.sqrt(self.squared_distances[rows]).sum(dtype=np.float64)), n)
        return sum(sums) / (n * (n - 1))

    @cached_property
    def distinct(self) -> Distinct:
        """The distinct samples."""
        return distinct_by_distance(self.squared_distances)

    def nearest(self, k: int) -> IntArray:
        """Return the k nearest other samples of each, nearest first, ties by index: (N, min(k, N − 1))."""
        k = min(k, len(self) - 1)
        if self._nearest.shape[1] < k:
            found = min(max(k, USUAL_NEIGHBORS), len(self) - 1)
            self._nearest = _nearest_in_blocks(lambda rows: self.squared_distances[rows].copy(), len(self), found)
        return self._nearest[:, :k]

    def nearest_distinct(self, k: int) -> IntArray:
        """Return the k nearest others of each distinct sample among the distinct ones, as positions in that list."""
        if len(self.distinct) == len(self):
            return self.nearest(k)
        if k not in self._nearest_distinct:
            first = self.distinct.first
            self._nearest_distinct[k] = _nearest_in_blocks(
                lambda rows: self.squared_distances[first[rows]][:, first], len(first), min(k, len(first) - 1)
            )
        return self._nearest_distinct[k]

    def kernel(self, sigma: float, out: Array | None = None) -> Array:
        """Return A with a_ij = exp(−‖z_i − z_j‖² / 2σ²), Eq. (1), eq:pairwise_weight, in ``out`` if given."""
        squared = self.squared_distances
        exponent = squared.dtype.type(-0.5 / sigma**2)
        kernel = np.empty_like(squared) if out is None else out

        def fill(rows: slice) -> None:
            np.multiply(squared[rows], exponent, out=kernel[rows])
            np.exp(kernel[rows], out=kernel[rows])

        map_row_blocks(fill, len(self))
        return kernel


def _nearest_in_blocks(block_of: Callable[[slice], Array], n: int, k: int) -> IntArray:
    """Return the k nearest others of n samples, given a function that returns blocks of rows of their distances."""

    def nearest_of(rows: slice) -> IntArray:
        block = block_of(rows)
        own = np.arange(rows.start, rows.stop)
        block[own - rows.start, own] = np.inf
        bound = np.partition(block, k - 1, axis=1)[:, k - 1]
        nearest = np.empty((len(block), k), dtype=np.intp)
        for row, (distances, farthest) in enumerate(zip(block, bound, strict=True)):
            # argpartition would break ties at the bound arbitrarily: take every tied sample, then sort stably.
            candidates = np.flatnonzero(distances <= farthest)
            nearest[row] = candidates[np.argsort(distances[candidates], kind="stable")[:k]]
        return nearest

    return np.concatenate(map_row_blocks(nearest_of, n))


def _storage_dtype(n_samples: int) -> DTypeLike:
    return np.float64 if n_samples <= DOUBLE_PRECISION_SAMPLES else np.float32


def rounded(squared: Array) -> Array:
    """Return the values rounded to :data:`SIGNIFICANT_BITS`, by Veltkamp's splitting."""
    shifted = squared * (2.0 ** (53 - SIGNIFICANT_BITS) + 1)
    return shifted - (shifted - squared)


def checked_distances(distances: ArrayLike) -> Array:
    """Return the distances, made exactly symmetric and zero between copies.

    A matrix that is not square, symmetric, finite, ≥ 0 and zero on the diagonal raises InputError.
    """
    given = np.asarray(distances, dtype=np.float64)
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise InputError(f"Expected a square matrix of distances, found shape {given.shape}.")
    if not np.isfinite(given).all():
        raise InputError("Expected finite distances, found NaN or infinity.")
    if (given < 0).any():
        i, j = np.argwhere(given < 0)[0]
        raise InputError(f"Expected distances ≥ 0, found {given[i, j]} at ({i}, {j}).")
    if given.diagonal().any():
        i = int(np.flatnonzero(given.diagonal())[0])
        raise InputError(
            f"Expected a zero diagonal, found {given[i, i]} at ({i}, {i}). Are these similarities, not distances?"
        )
    atol = 1e-12 * given.max(initial=0)
    if not all(map_row_blocks(lambda rows: np.allclose(given[rows], given.T[rows], rtol=1e-6, atol=atol), len(given))):
        raise InputError("Expected a symmetric matrix of distances. Symmetrise it first, e.g. (D + D.T) / 2.")
    symmetric = given + given.T
    symmetric /= 2
    # The median of the rows' medians is as robust as that of all distances and needs no second matrix.
    median = np.median(np.concatenate(map_row_blocks(lambda rows: np.median(symmetric[rows], axis=1), len(symmetric))))
    symmetric[symmetric <= COPY * median] = 0
    return symmetric
