"""Diagnostics of a cut: the paper's criterion for the labels found and for the true classes, and where P has its mass.

The trace ratio requires PᵀP = I, which does not discount degrees. So its maximum may lie on the few vertices with the
lowest degrees, and the criterion then prefers clusters of single vertices to the true classes.
"""

import numpy as np
from numpy.typing import ArrayLike

from hypercut.core.samples import Array
from hypercut.core.similarity import CONNECTED_SHARE, Similarity

#: The share of all vertices that count as vertices of low degree.
LOW_DEGREE_SHARE = 0.05


def diagnostics(similarity: Similarity, vectors: Array, labels: ArrayLike, truth: ArrayLike) -> dict[str, float]:
    """Return the diagnostics of a cut of S, from its vectors and labels.

    trace_ratio
        tr(PᵀSP) / tr(PᵀQP), Eq. (19), eq:GraphOptimization5, without its factor 1/K. P is an orthonormal basis of the
        vectors.
    criterion, criterion_truth
        g(X) = (1/K) Σ_n X_nᵀSX_n / X_nᵀQX_n, Eq. (14), eq:GraphOptimization, for the labels and for the true classes;
        infinite if a cluster has no edges to the others.
    low_degree_mass
        The share of Σ p_in² on the 5 % of vertices with the lowest degrees.
    """
    parts = [np.linalg.qr(vectors)[0], _indicators(labels), _indicators(truth)]
    columns = np.hstack(parts)  # one product with S for all
    bounds = np.cumsum([part.shape[1] for part in parts])[:-1]
    within = np.split(np.sum(columns * similarity.apply(columns), axis=0), bounds)
    degrees = np.split(similarity.degrees @ columns**2, bounds)
    lowest = np.argsort(similarity.degrees, kind="stable")[: max(1, round(LOW_DEGREE_SHARE * similarity.n))]
    return {
        "trace_ratio": float(_ratio(within[0].sum(), degrees[0].sum())),
        "criterion": float(_ratio(within[1], degrees[1]).mean()),
        "criterion_truth": float(_ratio(within[2], degrees[2]).mean()),
        "low_degree_mass": float(np.sum(parts[0][lowest] ** 2) / parts[0].shape[1]),
    }


def _indicators(labels: ArrayLike) -> Array:
    """Return X: a column for each cluster, 1 at its members."""
    return np.equal.outer(np.asarray(labels), np.unique(labels)).astype(np.float64)


def _ratio(within: Array, degree: Array) -> Array:
    """Return xᵀSx / xᵀQx from xᵀSx and xᵀDx; infinity where xᵀQx is zero up to rounding."""
    between = degree - within
    connected = between > CONNECTED_SHARE * degree
    return np.divide(within, between, out=np.full(np.shape(within), np.inf), where=connected)
