"""Choose the eigensolver, and check its result for completeness."""

import sys
from dataclasses import replace

import numpy as np
import scipy.linalg

from hypercut.core.eigen.davidson import SHIFT_CONVERGED, affordable_products, block_davidson
from hypercut.core.eigen.lanczos import deflated_lanczos
from hypercut.core.eigen.operators import ROUNDING, SINGLE_ROUNDING, STORAGE_ROUNDING, Eigenpairs, Normalized, Operator
from hypercut.core.samples import Array

# Up to this N, forming the matrix and calling LAPACK is faster than iterating.
DENSE_SAMPLES = 600

# Beyond this N the matrix is never formed.
LARGEST_DENSE = 12_000

# Subspace error allowed by default. A clustering needs far less accuracy. But labels are read by argmax, so this error
# decides samples on a border, and this tolerance makes a clustering reproducible on other machines.
TOLERANCE = 1e-6

# Block products that most problems need, and that problems with a smooth similarity need. If LAPACK takes no longer
# than that, it is called at once.
USUAL_PRODUCTS = 20
SMOOTH_PRODUCTS = 10

# Lanczos steps of the completeness check.
CHECK_STEPS = 10

# Newton steps of a trace-ratio problem on the formed matrix: 3 to 7 are usual.
MAX_NEWTON_STEPS = 50

# How often an incomplete result is continued before the dense solver takes over.
MAX_INCOMPLETE = 2


def top_eigenpairs(
    operator: Operator,
    k: int,
    rng: np.random.Generator,
    *,
    start: Array | None = None,
    tol: float = TOLERANCE,
) -> Eigenpairs:
    """Return the K largest eigenpairs of M, by the solver that suits it (see :mod:`hypercut.core.eigen`).

    Parameters
    ----------
    start : ndarray of shape (N, any), optional
        Vectors near the wanted ones.
    tol : float
        Error allowed in the subspace, as a tangent: residuals fall below tol·(λ_K − λ_{K+1}).
    """
    rng = rng.spawn(1)[0]  # later random choices of the caller do not depend on the solver
    usual = SMOOTH_PRODUCTS if operator.similarity.smooth else USUAL_PRODUCTS
    costly = affordable_products(operator.n, k) < usual
    if operator.n <= DENSE_SAMPLES or (costly and operator.n <= LARGEST_DENSE):
        return _dense(operator, k, "dense")
    if isinstance(operator, Normalized) and operator.similarity.cheap:
        found = deflated_lanczos(operator, k, rng, tol)
        if found is not None:
            return found
    pairs = block_davidson(operator, k, rng, start, tol)
    products = pairs.products
    for attempt in range(1 + MAX_INCOMPLETE):
        if pairs.path == "components":
            return pairs
        if pairs.path != "davidson":
            break
        missed = _missed(operator.at(pairs.shift), pairs, rng)
        products += CHECK_STEPS
        if missed is None:
            return replace(pairs, products=products)
        if attempt == MAX_INCOMPLETE:
            pairs = replace(pairs, path="davidson, incomplete", converged=False)
            break
        pairs = block_davidson(operator, k, rng, np.column_stack([pairs.vectors, missed]), tol)
        products += pairs.products
    if operator.n > LARGEST_DENSE:
        return replace(pairs, products=products)
    return replace(_dense(operator, k, f"dense after {pairs.path}"), products=products)


def _dense(operator: Operator, k: int, path: str) -> Eigenpairs:
    """Return the K largest eigenpairs by LAPACK; in a trace-ratio problem, c by Newton's method."""
    wanted = min(k + 1, operator.n)
    matrix = operator.dense()
    values, vectors = _largest(matrix, wanted)
    shifts: list[float] = []
    converged = operator.degrees is None
    if operator.degrees is not None:
        shifts.append(0.0)
        while not converged and len(shifts) < MAX_NEWTON_STEPS and not operator.unbounded(shifts[-1]):
            gained = float(values[:k].sum() / np.sum(vectors[:, :k] ** 2 * operator.degrees[:, None]))
            shifts.append(shifts[-1] + gained)
            values, vectors = _largest(matrix - np.diag(shifts[-1] * operator.degrees), wanted)
            converged = gained <= SHIFT_CONVERGED * shifts[-1] * (1 - shifts[-1]) + sys.float_info.epsilon
        if operator.unbounded(shifts[-1]):
            path = "components"
    gap = float(values[k - 1] - values[k]) if wanted > k else np.inf
    return Eigenpairs(values[:k], vectors[:, :k], vectors, path, gap=gap, shifts=tuple(shifts), converged=converged)


def _largest(matrix: Array, wanted: int) -> tuple[Array, Array]:
    """Return the largest eigenvalues, descending, and their vectors, by LAPACK.

    On some matrices with many equal eigenvalues, the driver for a part of the spectrum fails or returns too few pairs.
    The driver for the whole spectrum does not.
    """
    n = len(matrix)
    try:
        values, vectors = scipy.linalg.eigh(matrix, subset_by_index=[n - wanted, n - 1])
    except scipy.linalg.LinAlgError:
        values, vectors = np.empty(0), np.empty((n, 0))
    if len(values) < wanted:
        values, vectors = scipy.linalg.eigh(matrix, driver="ev")
    return values[::-1][:wanted], vectors[:, ::-1][:, :wanted]


def _missed(operator: Operator, pairs: Eigenpairs, rng: np.random.Generator) -> Array | None:
    """Return a vector orthogonal to the pairs' vectors with a Rayleigh quotient above their smallest value, or None.

    The method is Lanczos with full reorthogonalisation on the deflated operator, from a random vector.
    """
    found = pairs.vectors
    steps = min(CHECK_STEPS, operator.n - found.shape[1])
    basis = np.empty((operator.n, steps), order="F")
    diagonal, off_diagonal = np.zeros(steps), np.zeros(steps)
    vector = rng.standard_normal((operator.n, 1))
    size = 0
    while size < steps:
        for _ in range(2):
            vector -= found @ (found.T @ vector)
            vector -= basis[:, :size] @ (basis[:, :size].T @ vector)
        norm = np.linalg.norm(vector)
        if size and norm <= ROUNDING * max(1.0, np.abs(diagonal).max()):
            break
        off_diagonal[size] = norm
        basis[:, size] = vector[:, 0] / norm
        vector = operator.apply(basis[:, size : size + 1], exact=False)
        diagonal[size] = basis[:, size] @ vector[:, 0]
        size += 1
    values, rotation = scipy.linalg.eigh_tridiagonal(diagonal[:size], off_diagonal[1:size])
    largest = np.abs(pairs.values).max()
    rounding = STORAGE_ROUNDING * largest if operator.double else SINGLE_ROUNDING * max(largest, abs(values[0]))
    if values[-1] <= pairs.values[-1] + pairs.residual + rounding:
        return None
    return basis[:, :size] @ rotation[:, -1]
