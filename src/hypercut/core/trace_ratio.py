"""The discriminative hypergraph partitioning criterion: a trace ratio, maximised by Newton–Lanczos."""

from dataclasses import dataclass

import numpy as np

from hypercut.core.components import component_indicators
from hypercut.core.eigen import DegreeShifted, Eigenpairs, top_eigenpairs
from hypercut.core.normalized_cut import normalized_cut_vectors
from hypercut.core.samples import Array
from hypercut.core.similarity import Similarity

# tr(PᵀQP) below this fraction of tr(PᵀDP) is zero up to rounding: the graph falls apart into K pieces.
UNBOUNDED = 1e-12

# Newton converges quadratically: once a step moves the ratio by less than this fraction, the next one moves it by
# about the square.
SETTLED = 1e-3
CONVERGED = 1e-8
MAX_STEPS = 50

# Subspace error allowed in the eigenvectors of a Newton step that is not the last.
ROUGH = 1e-2


@dataclass(frozen=True)
class TraceRatio:
    """A maximiser P of the trace ratio and the way to it.

    ``ratios`` holds the trace ratio at the start and after each Newton step, never falling. ``status`` is ``ok``;
    ``degenerate`` if the graph has at least K components, so that the ratio is unbounded and P holds component
    indicators; or ``not_converged``.
    """

    vectors: Array
    ratios: list[float]
    status: str
    eigenpairs: Eigenpairs

    @property
    def n_iter(self) -> int:
        """Number of Newton steps."""
        return len(self.ratios) - 1


def maximize_trace_ratio(
    similarity: Similarity, k: int, rng: np.random.Generator, *, start: Array | None = None
) -> TraceRatio:
    """Maximise tr(PᵀSP) / tr(PᵀQP) over PᵀP = I, Q = D − S (eq:GraphOptimization5).

    Newton–Lanczos: with ρ the ratio at P, the next P holds the K largest eigenvectors of S − ρQ. The ratio rises at
    every step to the global maximum, whatever the start: there the K largest eigenvalues of S − ρQ sum to zero. Since
    S − ρQ = (1 + ρ)(S − cD) with c = ρ/(1 + ρ), no matrix is formed.

    Parameters
    ----------
    start : ndarray of shape (N, at least K), optional
        The first P, any basis. By default the normalised-cut vectors, which are the paper's top eigenvectors of Q⁻¹S:
        S x = λ(D − S)x ⇔ S x = λ/(1 + λ) D x.
    """
    degrees = similarity.degrees[:, None]
    if start is None:
        first = normalized_cut_vectors(similarity, k, rng, final=False)
        # The further Ritz vectors of the search make a better start than K vectors alone.
        start = first.eigenpairs.search / np.sqrt(np.maximum(degrees, np.finfo(float).tiny))
    search = np.linalg.qr(start)[0]
    vectors = search[:, :k]
    within = float(np.sum(vectors * similarity.apply(vectors)))
    total = float(np.sum(vectors**2 * degrees))
    ratios: list[float] = []
    final = False
    for _ in range(MAX_STEPS):
        between = total - within
        if between <= UNBOUNDED * total:
            indicators = component_indicators(similarity, k)
            if indicators is not None:
                return TraceRatio(indicators, [*ratios, np.inf], "degenerate", pairs if ratios else first.eigenpairs)
        ratios.append(within / max(between, np.finfo(float).tiny))
        change = ratios[-1] - ratios[-2] if len(ratios) > 1 else np.inf
        if final and change <= CONVERGED * ratios[-1]:
            return TraceRatio(vectors, ratios, "ok", pairs)
        final = final or change <= SETTLED * ratios[-1]
        c = ratios[-1] / (1 + ratios[-1])
        tol = 1e-4 if final else ROUGH
        pairs = top_eigenpairs(DegreeShifted(similarity, c), k, rng, start=search, tol=tol, final=final)
        vectors, search = pairs.vectors, pairs.search
        total = float(np.sum(vectors**2 * degrees))
        # The eigenvalues of a step that is not final carry the rounding of its products.
        within = float(pairs.values.sum()) + c * total if final else float(np.sum(vectors * similarity.apply(vectors)))
    return TraceRatio(vectors, ratios, "not_converged", pairs)
