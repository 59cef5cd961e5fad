"""The discriminative hypergraph partitioning criterion: a trace ratio, maximised by Newton–Lanczos."""

from dataclasses import dataclass

import numpy as np

from hypercut.core.components import component_indicators
from hypercut.core.eigen import TOLERANCE, DegreeShifted, Eigenpairs, Normalized, top_eigenpairs
from hypercut.core.samples import Array
from hypercut.core.similarity import Similarity
from hypercut.errors import InputError

# If tr(PᵀQP) is below this fraction of tr(PᵀDP), the graph may have K components: look for them.
UNBOUNDED = 1e-5

# Newton converges quadratically: once a step moves the ratio by less than this fraction, the next one moves it by
# about the square.
SETTLED = 1e-5
# At most this many steps use rough eigenvectors: where tr(PᵀQP) is small compared with their error, progress is slow.
MAX_ROUGH_STEPS = 8
SMALL = 1e-3
CONVERGED = 1e-8
MAX_STEPS = 50

# Subspace error allowed in the eigenvectors of a Newton step that is not the last.
ROUGH = 1e-2


@dataclass(frozen=True)
class TraceRatio:
    """A maximiser P of the trace ratio and how it was found.

    ``ratios`` holds the trace ratio at the start and after each Newton step; it never falls except by rounding (before
    the last step, that of the storage). ``status`` is ``ok``, ``not_converged``, or ``degenerate`` if the graph has at
    least K components, so that the ratio is unbounded and P holds component indicators. ``eigenpairs`` is the last
    eigenproblem, None if the start was already degenerate.
    """

    vectors: Array
    ratios: list[float]
    status: str
    eigenpairs: Eigenpairs | None

    @property
    def n_iter(self) -> int:
        """Number of Newton steps."""
        return len(self.ratios) - 1


def maximize_trace_ratio(
    similarity: Similarity, k: int, rng: np.random.Generator, *, start: Array | None = None
) -> TraceRatio:
    """Maximise tr(PᵀSP) / tr(PᵀQP) over PᵀP = I, Q = D − S (eq:GraphOptimization5).

    Newton–Lanczos: with ρ the ratio at P, the next P holds the K largest eigenvectors of S − ρQ. The ratio rises at
    every step to the global maximum from any start: there the K largest eigenvalues of S − ρQ sum to zero. Since
    S − ρQ = (1 + ρ)(S − cD) with c = ρ/(1 + ρ), no matrix is formed.

    ``start`` (N, at least K) is the first P, any basis. By default it holds the normalised-cut vectors, which are the
    paper's top eigenvectors of Q⁻¹S: S x = λ(D − S)x ⇔ S x = λ/(1 + λ) D x.
    """
    if k < 2:
        raise InputError(f"Expected at least 2 clusters, found {k}: the trace ratio of one cluster is unbounded.")
    degrees = similarity.degrees[:, None]
    search = np.linalg.qr(_start(similarity, k, rng) if start is None else start)[0]
    vectors = search[:, :k]
    pairs: Eigenpairs | None = None
    total = float(np.sum(vectors**2 * degrees))  # tr(PᵀDP)
    within = float(np.sum(vectors * similarity.apply(vectors)))  # tr(PᵀSP)
    ratios: list[float] = []
    final = False
    while len(ratios) <= MAX_STEPS:
        between = total - within
        if between <= UNBOUNDED * total:
            indicators = component_indicators(similarity, k)
            if indicators is not None:
                return TraceRatio(indicators, [*ratios, np.inf], "degenerate", pairs)
        ratios.append(within / max(between, np.finfo(float).tiny))
        change = ratios[-1] - ratios[-2] if len(ratios) > 1 else np.inf
        if final and change <= CONVERGED * ratios[-1]:
            settled = pairs is not None and pairs.converged
            return TraceRatio(vectors, ratios, "ok" if settled else "not_converged", pairs)
        creeping = between <= SMALL * total or len(ratios) > MAX_ROUGH_STEPS
        final = final or creeping or change <= SETTLED * ratios[-1]
        c = ratios[-1] / (1 + ratios[-1])
        tol = TOLERANCE if final else ROUGH
        pairs = top_eigenpairs(DegreeShifted(similarity, c), k, rng, start=search, tol=tol, final=final)
        vectors, search = pairs.vectors, pairs.search
        # tr(Pᵀ(S − cD)P) is the sum of the eigenvalues, so tr(PᵀSP) needs no product.
        total = float(np.sum(vectors**2 * degrees))
        within = float(pairs.values.sum()) + c * total
    return TraceRatio(vectors, ratios, "not_converged", pairs)


def _start(similarity: Similarity, k: int, rng: np.random.Generator) -> Array:
    """Return the normalised-cut vectors and the further Ritz vectors found, which speed up the first step."""
    operator = Normalized(similarity)
    return operator.scale[:, None] * top_eigenpairs(operator, k, rng, tol=ROUGH, final=False).search
