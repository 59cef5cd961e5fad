"""Similarity matrices that are applied to vectors but not formed.

A similarity S is symmetric with entries ≥ 0. Partitioning needs only its product with a block of vectors, its degrees
d = S·1 and its diagonal. So the kernel A is the only dense matrix, the kNN similarity B is sparse, the over-clustering
similarity C is stored as its factor, and their weighted sum S takes no memory.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from hypercut.core.blocks import map_row_blocks, parallel_map
from hypercut.core.samples import Array, IntArray

# Products with a zero-diagonal matrix are differences of numbers near 1. A degree below this is rounding, and the
# vertex counts as one without edges.
NO_DEGREE = 1e-12

# A vertex is connected to a set if more than this share of its degree leads there; a smaller share is rounding.
CONNECTED_SHARE = 1e-12

# A kernel is smooth if a typical sample is similar to this many others.
SMOOTH_DEGREE = 100

# Rows of a block in a product.
PRODUCT_ROWS = 1024
# The same if the block is widened to double precision and must fit into the cache.
WIDENED_ROWS = 64
# The same for a sparse matrix: a product with fewer rows takes less time than starting a thread.
SPARSE_ROWS = 2**16


class Similarity(ABC):
    """A symmetric matrix with entries ≥ 0, known by its products."""

    #: Whether products are in double precision even with ``exact=False``.
    double: bool = True
    #: Whether a product costs less than the other work of an eigensolver step; such a similarity is also positive
    #: semidefinite.
    cheap: bool = False

    def __init__(self, n: int) -> None:
        self.n = n

    @abstractmethod
    def apply(self, vectors: Array, *, exact: bool = True) -> Array:
        """Return S·V for V of shape (N, m), in double precision.

        With ``exact=False`` the product may be accumulated in the precision of the storage. In single precision this
        takes a third of the time, and the error is 1e-7 relative to ‖S‖.
        """

    @property
    @abstractmethod
    def rough_diagonal(self) -> Array:
        """The diagonal of S without its smooth part, such as a kernel, which few eigenvectors nearly span.

        It preconditions the eigensolver, since S is almost this diagonal on the complement of these eigenvectors.
        """

    @property
    def smooth(self) -> bool:
        """Whether few eigenvectors nearly span S."""
        return False

    @cached_property
    def degrees(self) -> Array:
        """d = S·1."""
        return self.apply(np.ones((self.n, 1)))[:, 0]

    @property
    def norm(self) -> float:
        """The Frobenius norm of S."""
        return float(np.linalg.norm(self.dense()))

    @abstractmethod
    def dense(self) -> Array:
        """Return S as an array in double precision, for small N or if the iterative eigensolver fails."""


class Dense(Similarity):
    """A stored symmetric matrix; ``diagonal`` replaces its own, if given."""

    def __init__(self, matrix: Array, *, diagonal: Array | float | None = None) -> None:
        super().__init__(len(matrix))
        self.matrix = matrix
        self._given = diagonal
        self.double = matrix.dtype == np.float64

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:  # noqa: D102
        product = multiply(self.matrix, vectors, exact=exact)
        if self._given is not None:
            product += (self.diagonal - self._stored_diagonal)[:, None] * vectors
        return product

    @cached_property
    def diagonal(self) -> Array:
        """The diagonal of S."""
        return self._stored_diagonal if self._given is None else np.broadcast_to(self._given, (self.n,))

    @cached_property
    def _stored_diagonal(self) -> Array:
        return self.matrix.diagonal().astype(np.float64)

    @property
    def rough_diagonal(self) -> Array:  # noqa: D102
        return np.asarray(self.diagonal - self.smooth * self._stored_diagonal)

    @property
    def smooth(self) -> bool:  # noqa: D102
        return bool(np.median(self.degrees) > SMOOTH_DEGREE)

    @cached_property
    def degrees(self) -> Array:  # noqa: D102
        return np.concatenate(map_row_blocks(lambda rows: self._block(rows).sum(axis=1, dtype=np.float64), self.n))

    @property
    def norm(self) -> float:  # noqa: D102
        squares = map_row_blocks(lambda rows: float(np.sum(self._block(rows).astype(np.float64) ** 2)), self.n)
        return float(np.sqrt(sum(squares)))

    def _block(self, rows: slice) -> Array:
        """Return rows of S. Correcting sums of stored rows would leave rounding errors in the degrees of outliers."""
        block = self.matrix[rows]
        if self._given is not None:
            block = block.copy()
            np.fill_diagonal(block[:, rows], self.diagonal[rows])
        return block

    def dense(self) -> Array:  # noqa: D102
        formed = self.matrix.astype(np.float64)
        if self._given is not None:
            np.fill_diagonal(formed, self.diagonal)
        return formed

    def without_diagonal(self) -> "Dense":
        """Return the same matrix with a zero diagonal; shares the memory."""
        return self.with_diagonal(0.0)

    def with_diagonal(self, diagonal: Array | float) -> "Dense":
        """Return the same matrix with another diagonal; shares the memory."""
        return Dense(self.matrix, diagonal=diagonal)


class Sparse(Similarity):
    """A sparse matrix; ``semidefinite`` says that it has no negative eigenvalue."""

    def __init__(self, matrix: Any, *, semidefinite: bool = False) -> None:
        super().__init__(matrix.shape[0])
        self.matrix = sp.csr_array(matrix)
        self.cheap = semidefinite

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:  # noqa: D102
        return self.matrix @ vectors

    @cached_property
    def rough_diagonal(self) -> Array:  # noqa: D102
        return self.matrix.diagonal()

    @cached_property
    def components(self) -> IntArray:
        """The connected component of each vertex."""
        entries = self.matrix.tocoo()
        bound = np.where(self.degrees > NO_DEGREE, CONNECTED_SHARE * self.degrees, np.inf)
        joins = entries.data > bound[entries.row]
        joined = sp.coo_array((joins[joins], (entries.row[joins], entries.col[joins])), shape=entries.shape)
        _, labels = csgraph.connected_components(joined, directed=False)
        return np.unique(labels, return_inverse=True)[1]

    @property
    def norm(self) -> float:  # noqa: D102
        return float(np.linalg.norm(self.matrix.data))

    def dense(self) -> Array:  # noqa: D102
        return self.matrix.toarray()

    def without_diagonal(self) -> "Sparse":
        """Return the same matrix with a zero diagonal."""
        return Sparse(self.matrix - sp.diags_array(self.matrix.diagonal()))

    def with_diagonal(self, diagonal: Array) -> "Sparse":
        """Return the same matrix with another diagonal."""
        return Sparse(self.without_diagonal().matrix + sp.diags_array(diagonal))


class Factored(Similarity):
    """F·Fᵀ, given the sparse factor F of shape (N, L); with a zero diagonal if ``hollow``."""

    def __init__(self, factor: Any, *, hollow: bool = False) -> None:
        super().__init__(factor.shape[0])
        self.factor = sp.csr_array(factor)
        self.hollow = hollow
        self.cheap = not hollow
        self._transposed = self.factor.T.tocsr()

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:  # noqa: D102
        product = self.factor @ (self._transposed @ vectors)
        return product - self._squares[:, None] * vectors if self.hollow else product

    @cached_property
    def _squares(self) -> Array:
        """The diagonal of F·Fᵀ."""
        return np.asarray(self.factor.power(2).sum(axis=1))

    @cached_property
    def rough_diagonal(self) -> Array:  # noqa: D102
        n, rank = self.factor.shape
        rough = np.zeros(n) if rank < n // 2 else self._squares
        return rough - self.hollow * self._squares

    @cached_property
    def degrees(self) -> Array:  # noqa: D102
        return np.maximum(super().degrees, 0)  # rounding may make the difference negative

    @property
    def norm(self) -> float:  # noqa: D102
        # ‖FFᵀ‖ = ‖FᵀF‖, which is the smaller matrix.
        squared = float(np.linalg.norm((self._transposed @ self.factor).data)) ** 2
        return float(np.sqrt(max(squared - self.hollow * float(np.sum(self._squares**2)), 0)))

    def dense(self) -> Array:  # noqa: D102
        formed = (self.factor @ self._transposed).toarray()
        return formed - np.diag(self._squares) if self.hollow else formed

    def without_diagonal(self) -> "Factored":
        """Return the same matrix with a zero diagonal."""
        return Factored(self.factor, hollow=True)


class Rescaled(Similarity):
    """D^−½ S D^−½ as a similarity; a vertex without edges has a zero row."""

    def __init__(self, similarity: Similarity) -> None:
        super().__init__(similarity.n)
        self.similarity = similarity
        self.double = similarity.double
        degrees = similarity.degrees
        self.scale = np.divide(1, np.sqrt(degrees), out=np.zeros(self.n), where=degrees > NO_DEGREE)

    @cached_property
    def _blocks(self) -> list[Any]:
        """The rescaled matrix in blocks of rows if S is sparse and cheap; otherwise empty."""
        if not isinstance(self.similarity, Sparse) or not self.similarity.cheap:
            return []
        data, indices, indptr = (getattr(self.similarity.matrix, name) for name in ("data", "indices", "indptr"))
        scaled = data * np.repeat(self.scale, np.diff(indptr)) * self.scale[indices]
        blocks = []
        for first in range(0, self.n, SPARSE_ROWS):
            starts = indptr[first : first + SPARSE_ROWS + 1]
            own = slice(starts[0], starts[-1])
            blocks.append(sp.csr_array((scaled[own], indices[own], starts - starts[0]), (len(starts) - 1, self.n)))
        return blocks

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:  # noqa: D102
        if len(self._blocks) == 1:
            return self._blocks[0] @ vectors
        if self._blocks:
            return np.concatenate(parallel_map(lambda block: block @ vectors, self._blocks))
        scale = self.scale[:, None]
        return scale * self.similarity.apply(scale * vectors, exact=exact)

    @cached_property
    def rough_diagonal(self) -> Array:  # noqa: D102
        return self.scale**2 * self.similarity.rough_diagonal

    def dense(self) -> Array:  # noqa: D102
        return self.scale[:, None] * self.similarity.dense() * self.scale


class WeightedSum(Similarity):
    """Σ w_v S_v, Eq. (11), eq:hyper_similarity_measure; terms of weight zero are dropped."""

    def __init__(self, terms: Sequence[tuple[float, Similarity]]) -> None:
        super().__init__(terms[0][1].n)
        self.terms = [(weight, term) for weight, term in terms if weight != 0]
        self.double = all(term.double for _, term in self.terms)

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:  # noqa: D102
        total = np.zeros(vectors.shape)
        for weight, term in self.terms:
            total += weight * term.apply(vectors, exact=exact)
        return total

    @cached_property
    def rough_diagonal(self) -> Array:  # noqa: D102
        return np.sum([weight * term.rough_diagonal for weight, term in self.terms], axis=0)

    @cached_property
    def degrees(self) -> Array:  # noqa: D102
        return np.sum([weight * term.degrees for weight, term in self.terms], axis=0)

    def dense(self) -> Array:  # noqa: D102
        return sum((weight * term.dense() for weight, term in self.terms), start=np.zeros((self.n, self.n)))


def multiply(matrix: Array, vectors: Array, *, exact: bool) -> Array:
    """Return matrix @ vectors in double precision; see :meth:`Similarity.apply` for ``exact``.

    A single-precision matrix is widened block by block, so that sums add no rounding error: the only error is that of
    the stored entries, 6e-8 relative to each. Nearly disconnected graphs need this, since their smallest Laplacian
    eigenvalues are smaller than the error of a single-precision product.
    """
    if matrix.dtype == np.float64 or not exact:
        # Transposed: BLAS is faster with the long side of the few vectors contiguous.
        transposed = np.ascontiguousarray(vectors.T, dtype=matrix.dtype)
        blocks = map_row_blocks(lambda rows: transposed @ matrix[rows].T, len(matrix), PRODUCT_ROWS)
        return np.concatenate(blocks, axis=1, dtype=np.float64).T
    widened = map_row_blocks(lambda rows: matrix[rows].astype(np.float64) @ vectors, len(matrix), WIDENED_ROWS)
    return np.concatenate(widened)
