"""Why a cut is as it is: the paper's criterion for the labels found and for the true classes, and where P has its mass.

The trace ratio requires PᵀP = I, which does not discount degrees: its maximum may lie on the few vertices that have the
lowest ones, and then prefers clusters of single vertices to the true classes.
"""

import numpy as np
from numpy.typing import ArrayLike

from hypercut.core.samples import Array
from hypercut.core.similarity import CONNECTED_SHARE, Similarity

#: The share of all vertices that count as those of low degree.
LOW_DEGREE_SHARE = 0.05


def diagnostics(similarity: Similarity, vectors: Array, labels: ArrayLike, truth: ArrayLike) -> dict[str, float]:
    """Return the diagnostics of a cut of S, from its vectors and labels; P is an orthonormal basis of the vectors."""
    basis = np.linalg.qr(vectors)[0]
    return {
        "trace_ratio": trace_ratio(similarity, basis),
        "criterion": criterion(similarity, labels),
        "criterion_truth": criterion(similarity, truth),
        "low_degree_mass": low_degree_mass(similarity, basis),
    }


def criterion(similarity: Similarity, labels: ArrayLike) -> float:
    """Return g(X) = (1/K) Σ_n X_nᵀSX_n / X_nᵀQX_n of a partition, Eq. (14), eq:GraphOptimization.

    It is infinite if a cluster has no edges to the others.
    """
    indicators = np.equal.outer(np.asarray(labels), np.unique(labels)).astype(np.float64)
    within = np.sum(indicators * similarity.apply(indicators), axis=0)
    return float(np.mean(_ratio(within, similarity.degrees @ indicators)))


def trace_ratio(similarity: Similarity, basis: Array) -> float:
    """Return tr(PᵀSP) / tr(PᵀQP) of an orthonormal P, Eq. (19), eq:GraphOptimization5, without its factor 1/K."""
    within = np.sum(basis * similarity.apply(basis))
    return float(_ratio(within, np.sum(similarity.degrees @ basis**2)))


def low_degree_mass(similarity: Similarity, basis: Array) -> float:
    """Return the share of Σ p_in² that lies on the 5 % of vertices with the lowest degrees, at least one."""
    count = max(1, round(LOW_DEGREE_SHARE * similarity.n))
    lowest = np.argsort(similarity.degrees, kind="stable")[:count]
    return float(np.sum(basis[lowest] ** 2) / np.sum(basis**2))


def _ratio(within: Array, degree: Array) -> Array:
    """Return PᵀSP / PᵀQP from PᵀSP and PᵀDP; infinity where nothing but rounding is left of PᵀQP."""
    between = degree - within
    connected = between > CONNECTED_SHARE * degree
    return np.divide(within, between, out=np.full(np.shape(within), np.inf), where=connected)
