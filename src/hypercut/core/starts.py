"""Random choices that do not depend on how the samples are ordered."""

import numpy as np

from hypercut.core.samples import Array, IntArray, rounded


def random_rows(rows: Array, n_starts: int, rng: np.random.Generator) -> IntArray:
    """Draw rows at random, the same ones however the rows are ordered and the space is rotated.

    The draw is made among ranks of xᵀ(Σ_j x_j x_jᵀ)x, which belong to the samples and not to their positions; so a
    clustering with a given seed is the same for any order of the samples. Zero rows say nothing and are not drawn; rows
    drawn twice count once.
    """
    moments = np.einsum("ij,jk,ik->i", rows, rows.T @ rows, rows)
    candidates = np.argsort(moments, kind="stable")[np.count_nonzero(moments == 0) :]
    if len(candidates) == 0:
        return np.zeros(1, dtype=np.intp)
    return np.unique(candidates[rng.integers(len(candidates), size=n_starts)])


def by_centrality(X: Array) -> IntArray:
    """Return the rows in the order of their distances from the mean, which no shift, rotation or reordering changes."""
    return np.argsort(rounded(np.sum((X - X.mean(axis=0)) ** 2, axis=1)), kind="stable")
