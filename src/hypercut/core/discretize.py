"""Yu–Shi discretisation: the partition nearest to a set of rotated eigenvectors."""

from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from hypercut.core.blocks import map_row_blocks, parallel_map
from hypercut.core.samples import Array, IntArray
from hypercut.core.starts import random_rows, spread_rows

N_STARTS = 10
MAX_ITERATIONS = 200
# Rows on which starts are compared: hundreds per cluster.
TRIED_ROWS = 20_000
# Rows that are rotated and summed at once.
BLOCK_ROWS = 2**16
TOLERANCE = 1e-10


@dataclass(frozen=True)
class Discretization:
    """A partition X and the rotation R that brings the eigenvectors closest to it.

    ``objective`` is tr Ω, the sum of the singular values of XᵀX̃; its largest possible value is N.
    """

    labels: IntArray
    rotation: Array
    objective: float
    n_iter: int


def discretize(rows: Array, rng: np.random.Generator, *, n_starts: int = N_STARTS) -> Discretization:
    """Return the partition matrix X and the rotation R that minimise ‖X − X̃R‖ for unit rows X̃ (Yu & Shi, steps 4–8).

    Two steps alternate: X has a one at the largest entry of each row of X̃R; R = ŨUᵀ with the singular value
    decomposition XᵀX̃ = UΩŨᵀ. The start with the largest tr Ω is kept. The result does not depend on the basis of X̃.
    With many rows, starts are compared on a part of the rows, and only the best is refined on all of them.
    """
    tried = rows if len(rows) <= TRIED_ROWS else rows[spread_rows(rows, TRIED_ROWS)]
    starts = random_rows(tried, n_starts, rng)
    refined = parallel_map(lambda first: _refine(tried, _orthogonal_rows(tried, first)), starts)
    best = max(refined, key=lambda found: found.objective)
    return best if tried is rows else _refine(rows, best.rotation)


def _orthogonal_rows(rows: Array, first: int) -> Array:
    """Return the start R, whose columns are rows of X̃: ``first``, then in turn the row most orthogonal to them."""
    k = rows.shape[1]
    rotation = np.empty((k, k))
    rotation[:, 0] = rows[first]
    overlap = np.where(rows.any(axis=1), 0.0, np.inf)  # a zero row has no direction
    for column in range(1, k):
        overlap += np.abs(rows @ rotation[:, column - 1])
        rotation[:, column] = rows[np.argmin(overlap)]
    return rotation


def _refine(rows: Array, rotation: Array) -> Discretization:
    objective, n_iter = 0.0, 0
    labels = np.full(len(rows), -1)
    while n_iter < MAX_ITERATIONS:
        n_iter += 1
        before, labels = labels, _nearest(rows, rotation)
        if np.array_equal(labels, before):
            break
        sums = _sums(rows, labels)
        reseeded = _reseed(sums, rows)
        left, singular, right = _svd(reseeded)
        rotation = right.T @ left.T
        if reseeded is not sums:
            singular = np.linalg.svd(sums, compute_uv=False)
        previous, objective = objective, float(singular.sum())
        if abs(objective - previous) <= TOLERANCE * objective:
            break
    return Discretization(labels, rotation, objective, n_iter)


def _nearest(rows: Array, rotation: Array) -> IntArray:
    """Return the partition X: for each row of X̃R its largest entry."""
    return np.concatenate(
        map_row_blocks(lambda block: np.argmax(rows[block] @ rotation, axis=1), len(rows), BLOCK_ROWS)
    )


def _sums(rows: Array, labels: IntArray) -> Array:
    """Return XᵀX̃, the sum of the rows of each cluster."""
    k = rows.shape[1]

    def sums(block: slice) -> Array:
        own = labels[block]
        partition = sp.csr_array((np.ones(len(own)), own, np.arange(len(own) + 1)), shape=(len(own), k))
        return partition.T @ rows[block]

    return np.sum(map_row_blocks(sums, len(rows), BLOCK_ROWS), axis=0)


def _svd(matrix: Array) -> tuple[Array, Array, Array]:
    """Return U, Ω and Ũᵀ; where LAPACK's fast driver fails on a singular matrix, the slower one is used."""
    try:
        return np.linalg.svd(matrix)
    except np.linalg.LinAlgError:
        return scipy.linalg.svd(matrix, lapack_driver="gesvd")


def _reseed(sums: Array, rows: Array) -> Array:
    """Return XᵀX̃ in which each empty cluster gets the row most orthogonal to the others, as in the start.

    Otherwise the singular vectors of the singular value zero, and with them R, would depend on rounding.
    """
    lengths = np.linalg.norm(sums, axis=1)
    empty = np.flatnonzero(lengths == 0)
    if len(empty) == 0:
        return sums
    reseeded = sums.copy()
    overlap = np.where(rows.any(axis=1), 0.0, np.inf)
    overlap += np.abs(rows @ (sums[lengths > 0] / lengths[lengths > 0, None]).T).sum(axis=1)
    for cluster in empty:
        reseeded[cluster] = rows[np.argmin(overlap)]
        overlap += np.abs(rows @ reseeded[cluster])
    return reseeded
