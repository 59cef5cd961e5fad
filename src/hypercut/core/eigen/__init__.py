"""The K largest eigenpairs of a symmetric operator, checked for completeness.

The problem: given a symmetric M, find orthonormal X (N×K) that maximises tr(XᵀMX). :func:`top_eigenpairs` chooses the
solver:

``dense``
    ``scipy.linalg.eigh`` on the formed matrix. Fastest for small N or many pairs, and the fallback when Davidson does
    not converge within the operations that LAPACK needs, or is found incomplete three times. Beyond 12,000 samples the
    matrix would take gigabytes and is never formed; ``converged`` is then False.
``davidson``
    Block Davidson with the diagonal preconditioner |diag(M) − θ|⁻¹, for dense similarities. The block is wider than K,
    so it usually finds every copy of a repeated eigenvalue; single-vector Lanczos (``scipy.sparse.linalg.eigsh``)
    silently skips copies. At small σ the eigenvectors of a trace-ratio problem sit on single vertices of low degree,
    where plain Krylov steps are slow: on USPS, one step at σ = ρ takes 42 block products without the preconditioner, 12
    with it.
``lanczos``
    ``scipy.sparse.linalg.eigsh``, for sparse factors, where products are cheap: ten pairs of 20,000 digits take 0.9 s
    instead of Davidson's 10 s. It finds one vector of a repeated eigenvalue. So the vectors of eigenvalue 1, known
    from the connected components, are deflated first, then the pairs found, until the next eigenvalue is no larger than
    the K-th. If ARPACK does not converge, Davidson runs instead.

Every final Davidson result passes a completeness check: the vectors found are deflated, and a few Lanczos steps from a
random vector look for a larger eigenvalue. If there is one, its vector joins the search and the iteration continues.
"""

from hypercut.core.eigen.operators import DegreeShifted, Eigenpairs, Normalized, TraceRatioProblem
from hypercut.core.eigen.solve import TOLERANCE, top_eigenpairs

__all__ = ["TOLERANCE", "DegreeShifted", "Eigenpairs", "Normalized", "TraceRatioProblem", "top_eigenpairs"]
