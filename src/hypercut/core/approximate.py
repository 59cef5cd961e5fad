"""Approximate nearest neighbours of many samples, by faiss.

An inverted file divides the samples into cells by k-means and compares a sample only with those in the nearest cells.
With many features it searches the leading principal components; distances of the candidates are then computed from all
features.
"""

from typing import Any

import numpy as np

from hypercut.core.blocks import allowed_threads
from hypercut.core.samples import Array, IntArray

# The time of an exact search grows with N²: from this N on it takes longer than the rest of a clustering.
APPROXIMATE_SAMPLES = 50_000

# Principal components that are searched. On 70,000 digits, a search of 64 instead of all 784 features finds 99.4 % of
# the neighbours among 32 candidates in a tenth of the time.
COMPONENTS = 64
# Rows from which the principal components are computed.
COMPONENT_ROWS = 20_000

# The number of cells in units of √N, the samples per cell on which k-means runs, and its iterations, as the authors of
# faiss recommend.
CELLS = 4
CELL_ROWS = 64
STEPS = 10

# Cells that are searched for each sample, and candidates found. On 70,000 digits, half as many cells lose 1 % of the
# neighbours and take half the time; half as many candidates lose 3 % and save no time.
PROBES = 32
CANDIDATES = 32


def load_faiss() -> Any | None:
    """Return faiss, or None if it is not installed."""
    try:
        import faiss  # optional, and slow to load
    except ImportError:
        return None
    return faiss


class Index:
    """An inverted file of the samples, which finds candidates for their neighbours."""

    def __init__(self, faiss: Any, X: Array) -> None:
        self.library = f"faiss {faiss.__version__}"
        self._searched = _leading_components(X)
        n, features = self._searched.shape
        self._faiss = faiss
        cells = int(CELLS * np.sqrt(n))
        self._quantizer = faiss.IndexFlatL2(features)  # the index does not own it
        self._index = faiss.IndexIVFFlat(self._quantizer, features, cells)
        self._index.cp.niter, self._index.cp.max_points_per_centroid = STEPS, CELL_ROWS
        self._index.nprobe = PROBES
        self._with_threads(self._index.train, self._searched)
        self._with_threads(self._index.add, self._searched)

    def candidates(self, rows: slice) -> IntArray:
        """Return candidates for the neighbours of some rows, including the rows; −1 where there are too few."""
        return self._with_threads(self._index.search, self._searched[rows], CANDIDATES + 1)[1].astype(np.intp)

    def _with_threads(self, function: Any, *arguments: Any) -> Any:
        before = self._faiss.omp_get_max_threads()
        self._faiss.omp_set_num_threads(allowed_threads())
        try:
            return function(*arguments)
        finally:
            self._faiss.omp_set_num_threads(before)


def _leading_components(X: Array) -> Array:
    """Return the leading principal components of the samples; with few features, the centred features."""
    mean = X.mean(axis=0, dtype=np.float64)
    if X.shape[1] <= COMPONENTS:
        return np.subtract(X, mean, dtype=np.float32, casting="same_kind")
    rows = X[:: -(-len(X) // COMPONENT_ROWS)] - mean
    axes = np.linalg.eigh(rows.T @ rows)[1][:, : -COMPONENTS - 1 : -1].astype(np.float32)
    found = X.astype(np.float32, copy=False) @ axes
    return found - (mean @ axes).astype(np.float32)
