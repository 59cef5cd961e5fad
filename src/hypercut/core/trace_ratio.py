"""The discriminative hypergraph partitioning criterion (DHPC): a trace ratio, maximised by Newton–Lanczos."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hypercut.core.eigen import DegreeShifted, Eigenpairs, TraceRatioProblem, top_eigenpairs
from hypercut.core.normalized_cut import normalized_cut_vectors
from hypercut.core.samples import Array
from hypercut.core.similarity import Similarity
from hypercut.errors import InputError


@dataclass(frozen=True)
class TraceRatio:
    """A maximiser P of the trace ratio and how it was found.

    ``ratios`` holds the trace ratio at the start and after each step. No step lowers it, except by rounding: products
    before the last step are in the precision in which S is stored. ``status`` is ``ok``, ``not_converged``, or
    ``degenerate`` if the graph has at least K components: the ratio is then unbounded, and P holds component
    indicators.
    """

    vectors: Array
    ratios: list[float]
    status: str
    eigenpairs: Eigenpairs

    @property
    def n_iter(self) -> int:
        """Number of steps."""
        return len(self.ratios) - 1


def maximize_trace_ratio(
    similarity: Similarity,
    k: int,
    rng: np.random.Generator,
    *,
    start: Array | None = None,
    newton_steps: int | None = None,
) -> TraceRatio:
    """Maximise tr(PᵀSP) / tr(PᵀQP) over PᵀP = I with Q = D − S, Eq. (19), eq:GraphOptimization5.

    Newton–Lanczos: with r the ratio at P (the paper's ρ), the next P holds the top K eigenvectors of S − rQ. The ratio
    rises at every step and reaches the global maximum from any start; there the top K eigenvalues of S − rQ sum to
    zero. Since S − rQ = (1 + r)(S − cD) with c = r/(1 + r), no matrix is formed.

    The eigensolver takes the Newton steps itself: whenever it has extended its search space, it takes the best c for
    the vectors of that space and continues with S − cD. That needs no further product with S.

    The paper starts from the top eigenvectors of Q⁻¹S, which are the normalised-cut vectors. The maximum does not
    depend on the start, so the start is random here unless ``start`` (N, at least K) is given. With ``newton_steps``,
    exactly this number of steps is taken from the paper's start instead.
    """
    if k < 2:
        raise InputError(f"Expected at least 2 clusters, found {k}: the trace ratio of one cluster is unbounded.")
    if newton_steps is not None:
        return _from_normalized_cut(similarity, k, rng, newton_steps)
    problem = TraceRatioProblem(similarity, k)
    pairs = top_eigenpairs(problem, k, rng, start=start)
    ratios = _ratios(pairs.shifts)
    if problem.unbounded(pairs.shift):
        assert problem.indicators is not None
        return TraceRatio(problem.indicators, [*ratios, np.inf], "degenerate", pairs)
    return TraceRatio(pairs.vectors, ratios, "ok" if pairs.converged else "not_converged", pairs)


def _from_normalized_cut(similarity: Similarity, k: int, rng: np.random.Generator, steps: int) -> TraceRatio:
    """Return P after ``steps`` Newton steps from the orthonormalised normalised-cut vectors."""
    cut = normalized_cut_vectors(similarity, k, rng)
    vectors, pairs, converged = np.linalg.qr(cut.vectors)[0], cut.eigenpairs, cut.eigenpairs.converged
    shifts = [_shift(similarity, vectors)]
    for _ in range(0 if cut.degenerate else steps):
        pairs = top_eigenpairs(DegreeShifted(similarity, shifts[-1]), k, rng, start=vectors)
        vectors, converged = pairs.vectors, converged and pairs.converged
        shifts.append(_shift(similarity, vectors))
    status = "degenerate" if cut.degenerate else "ok" if converged else "not_converged"
    return TraceRatio(vectors, _ratios(shifts), status, pairs)


def _shift(similarity: Similarity, vectors: Array) -> float:
    """Return c = tr(PᵀSP) / tr(PᵀDP)."""
    within = float(np.sum(vectors * similarity.apply(vectors)))
    return within / float(np.sum(vectors**2 * similarity.degrees[:, None]))


def _ratios(shifts: Sequence[float]) -> list[float]:
    """Return the trace ratios c / (1 − c)."""
    return [c / max(1 - c, np.finfo(float).tiny) for c in shifts]
