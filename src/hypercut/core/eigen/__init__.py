"""The K largest eigenpairs of a symmetric operator, checked for completeness.

The problem: given a symmetric M, find orthonormal X (N×K) that maximises tr(XᵀMX). :func:`top_eigenpairs` chooses the
solver:

``dense``
    ``scipy.linalg.eigh`` on the formed matrix. It is fastest for small N or many pairs, and the fallback when Davidson
    does not converge within the operations that LAPACK needs, or is found incomplete three times. Beyond 12,000 samples
    the matrix would take gigabytes and is never formed; ``converged`` is then False.
``davidson``
    Block Davidson with a diagonal preconditioner, for dense similarities. The block has several vectors, so it usually
    finds every copy of a repeated eigenvalue; single-vector Lanczos (``scipy.sparse.linalg.eigsh``) silently skips
    copies. A kernel at large σ is smooth: a few eigenvectors nearly span it. On all other vectors, the matrix is almost
    the diagonal that remains without the kernel, such as −1/d_i if the kernel's own diagonal is zero. This
    :attr:`~hypercut.core.similarity.Similarity.rough_diagonal` preconditions the search. In a trace-ratio problem the
    search space also yields c (:class:`TraceRatioProblem`).
``lanczos``
    ``scipy.sparse.linalg.eigsh``, for sparse graphs, where products are cheap: ten pairs of 20,000 digits take 0.9 s
    instead of Davidson's 10 s. It finds only one vector of a repeated eigenvalue. So the vectors of eigenvalue 1, known
    from the connected components, are deflated first, and then the pairs found, until the next eigenvalue is no larger
    than the K-th. If ARPACK does not converge, Davidson runs instead.

Every Davidson result passes a completeness check: the vectors found are deflated, and a few Lanczos steps from a
random vector look for a larger eigenvalue. If there is one, its vector joins the search and the iteration continues.
"""

from hypercut.core.eigen.operators import DegreeShifted, Eigenpairs, Normalized, TraceRatioProblem
from hypercut.core.eigen.solve import TOLERANCE, top_eigenpairs
from hypercut.core.eigen.spectrum import Spectrum

__all__ = ["TOLERANCE", "DegreeShifted", "Eigenpairs", "Normalized", "Spectrum", "TraceRatioProblem", "top_eigenpairs"]
