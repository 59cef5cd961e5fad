"""The largest eigenpairs of a symmetric operator, the right ones.

The problem: given a symmetric M, find orthonormal X (N×K) maximising tr(XᵀMX).

Solvers, and when each runs:

``dense``
    ``scipy.linalg.eigh`` on the formed matrix. For small N, where it is fastest, and as the fallback when the
    iteration below does not converge or is found incomplete twice.
``davidson``
    Block Davidson with the diagonal preconditioner |diag(M) − θ|⁻¹. The block is wider than K, so repeated eigenvalues
    are found with all their copies, which single-vector Lanczos (``scipy.sparse.linalg.eigsh``) skips silently. The
    preconditioner matters: the eigenvectors of a trace-ratio problem at small σ sit on single low-degree vertices,
    where plain Krylov steps crawl (measured on USPS: 61 block products without convergence, against 8).

Every iterative result passes a completeness check: the found vectors are deflated and one more eigenvalue is asked
for by Lanczos from a random vector. If it exceeds the smallest one found, the set was incomplete, the new vector joins
the search and the iteration goes on.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
import scipy.linalg

from hypercut.core.samples import Array
from hypercut.core.similarity import Similarity

# Up to this N, forming the matrix and calling LAPACK beats the iteration.
DENSE_SAMPLES = 600

# The search space holds at most this many blocks before it is cut back to the best Ritz vectors.
MAX_BLOCKS = 4

# Residuals below this fraction of ‖M‖ cannot be told from rounding: in double, and in single-precision products.
ROUNDING = 1e-10
SINGLE_ROUNDING = 1e-6

# More block products than this, and the dense solver is the better choice. Single-precision products only bring the
# search near; what they cannot settle soon is below their rounding.
MAX_PRODUCTS = 150
MAX_SINGLE_PRODUCTS = 50

# Lanczos steps of the completeness check.
CHECK_STEPS = 12

# How often a solve found incomplete goes on before the dense solver takes over.
MAX_INCOMPLETE = 2


class Operator(Protocol):
    """A symmetric matrix, known by its action."""

    n: int

    @property
    def diagonal(self) -> Array:
        """The diagonal, or an estimate: it only preconditions."""

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:
        """Return M·V; see :meth:`hypercut.core.similarity.Similarity.apply`."""

    def dense(self) -> Array:
        """Form M."""


class Normalized:
    """D^−½ S D^−½. A vertex of degree zero gets a zero row."""

    def __init__(self, similarity: Similarity) -> None:
        self.n = similarity.n
        self.similarity = similarity
        degrees = similarity.degrees
        self.scale = np.divide(1, np.sqrt(degrees), out=np.zeros(self.n), where=degrees > 0)

    @cached_property
    def diagonal(self) -> Array:  # noqa: D102
        return self.scale**2 * self.similarity.diagonal

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:  # noqa: D102
        scale = self.scale[:, None]
        return scale * self.similarity.apply(scale * vectors, exact=exact)

    def dense(self) -> Array:  # noqa: D102
        return self.scale[:, None] * self.similarity.dense() * self.scale


class DegreeShifted:
    """S − c·D: up to the factor 1 + ρ, the S − ρQ of the trace-ratio problem, with c = ρ / (1 + ρ)."""

    def __init__(self, similarity: Similarity, c: float) -> None:
        self.n = similarity.n
        self.similarity = similarity
        self.shift = c * similarity.degrees

    @cached_property
    def diagonal(self) -> Array:  # noqa: D102
        return self.similarity.diagonal - self.shift

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:  # noqa: D102
        return self.similarity.apply(vectors, exact=exact) - self.shift[:, None] * vectors

    def dense(self) -> Array:  # noqa: D102
        return self.similarity.dense() - np.diag(self.shift)


@dataclass(frozen=True)
class Eigenpairs:
    """The K largest eigenvalues, descending, and their vectors, with how they were found.

    ``search`` holds some further Ritz vectors: start a related problem from it. ``gap`` is a lower estimate of
    λ_K − λ_{K+1}; ``residual`` is the largest ‖Mx − λx‖; their quotient bounds the error of the subspace. ``products``
    counts products of M with a block of vectors.
    """

    values: Array
    vectors: Array
    search: Array
    path: str
    products: int = 0
    residual: float = 0.0
    gap: float = np.inf

    @property
    def solver(self) -> dict[str, float | str]:
        """The path taken and its figures, for the record of a run."""
        return {"path": self.path, "products": self.products, "residual": self.residual, "gap": self.gap}


def top_eigenpairs(
    operator: Operator,
    k: int,
    rng: np.random.Generator,
    *,
    start: Array | None = None,
    tol: float = 1e-3,
    final: bool = True,
) -> Eigenpairs:
    """Return the K largest eigenpairs.

    Parameters
    ----------
    tol : float
        The error allowed in the subspace, as a tangent: residuals are brought below tol·(λ_K − λ_{K+1}).
    start : ndarray of shape (N, any), optional
        Vectors near the wanted ones.
    final : bool
        False for a result that only starts another iteration: single-precision products suffice and completeness is
        not checked.
    """
    if operator.n <= DENSE_SAMPLES or operator.n < 6 * k:
        return _dense(operator, k, "dense")
    pairs = _davidson(operator, k, rng, start, tol, exact=False)
    if not final:
        return replace(pairs, path="davidson")
    products = pairs.products
    for _ in range(1 + MAX_INCOMPLETE):
        pairs = _davidson(operator, k, rng, pairs.search, tol, exact=True)
        products += pairs.products
        if pairs.path != "davidson":
            break
        missed = _missed(operator, pairs, rng)
        products += CHECK_STEPS
        if missed is None:
            return replace(pairs, products=products)
        pairs = replace(pairs, search=np.column_stack([pairs.vectors, missed]), path="davidson, incomplete")
    return replace(_dense(operator, k, f"dense after {pairs.path}"), products=products)


def _dense(operator: Operator, k: int, path: str) -> Eigenpairs:
    n = operator.n
    wanted = min(k + 1, n)
    values, vectors = scipy.linalg.eigh(operator.dense(), subset_by_index=[n - wanted, n - 1], overwrite_a=True)
    values, vectors = values[::-1], vectors[:, ::-1]
    gap = float(values[k - 1] - values[k]) if wanted > k else np.inf
    return Eigenpairs(values[:k], vectors[:, :k], vectors, path, gap=gap)


def _davidson(
    operator: Operator, k: int, rng: np.random.Generator, start: Array | None, tol: float, *, exact: bool
) -> Eigenpairs:
    """Run block Davidson from ``start``; ``path`` says whether it converged."""
    width = k + max(4, k // 5)
    limit = MAX_BLOCKS * width
    rounding, budget = (ROUNDING, MAX_PRODUCTS) if exact else (SINGLE_ROUNDING, MAX_SINGLE_PRODUCTS)
    block = rng.standard_normal((operator.n, width))
    if start is not None:
        # At least one random vector stays: a direction that the start lacks altogether could not grow otherwise.
        known = min(start.shape[1], width - 1)
        block[:, :known] = start[:, :known]
    space = np.empty((operator.n, limit + width), order="F")
    image = np.empty_like(space, order="F")
    projected = np.zeros((limit + width, limit + width))
    size = 0
    for products in range(1, budget + 1):
        block = _orthonormalize(block, space[:, :size])
        new, size = slice(size, size + block.shape[1]), size + block.shape[1]
        space[:, new] = block
        image[:, new] = operator.apply(block, exact=exact)
        projected[:size, new] = space[:, :size].T @ image[:, new]
        projected[new, :size] = projected[:size, new].T
        values, rotation = np.linalg.eigh(projected[:size, :size])
        scale = max(abs(values[0]), abs(values[-1]))
        values, rotation = values[: -width - 1 : -1], rotation[:, : -width - 1 : -1]
        vectors = space[:, :size] @ rotation
        residuals = image[:, :size] @ rotation - vectors * values
        norms = np.linalg.norm(residuals, axis=0)
        # A Ritz value is within its residual of an eigenvalue: unless the next one is settled, no gap is claimed.
        gap = max(0.0, values[k - 1] - values[k] - norms[k])
        target = max(tol * gap, rounding * scale)
        result = Eigenpairs(
            values[:k], vectors[:, :k], vectors, "davidson", products, float(norms[:k].max()), float(gap)
        )
        active = np.flatnonzero(norms > target)
        if not (active < k).any():
            return result
        if gap > 0:
            active = active[active < k + 2]
        distance = np.abs(operator.diagonal[:, None] - values[active])
        block = residuals[:, active] / np.maximum(distance, 0.3 * norms[active] + ROUNDING * scale)
        if size + len(active) > limit:
            size = width
            space[:, :size] = vectors
            image[:, :size] = residuals + vectors * values
            projected[:size, :size] = np.diag(values)
    return replace(result, path="davidson, not converged")


def _orthonormalize(block: Array, basis: Array) -> Array:
    """Return an orthonormal basis of the part of ``block`` orthogonal to ``basis``."""
    for _ in range(2):  # twice is enough
        norms = np.linalg.norm(block, axis=0)
        block = block[:, norms > 0] / norms[norms > 0]
        block = block - basis @ (basis.T @ block)
        block, triangle = np.linalg.qr(block)
        block = block[:, np.abs(triangle.diagonal()) > ROUNDING]
    return block


def _missed(operator: Operator, pairs: Eigenpairs, rng: np.random.Generator) -> Array | None:
    """Return a vector orthogonal to the found ones with a larger Rayleigh quotient than the last of them, if any.

    Lanczos with full reorthogonalisation on the deflated operator, from a random vector.
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
    scale = max(abs(pairs.values[0]), abs(pairs.values[-1]), abs(values[0]))
    if values[-1] <= pairs.values[-1] + pairs.residual + SINGLE_ROUNDING * scale:
        return None
    return basis[:, :size] @ rotation[:, -1]
