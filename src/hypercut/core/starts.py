"""Random choices that do not depend on the order of the samples."""

import numpy as np

from hypercut.core.blocks import map_row_blocks
from hypercut.core.samples import Array, IntArray, rounded


def random_rows(rows: Array, n_starts: int, rng: np.random.Generator) -> IntArray:
    """Return indices of random rows, the same rows for any order of the rows and any rotation of the space.

    Rows are drawn by their rank in the moments xᵀ(Σ_j x_j x_jᵀ)x, which depend on neither. Zero rows are never drawn,
    unless all rows are zero. Rows drawn twice count once.
    """
    moments = _moments(rows)
    candidates = np.argsort(moments, kind="stable")[np.count_nonzero(moments == 0) :]
    if len(candidates) == 0:
        return np.zeros(1, dtype=np.intp)
    return np.unique(candidates[rng.integers(len(candidates), size=n_starts)])


def spread_rows(rows: Array, count: int) -> IntArray:
    """Return sorted indices of at most ``count`` rows, evenly spread over the ranks of :func:`random_rows`."""
    return np.sort(np.argsort(_moments(rows), kind="stable")[:: -(-len(rows) // count)])


def _moments(rows: Array) -> Array:
    return np.einsum("ij,jk,ik->i", rows, rows.T @ rows, rows)


def by_centrality(X: Array) -> IntArray:
    """Return the order of the rows by distance from the mean, which depends on neither position nor rotation."""
    center = X.mean(axis=0, dtype=np.float64)
    squared = map_row_blocks(lambda rows: np.sum((X[rows] - center) ** 2, axis=1), len(X))
    return np.argsort(rounded(np.concatenate(squared)), kind="stable")
