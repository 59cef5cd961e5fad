"""Block Davidson with a diagonal preconditioner."""

from dataclasses import replace

import numpy as np

from hypercut.core.eigen.operators import ROUNDING, SINGLE_ROUNDING, STORAGE_ROUNDING, Eigenpairs, Operator
from hypercut.core.samples import Array

# The search space holds this many blocks or vectors, whichever is more, before it is cut back to the best Ritz vectors.
MAX_BLOCKS = 5
MAX_VECTORS = 240

# Block products after which the iteration gives up, whatever N.
MAX_PRODUCTS = 200

# If this many products in single precision do not halve the residuals, rounding limits them: all later products are
# exact.
STALLED_PRODUCTS = 15

# Residuals that extend the search space at once: fewer need fewer products with vectors, more make better use of BLAS.
USUAL_BLOCK = 40

# The c of a trace-ratio problem has converged when the ratio c / (1 − c) changes by less than the first fraction. Until
# it changes by less than the second, it is improved within the search space, which costs no product.
SHIFT_CONVERGED = 1e-8
SHIFT_SETTLED = 1e-2
MAX_SHIFTS = 20


def affordable_products(n: int, k: int) -> int:
    """Return how many products of a search for K pairs take as long as LAPACK takes for the whole spectrum.

    A product of N×N with a block of width w, rotating and orthogonalising about four blocks of the search space, and
    its own eigenproblem take 2N²w + 24Nw² + 640w³ operations. LAPACK needs 4/3 N³, but half of them cannot use the
    cache and run at a third of the speed (measured at N = 2500, w = 60 and 120).
    """
    width = _width(k)
    return min(MAX_PRODUCTS, int(4 * n**3 / (2 * n**2 * width + 24 * n * width**2 + 640 * width**3)))


def _width(k: int) -> int:
    """Return the width of the block in a search for K pairs."""
    return k + max(4, k // 5)


def block_davidson(operator: Operator, k: int, rng: np.random.Generator, start: Array | None, tol: float) -> Eigenpairs:
    """Return the K largest eigenpairs by block Davidson from ``start``; ``path`` records whether it converged.

    The search uses products in single precision where they are cheaper. The images of the Ritz vectors found are then
    replaced by exact ones and the search continues. A further correction enters the result with a small factor, and so
    does the rounding error of its image. A few exact products thus make the whole result exact.

    In a trace-ratio problem, c follows the Ritz vectors: it rises with every step to the maximum over the search space.
    """
    width = _width(k)
    # In a trace-ratio problem c depends on every vector, so all residuals extend the space.
    at_once = width if operator.degrees is not None else max(USUAL_BLOCK, k // 3)
    if start is None:
        # In a trace-ratio problem c needs at least K vectors.
        block = rng.standard_normal((operator.n, min(width, at_once)))
    else:
        # At least one vector is random: otherwise a direction that the start lacks could not grow.
        block = np.column_stack([start[:, : width - 1], rng.standard_normal((operator.n, 1))])
    search = _SearchSpace(operator, width)
    remaining: list[float] = []
    rounding = ROUNDING if operator.double else SINGLE_ROUNDING
    products, columns, affordable = 0, 0, width * affordable_products(operator.n, k)
    while products < MAX_PRODUCTS and columns < affordable:
        search.expand(block)
        products += 1
        columns += block.shape[1]
        for _ in range(MAX_SHIFTS):
            values, residuals = search.ritz_pairs(k)
            norms = np.linalg.norm(residuals, axis=0)
            if len(values) <= k:
                unsettled, gap = np.arange(len(values)), 0.0
                break
            # A Ritz value is within its residual of an eigenvalue: unless the next one is settled, assume no gap.
            gap = max(0.0, values[k - 1] - values[k] - norms[k])
            target = max(tol * gap, rounding * search.scale)
            unsettled = np.flatnonzero(norms > target)
            if (unsettled < k).any():
                break
            if not search.shift_converged:
                continue  # c moves on, without a product
            if operator.double or (search.exact_columns and search.error(k) <= target):
                break
            search.make_images_exact()
            rounding = STORAGE_ROUNDING
            products += 1
        else:
            unsettled = np.arange(k)  # c or the exact images do not settle
        pairs = Eigenpairs(
            values[:k],
            search.vectors[:, :k],
            search.vectors,
            "davidson",
            products,
            residual=float(norms[:k].max()),
            gap=float(gap),
            shifts=tuple(search.shifts),
        )
        if not (unsettled < k).any():
            return pairs
        if search.shifts and operator.unbounded(search.shifts[-1]):
            return replace(pairs, path="components")
        remaining.append(pairs.residual)
        stalled = len(remaining) > STALLED_PRODUCTS and remaining[-1] > remaining[-1 - STALLED_PRODUCTS] / 2
        if stalled and not operator.double and not search.exact:
            search.restart_exact()
            rounding = STORAGE_ROUNDING
            products += 1
        active = (unsettled[unsettled < k + 2] if gap > 0 else unsettled)[:at_once]
        distance = np.abs(search.rough_diagonal[:, None] - values[active])
        block = residuals[:, active] / np.maximum(distance, 0.3 * norms[active] + ROUNDING * search.scale)
    return replace(pairs, path="davidson, not converged", converged=False)


class _SearchSpace:
    """An orthonormal basis V, its image under the operator, and the Ritz pairs it contains.

    The first ``exact_columns`` of the image are exact products. In a trace-ratio problem the image is that of S, and
    both VᵀSV (``projected``) and VᵀDV (``weights``) are kept, so that c can change without a product.
    """

    def __init__(self, operator: Operator, width: int) -> None:
        self.operator = operator
        self.width = width
        self.largest = max(MAX_BLOCKS * width, MAX_VECTORS)
        capacity = self.largest + width
        self.basis = np.empty((operator.n, capacity), order="F")
        self.image = np.empty((operator.n, capacity), order="F")
        self.projected = np.zeros((capacity, capacity))
        self.degrees = operator.degrees
        self.weights = None if self.degrees is None else np.zeros((capacity, capacity))
        self.shifts: list[float] = []
        self.size = 0
        self.exact = False
        self.exact_columns = 0
        self.product_error = 0.0

    def expand(self, block: Array) -> None:
        """Add directions; a full space is first cut back to its leading Ritz vectors."""
        if self.size + block.shape[1] > self.largest:
            self._rotate()
            self.size = self.width
        block = _orthonormalize(block, self.basis[:, : self.size])
        old, new = slice(0, self.size), slice(self.size, self.size + block.shape[1])
        self.basis[:, new] = block
        self.image[:, new] = self.operator.apply(block, exact=self.exact)
        # Computed from the older images, which are the more exact ones.
        self.projected[old, new] = self.image[:, old].T @ block
        self.projected[new, old] = self.projected[old, new].T
        self.projected[new, new] = block.T @ self.image[:, new]
        self.size = new.stop
        if self.weights is not None and self.degrees is not None:
            self.weights[: self.size, new] = self.basis[:, : self.size].T @ (self.degrees[:, None] * block)
            self.weights[new, old] = self.weights[old, new].T

    @property
    def shift(self) -> float:
        """The current c, 0 if the problem has none."""
        return self.shifts[-1] if self.shifts else 0.0

    @property
    def rough_diagonal(self) -> Array:
        """The preconditioner at the current c."""
        rough = self.operator.rough_diagonal
        return rough if self.degrees is None else rough - self.shift * self.degrees

    def ritz_pairs(self, k: int) -> tuple[Array, Array]:
        """Return the leading Ritz values, descending, and their residuals; store their vectors in ``vectors``.

        In a trace-ratio problem, c is first raised to its value at the Ritz vectors, repeatedly.
        """
        self._solve_projected()
        self.shift_converged = self.weights is None
        for _ in range(MAX_SHIFTS if self.weights is not None else 0):
            change = self._raise_shift(k)
            self._solve_projected()
            self.shift_converged = change <= SHIFT_CONVERGED
            if change <= SHIFT_SETTLED:
                break
        leading = self.rotation[:, : self.width]
        self.vectors = self.basis[:, : self.size] @ leading
        residuals = self.image[:, : self.size] @ leading - self.vectors * self.values[: self.width]
        if self.degrees is not None:
            residuals -= self.shift * self.degrees[:, None] * self.vectors
        return self.values[: self.width], residuals

    def _solve_projected(self) -> None:
        used = slice(0, self.size)
        matrix = self.projected[used, used]
        if self.weights is not None:
            matrix = matrix - self.shift * self.weights[used, used]
        values, rotation = np.linalg.eigh(matrix)
        self.scale = max(abs(values[0]), abs(values[-1]))
        self.values, self.rotation = values[::-1], rotation[:, ::-1]

    def _raise_shift(self, k: int) -> float:
        """Set c to its value at the leading K Ritz vectors; return the relative change of c / (1 − c)."""
        assert self.weights is not None
        leading = self.rotation[:, :k]
        total = float(np.sum(leading * (self.weights[: self.size, : self.size] @ leading)))  # tr(PᵀDP)
        # tr(Pᵀ(S − cD)P) is the sum of the eigenvalues.
        gained = float(self.values[:k].sum()) / total
        self.shifts.append(self.shift + gained)
        # Where the graph is nearly disconnected, 1 − c is a difference and rounding moves it.
        rounding = k * np.finfo(float).eps * max(1.0, self.scale / total)
        slack = max(self.shift * (1 - self.shift), np.finfo(float).tiny)
        return 0.0 if abs(gained) <= rounding else abs(gained) / slack

    def error(self, k: int) -> float:
        """Return the error of the first k residuals caused by images in single precision."""
        if self.exact:
            return 0.0
        inexact = self.rotation[self.exact_columns :, :k]
        return self.product_error * float(np.linalg.norm(inexact, axis=0).max())

    def make_images_exact(self) -> None:
        """Rotate the basis to the Ritz vectors and recompute the images of the leading ones exactly."""
        self._rotate()
        leading = slice(0, min(self.width, self.size))
        images = self.operator.apply(self.basis[:, leading], exact=True)
        # Both products are available here: measure the error of the products in single precision.
        self.product_error = float(np.linalg.norm(images - self.image[:, leading], axis=0).max())
        self.image[:, leading] = images
        self.projected[: self.size, leading] = self.basis[:, : self.size].T @ self.image[:, leading]
        self.projected[leading, : self.size] = self.projected[: self.size, leading].T
        self.exact_columns = leading.stop

    def restart_exact(self) -> None:
        """Keep only the leading Ritz vectors and use exact products from here on."""
        self.make_images_exact()
        self.size = self.exact_columns
        self.exact = True

    def _rotate(self) -> None:
        """Rotate the basis to the Ritz vectors."""
        used = slice(0, self.size)
        self.basis[:, used] = self.basis[:, used] @ self.rotation
        self.image[:, used] = self.image[:, used] @ self.rotation
        self.projected[used, used] = np.diag(self.values)
        if self.weights is not None:
            self.weights[used, used] = self.rotation.T @ self.weights[used, used] @ self.rotation
            self.projected[used, used] += self.shift * self.weights[used, used]


def _orthonormalize(block: Array, basis: Array) -> Array:
    """Return an orthonormal basis of the part of ``block`` orthogonal to ``basis``."""
    for _ in range(2):  # twice is enough for full precision
        norms = np.linalg.norm(block, axis=0)
        block = block[:, norms > 0] / norms[norms > 0]
        block = block - basis @ (basis.T @ block)
        block, triangle = np.linalg.qr(block)
        block = block[:, np.abs(triangle.diagonal()) > ROUNDING]
    return block
