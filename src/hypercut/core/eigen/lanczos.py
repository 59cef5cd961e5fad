"""Lanczos (ARPACK) with deflation, for operators with cheap products."""

import numpy as np
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from hypercut.core.blocks import map_row_blocks
from hypercut.core.eigen.operators import STORAGE_ROUNDING, Eigenpairs, Normalized
from hypercut.core.samples import Array

# Accuracy requested from ARPACK, relative to the eigenvalues. Finer costs little; coarser would leave work to Davidson.
LANCZOS_TOLERANCE = 1e-9
# The same for rough pairs.
ROUGH_TOLERANCE = 1e-4
# Rows that are deflated at once.
BLOCK_ROWS = 2**16


def _deflate(image: Array, vector: Array, values: Array, vectors: Array) -> None:
    """Subtract V·diag(λ)·Vᵀx from the image of x."""

    def products(rows: slice) -> Array:
        return vectors[rows].T @ vector[rows]

    def subtract(rows: slice) -> None:
        image[rows] -= vectors[rows] @ weights

    weights = values * np.sum(map_row_blocks(products, len(image), BLOCK_ROWS), axis=0)
    map_row_blocks(subtract, len(image), BLOCK_ROWS)


def rough_lanczos(operator: Normalized, k: int, rng: np.random.Generator) -> Eigenpairs | None:
    """Return K eigenpairs by ARPACK, rough and perhaps not the largest, or None if it does not converge."""

    def product(vector: Array) -> Array:
        return operator.apply(vector.reshape(-1, 1))[:, 0]

    linear = LinearOperator((operator.n, operator.n), matvec=product, dtype=np.float64)
    start = rng.standard_normal(operator.n)
    try:
        values, vectors = eigsh(linear, k, which="LA", v0=start, tol=ROUGH_TOLERANCE, ncv=max(2 * k + 1, 20))
    except ArpackError:
        return None
    values, vectors = values[::-1], vectors[:, ::-1]
    residual = float(np.linalg.norm(operator.apply(vectors) - vectors * values, axis=0).max())
    return Eigenpairs(values, vectors, vectors, "rough", residual=residual, gap=0.0)


def deflated_lanczos(operator: Normalized, k: int, rng: np.random.Generator, tol: float) -> Eigenpairs | None:
    """Return the K largest eigenpairs by ARPACK, or None if it does not converge.

    The vectors of eigenvalue 1 are known and deflated. ARPACK then looks for the remaining pairs, and afterwards for
    one more at a time until the next eigenvalue is no larger than the K-th.
    """
    vectors = operator.stationary(k + 1)
    values = np.ones(vectors.shape[1])
    if len(values) > k:
        return Eigenpairs(values[:k], vectors[:, :k], vectors, "lanczos", gap=0.0)
    products = 0

    def find(count: int, start: Array, accuracy: float) -> tuple[Array, Array]:
        """Return the largest pairs orthogonal to ``vectors``."""

        def product(vector: Array) -> Array:
            nonlocal products
            products += 1
            image = operator.apply(vector.reshape(-1, 1))[:, 0]
            _deflate(image, vector, values, vectors)
            return image

        linear = LinearOperator((operator.n, operator.n), matvec=product, dtype=np.float64)
        return eigsh(linear, count, which="LA", v0=start, tol=accuracy, ncv=max(2 * count + 1, 40))

    try:
        found = find(k + 1 - len(values), rng.standard_normal(operator.n), LANCZOS_TOLERANCE)
        while True:
            values, vectors = np.append(values, found[0]), np.column_stack([vectors, found[1]])
            order = np.argsort(-values, kind="stable")  # the largest component stays first
            values, vectors = values[order], vectors[:, order]
            # Eigenvalues near 1 differ by their distances from 1.
            accuracy = max(LANCZOS_TOLERANCE, 0.01 * (1 - values[k - 1]))
            (missed,), vector = find(1, rng.standard_normal(operator.n), accuracy)
            if missed <= values[k - 1] + STORAGE_ROUNDING:
                break
            found = find(1, vector[:, 0], LANCZOS_TOLERANCE)
    except ArpackError:
        return None
    residuals = np.linalg.norm(operator.apply(vectors[:, :k]) - vectors[:, :k] * values[:k], axis=0)
    gap = float(values[k - 1] - max(values[k], missed))
    if residuals.max() > max(tol * gap, STORAGE_ROUNDING):
        return None
    return Eigenpairs(values[:k], vectors[:, :k], vectors, "lanczos", products, float(residuals.max()), gap)
