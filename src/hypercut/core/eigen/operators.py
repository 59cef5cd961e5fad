"""The operators that are diagonalised, and the eigenpairs that a solver returns."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hypercut.core.components import component_indicators, connected_components
from hypercut.core.samples import Array
from hypercut.core.similarity import Rescaled, Similarity

# Residuals below this fraction of ‖M‖ are rounding: the rounding of double precision; of entries stored in single
# precision, whose results agree between machines no better than this; and of products in single precision.
ROUNDING = 1e-12
STORAGE_ROUNDING = 1e-8
SINGLE_ROUNDING = 1e-6

# If 1 − c = tr(PᵀQP) / tr(PᵀDP) is below this, the graph may have K components: look for them.
UNBOUNDED = 1e-5


class Operator(ABC):
    """A symmetric matrix M derived from a similarity S, known by its products."""

    #: The diagonal of D if the solver also seeks c in M = S − cD (:class:`TraceRatioProblem`), else None.
    degrees: Array | None = None

    def __init__(self, similarity: Similarity) -> None:
        self.n = similarity.n
        self.similarity = similarity
        #: Whether products are in double precision even with ``exact=False``.
        self.double = similarity.double

    @property
    @abstractmethod
    def rough_diagonal(self) -> Array:
        """The preconditioner, see :attr:`hypercut.core.similarity.Similarity.rough_diagonal`."""

    def at(self, shift: float) -> "Operator":
        """Return M for the c that the solver has found; M itself if it seeks none."""
        return self

    def unbounded(self, shift: float) -> bool:
        """Whether the problem has no solution."""
        return False

    @abstractmethod
    def apply(self, vectors: Array, *, exact: bool = True) -> Array:
        """Return M·V; see :meth:`hypercut.core.similarity.Similarity.apply`."""

    @abstractmethod
    def dense(self) -> Array:
        """Form M."""


class Normalized(Operator):
    """D^−½ S D^−½. A vertex without edges has a zero row."""

    def __init__(self, similarity: Similarity) -> None:
        super().__init__(similarity)
        self._rescaled = Rescaled(similarity)
        self.scale = self._rescaled.scale

    def stationary(self, k: int) -> Array:
        """Return at most k eigenvectors of eigenvalue 1: one per component of the graph, the largest first."""
        components = len(np.unique(connected_components(self.similarity)[self.scale > 0]))
        indicators = component_indicators(self.similarity, min(k, components))
        assert indicators is not None
        return self.from_indicators(indicators)

    def from_indicators(self, indicators: Array) -> Array:
        """Return the unit eigenvectors D^½1 of eigenvalue 1 on components, given their indicator vectors."""
        vectors = np.sqrt(self.similarity.degrees)[:, None] * indicators
        return vectors / np.linalg.norm(vectors, axis=0)

    @property
    def rough_diagonal(self) -> Array:  # noqa: D102
        return self._rescaled.rough_diagonal

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:  # noqa: D102
        return self._rescaled.apply(vectors, exact=exact)

    def dense(self) -> Array:  # noqa: D102
        return self._rescaled.dense()


class TraceRatioProblem(Operator):
    """S − cD with c = tr(PᵀSP) / tr(PᵀDP) for P its own K largest eigenvectors.

    These P maximise c, and so the trace ratio tr(PᵀSP) / tr(PᵀQP) = c / (1 − c), Q = D − S. Products are those of S.
    """

    def __init__(self, similarity: Similarity, k: int) -> None:
        super().__init__(similarity)
        self.k = k
        self.degrees: Array = similarity.degrees

    @property
    def rough_diagonal(self) -> Array:  # noqa: D102
        return self.similarity.rough_diagonal

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:  # noqa: D102
        return self.similarity.apply(vectors, exact=exact)

    def dense(self) -> Array:  # noqa: D102
        return self.similarity.dense()

    def at(self, shift: float) -> Operator:  # noqa: D102
        return DegreeShifted(self.similarity, shift)

    def unbounded(self, shift: float) -> bool:
        """Whether c is near 1 because the graph has at least K components, so that the trace ratio has no maximum."""
        return 1 - shift <= UNBOUNDED and self.indicators is not None

    @cached_property
    def indicators(self) -> Array | None:
        """K indicator vectors of unions of components, None if the graph has fewer than K."""
        return component_indicators(self.similarity, self.k)


class DegreeShifted(Operator):
    """S − cD for a given c."""

    def __init__(self, similarity: Similarity, c: float) -> None:
        super().__init__(similarity)
        self.shift = c * similarity.degrees

    @cached_property
    def rough_diagonal(self) -> Array:  # noqa: D102
        return self.similarity.rough_diagonal - self.shift

    def apply(self, vectors: Array, *, exact: bool = True) -> Array:  # noqa: D102
        return self.similarity.apply(vectors, exact=exact) - self.shift[:, None] * vectors

    def dense(self) -> Array:  # noqa: D102
        return self.similarity.dense() - np.diag(self.shift)


@dataclass(frozen=True)
class Eigenpairs:
    """The K largest eigenvalues, descending, their vectors, how they were found, and whether the solver converged.

    ``search`` holds further Ritz vectors: a good start for a related problem. ``gap`` is a lower estimate of
    λ_K − λ_{K+1}; ``residual`` is the largest ‖Mx − λx‖; their quotient bounds the error of the subspace. ``products``
    counts products of M with a block of vectors, for ``lanczos`` with a single vector. ``shifts`` has the c at every
    step of a :class:`TraceRatioProblem`.
    """

    values: Array
    vectors: Array
    search: Array
    path: str
    products: int = 0
    residual: float = 0.0
    gap: float = np.inf
    shifts: tuple[float, ...] = ()
    converged: bool = True

    @property
    def shift(self) -> float:
        """The c of a trace-ratio problem, else 0."""
        return self.shifts[-1] if self.shifts else 0.0

    @property
    def solver(self) -> dict[str, float | str]:
        """The path taken and its figures, for the record of a run."""
        return {"path": self.path, "products": self.products, "residual": self.residual, "gap": self.gap}
