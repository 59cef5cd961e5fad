"""The largest eigenpairs of a symmetric operator, the right ones.

The problem: given a symmetric M, find orthonormal X (N×K) maximising tr(XᵀMX).

Solvers, and when each runs:

``dense``
    ``scipy.linalg.eigh`` on the formed matrix. For small N or many pairs, where it is fastest, and as the fallback when
    the iteration below does not converge in that time, or is found incomplete for the third time. Beyond 12,000 samples
    the formed matrix would take gigabytes: the result then stays as it is, and ``converged`` tells.
``davidson``
    Block Davidson with the diagonal preconditioner |diag(M) − θ|⁻¹. The block is wider than K, so repeated eigenvalues
    are found with all their copies, which single-vector Lanczos (``scipy.sparse.linalg.eigsh``) skips silently. The
    preconditioner matters: the eigenvectors of a trace-ratio problem at small σ sit on single low-degree vertices,
    where plain Krylov steps crawl (measured on USPS, one step at σ = ρ: 42 block products against 12).
``lanczos``
    ``scipy.sparse.linalg.eigsh``, for sparse factors, whose products cost next to nothing: there it is ten times faster
    (20,000 digits, ten pairs: 0.9 s against 10 s). It finds one vector of a repeated eigenvalue. Those of eigenvalue 1,
    one for each component of a graph, are known beforehand and deflated; then the pairs found are, and the next one
    is asked for, until it is not larger than the last. Where it does not converge, Davidson does everything.

Every final result of Davidson passes a completeness check: found vectors are deflated and one more eigenvalue is asked
for by Lanczos from a random vector. If it exceeds the smallest one found, the set was incomplete, the new vector joins
the search and the iteration goes on.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from hypercut.core.components import component_indicators, connected_components
from hypercut.core.samples import Array
from hypercut.core.similarity import NO_DEGREE, Similarity

# Up to this N, forming the matrix and calling LAPACK beats the iteration.
DENSE_SAMPLES = 600

# Beyond this N the matrix is not formed, whatever happens.
LARGEST_DENSE = 12_000

# The search space holds at most this many blocks before it is cut back to the best Ritz vectors.
MAX_BLOCKS = 6

# Subspace error allowed by default. Far below what a clustering needs, but labels are read off by argmax: what the
# eigenvectors leave open decides samples on a border, and so this is what makes a clustering the same elsewhere.
TOLERANCE = 1e-6

# Residuals below this fraction of ‖M‖ are rounding: of double precision; of entries stored in single precision, which
# agree between machines no better than this on the whole; and of products in single precision.
ROUNDING = 1e-12
STORAGE_ROUNDING = 1e-8
SINGLE_ROUNDING = 1e-6

# Block products after which the iteration is given up, whatever N.
MAX_PRODUCTS = 200

# What most problems need. Where LAPACK takes no longer than so many products, it is asked at once.
USUAL_PRODUCTS = 20

# What products in single precision have not settled by now is below their rounding: from here on all are exact.
MAX_SINGLE_PRODUCTS = 60

# Asked of ARPACK, relative to the eigenvalues. Finer costs it little, and coarser would leave work to Davidson.
LANCZOS_TOLERANCE = 1e-9

# Lanczos steps of the completeness check.
CHECK_STEPS = 10

# How often a solve found incomplete goes on before the dense solver takes over.
MAX_INCOMPLETE = 2


class Operator(Protocol):
    """A symmetric matrix, known by its action."""

    n: int

    @property
    def diagonal(self) -> Array:
        """The diagonal, or an estimate: it only preconditions."""

    @property
    def double(self) -> bool:
        """Whether products are exact to double precision even when they need not be."""

    @property
    def cheap(self) -> bool:
        """Whether products cost little, and no eigenvalue is negative."""

    def stationary(self, k: int) -> Array:
        """Return the first eigenvectors as far as they are known beforehand, at most k."""

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:
        """Return M·V; see :meth:`hypercut.core.similarity.Similarity.apply`."""

    def dense(self) -> Array:
        """Form M."""


class Normalized:
    """D^−½ S D^−½. A vertex without edges gets a zero row."""

    def __init__(self, similarity: Similarity) -> None:
        self.n = similarity.n
        self.similarity = similarity
        degrees = similarity.degrees
        self.scale = np.divide(1, np.sqrt(degrees), out=np.zeros(self.n), where=degrees > NO_DEGREE)

    @property
    def double(self) -> bool:  # noqa: D102
        return self.similarity.double

    @property
    def cheap(self) -> bool:  # noqa: D102
        return self.similarity.cheap

    def stationary(self, k: int) -> Array:
        """Return those of the eigenvalue 1: one for each component of the graph, the largest component first."""
        components = len(np.unique(connected_components(self.similarity)[self.scale > 0]))
        indicators = component_indicators(self.similarity, min(k, components))
        assert indicators is not None
        vectors = np.sqrt(self.similarity.degrees)[:, None] * indicators
        return vectors / np.linalg.norm(vectors, axis=0)

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

    #: Its eigenvalues have both signs.
    cheap = False

    def stationary(self, k: int) -> Array:
        """Return none: nothing is known of them."""
        return np.empty((self.n, 0))

    def __init__(self, similarity: Similarity, c: float) -> None:
        self.n = similarity.n
        self.similarity = similarity
        self.shift = c * similarity.degrees

    @property
    def double(self) -> bool:  # noqa: D102
        return self.similarity.double

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
    def converged(self) -> bool:
        """Whether the pairs are what they should be."""
        return self.path in ("davidson", "lanczos") or self.path.startswith("dense")

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
    tol: float = TOLERANCE,
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
    costly = _affordable_products(operator.n, _width(k)) < USUAL_PRODUCTS
    if operator.n <= DENSE_SAMPLES or (costly and operator.n <= LARGEST_DENSE):
        return _dense(operator, k, "dense")
    pairs = _lanczos(operator, k, rng, tol) if operator.cheap else None
    if pairs is not None:
        return pairs
    pairs = _davidson(operator, k, rng, start, tol, exact=final)
    if not final:
        return pairs
    products = pairs.products
    for attempt in range(1 + MAX_INCOMPLETE):
        if pairs.path != "davidson":
            break
        missed = _missed(operator, pairs, rng)
        products += CHECK_STEPS
        if missed is None:
            return replace(pairs, products=products)
        if attempt == MAX_INCOMPLETE:
            pairs = replace(pairs, path="davidson, incomplete")
            break
        pairs = _davidson(operator, k, rng, np.column_stack([pairs.vectors, missed]), tol, exact=True)
        products += pairs.products
    if operator.n > LARGEST_DENSE:
        return replace(pairs, products=products)
    return replace(_dense(operator, k, f"dense after {pairs.path}"), products=products)


def _width(k: int) -> int:
    """Return the width of the block in a search for K pairs."""
    return k + max(4, k // 5)


def _affordable_products(n: int, width: int) -> int:
    """Return how many products of the iteration take as long as LAPACK takes for everything.

    A product of N×N with the block, turning and orthogonalising some four blocks of the search space, and its own
    eigenproblem: 2N²w + 24Nw² + 640w³ operations. LAPACK needs 4/3 N³, but half of them cannot use the cache: measured
    (N = 2500, w = 60 and 120), a third of the speed.
    """
    return min(MAX_PRODUCTS, int(4 * n**3 / (2 * n**2 * width + 24 * n * width**2 + 640 * width**3)))


def _dense(operator: Operator, k: int, path: str) -> Eigenpairs:
    n = operator.n
    wanted = min(k + 1, n)
    values, vectors = _largest(operator, wanted)
    gap = float(values[k - 1] - values[k]) if wanted > k else np.inf
    return Eigenpairs(values[:k], vectors[:, :k], vectors, path, gap=gap)


def _largest(operator: Operator, wanted: int) -> tuple[Array, Array]:
    """Return the largest eigenvalues, descending, and their vectors, by LAPACK.

    Its driver for a part of the spectrum fails on some matrices with many equal eigenvalues, or returns fewer than
    asked for. The one for the whole spectrum does not.
    """
    n = operator.n
    try:
        values, vectors = scipy.linalg.eigh(operator.dense(), subset_by_index=[n - wanted, n - 1], overwrite_a=True)
    except scipy.linalg.LinAlgError:
        values, vectors = np.empty(0), np.empty((n, 0))
    if len(values) < wanted:
        values, vectors = scipy.linalg.eigh(operator.dense(), driver="ev", overwrite_a=True)
    return values[::-1][:wanted], vectors[:, ::-1][:, :wanted]


def _lanczos(operator: Operator, k: int, rng: np.random.Generator, tol: float) -> Eigenpairs | None:
    """Ask ARPACK for what is not known beforehand, and for what it has missed; None where it does not converge.

    ``products`` are of single vectors here.
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
            vector = vector - vectors @ (vectors.T @ vector)
            image = operator.apply(vector.reshape(-1, 1))[:, 0]
            return image - vectors @ (vectors.T @ image)

        linear = LinearOperator((operator.n, operator.n), matvec=product, dtype=np.float64)
        return eigsh(linear, count, which="LA", v0=start, tol=accuracy, ncv=max(2 * count + 1, 40))

    try:
        found = find(k + 1 - len(values), rng.standard_normal(operator.n), LANCZOS_TOLERANCE)
        while True:
            values, vectors = np.append(values, found[0]), np.column_stack([vectors, found[1]])
            order = np.argsort(-values, kind="stable")  # the largest component stays first
            values, vectors = values[order], vectors[:, order]
            # Eigenvalues near 1 are told apart by their distances from it.
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


def _davidson(
    operator: Operator, k: int, rng: np.random.Generator, start: Array | None, tol: float, *, exact: bool
) -> Eigenpairs:
    """Run block Davidson from ``start``; ``path`` says whether it converged.

    Where products in single precision are cheaper, the search is made with them. With ``exact``, the images of the
    Ritz vectors found are then replaced by exact ones and the search goes on: a further correction enters the result
    with a small factor, and the rounding of its image with it. So a few exact products give a result exact throughout.
    """
    width = _width(k)
    affordable = _affordable_products(operator.n, width)
    block = rng.standard_normal((operator.n, width))
    if start is not None:
        # At least one random vector stays: a direction that the start lacks altogether could not grow otherwise.
        known = min(start.shape[1], width - 1)
        block[:, :known] = start[:, :known]
    search = _SearchSpace(operator, width)
    settled = operator.double or not exact
    rounding = ROUNDING if operator.double else SINGLE_ROUNDING
    products = 0
    while products < affordable:
        search.expand(block)
        products += 1
        for _ in range(2):  # once more after the images were made exact
            values, residuals = search.ritz_pairs()
            norms = np.linalg.norm(residuals, axis=0)
            # A Ritz value is within its residual of an eigenvalue: unless the next one is settled, no gap is claimed.
            gap = max(0.0, values[k - 1] - values[k] - norms[k])
            target = max(tol * gap, rounding * search.scale)
            unsettled = np.flatnonzero(norms > target)
            if (unsettled < k).any() or settled or (search.exact_columns and search.error(k) <= target):
                break
            search.make_images_exact()
            rounding = STORAGE_ROUNDING
            products += 1
        pairs = Eigenpairs(
            values[:k], search.vectors[:, :k], search.vectors, "davidson", products, float(norms[:k].max()), float(gap)
        )
        if not (unsettled < k).any():
            return pairs
        if products >= MAX_SINGLE_PRODUCTS and not operator.double and not search.exact:
            if not exact:
                return pairs
            search.restart_exact()
            rounding = STORAGE_ROUNDING
            products += 1
        active = unsettled[unsettled < k + 2] if gap > 0 else unsettled
        distance = np.abs(operator.diagonal[:, None] - values[active])
        block = residuals[:, active] / np.maximum(distance, 0.3 * norms[active] + ROUNDING * search.scale)
    return replace(pairs, path="davidson, not converged")


class _SearchSpace:
    """An orthonormal basis, its image under the operator, and the Ritz pairs it contains.

    The first ``exact_columns`` of the image are exact products.
    """

    def __init__(self, operator: Operator, width: int) -> None:
        self.operator = operator
        self.width = width
        capacity = (MAX_BLOCKS + 1) * width
        self.basis = np.empty((operator.n, capacity), order="F")
        self.image = np.empty((operator.n, capacity), order="F")
        self.projected = np.zeros((capacity, capacity))
        self.size = 0
        self.exact = False
        self.exact_columns = 0
        self.product_error = 0.0

    def expand(self, block: Array) -> None:
        """Add directions; when the space is full, only the leading Ritz vectors are kept of it."""
        if self.size + block.shape[1] > MAX_BLOCKS * self.width:
            self._turn()
            self.size = self.width
        block = _orthonormalize(block, self.basis[:, : self.size])
        old, new = slice(0, self.size), slice(self.size, self.size + block.shape[1])
        self.basis[:, new] = block
        self.image[:, new] = self.operator.apply(block, exact=self.exact)
        # From the older images, which are the more exact ones.
        self.projected[old, new] = self.image[:, old].T @ block
        self.projected[new, old] = self.projected[old, new].T
        self.projected[new, new] = block.T @ self.image[:, new]
        self.size = new.stop

    def ritz_pairs(self) -> tuple[Array, Array]:
        """Return the leading Ritz values, descending, and their residuals; ``vectors`` has their vectors."""
        values, rotation = np.linalg.eigh(self.projected[: self.size, : self.size])
        self.scale = max(abs(values[0]), abs(values[-1]))
        self.values, self.rotation = values[::-1], rotation[:, ::-1]
        leading = self.rotation[:, : self.width]
        self.vectors = self.basis[:, : self.size] @ leading
        residuals = self.image[:, : self.size] @ leading - self.vectors * self.values[: self.width]
        return self.values[: self.width], residuals

    def error(self, k: int) -> float:
        """Return the error of the first residuals that comes from images in single precision."""
        if self.exact:
            return 0.0
        inexact = self.rotation[self.exact_columns :, :k]
        return self.product_error * float(np.linalg.norm(inexact, axis=0).max())

    def make_images_exact(self) -> None:
        """Turn the basis to the Ritz vectors and compute the images of the leading ones again, exactly."""
        self._turn()
        leading = slice(0, self.width)
        images = self.operator.apply(self.basis[:, leading], exact=True)
        # How far single-precision products are off is measured here, where both are at hand.
        self.product_error = float(np.linalg.norm(images - self.image[:, leading], axis=0).max())
        self.image[:, leading] = images
        self.projected[: self.size, leading] = self.basis[:, : self.size].T @ self.image[:, leading]
        self.projected[leading, : self.size] = self.projected[: self.size, leading].T
        self.exact_columns = self.width

    def restart_exact(self) -> None:
        """Keep only the leading Ritz vectors, and use exact products from now on."""
        self.make_images_exact()
        self.size = self.width
        self.exact = True

    def _turn(self) -> None:
        used = slice(0, self.size)
        self.basis[:, used] = self.basis[:, used] @ self.rotation
        self.image[:, used] = self.image[:, used] @ self.rotation
        self.projected[used, used] = np.diag(self.values)


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
    largest = np.abs(pairs.values).max()
    rounding = STORAGE_ROUNDING * largest if operator.double else SINGLE_ROUNDING * max(largest, abs(values[0]))
    if values[-1] <= pairs.values[-1] + pairs.residual + rounding:
        return None
    return basis[:, :size] @ rotation[:, -1]
