"""What all algorithms share: the result of a clustering, ``fit``, and the trivial cases."""

import logging
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from hypercut.core import memory
from hypercut.core.blocks import block_threads
from hypercut.core.copies import Distinct
from hypercut.core.normalized_cut import Embedding
from hypercut.core.samples import Array, IntArray
from hypercut.errors import InputError

if TYPE_CHECKING:  # scikit-learn has no types

    class ClusterMixin:
        def fit_predict(self, X: ArrayLike, y: object = None) -> IntArray: ...

    class BaseEstimator:
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def __sklearn_tags__(self) -> Any: ...

else:
    from sklearn.base import BaseEstimator, ClusterMixin  # noqa: F401

# Values up to 2^±40, about 10^±12, are not rescaled.
ORDINARY_EXPONENT = 40

# Distances between larger values, about 10^301, may be larger than the largest number.
LARGEST_EXPONENT = 1000

# A clustering that needs more memory than this logs it before it starts.
ANNOUNCED_MB = 1000

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Clustering:
    """A clustering: the labels, the embedding from which they were read, and how the computation ended.

    ``status`` is ``ok``, ``not_converged``, ``degenerate`` (the clusters are the components of a graph with at least K,
    or the distinct samples, at most K) or ``trivial`` (K = 1). ``solver`` records the eigensolver's path and figures.
    """

    labels: IntArray
    embedding: Array
    n_iter: int
    status: str = "ok"
    solver: dict[str, Any] = field(default_factory=dict)


def fit(estimator: Any, X: ArrayLike, precisions: tuple[type, ...], advice: str) -> None:
    """Cluster the rows of X, and set the attributes that all fitted algorithms have.

    Features in one of the precisions stay in it; others are converted to the first. A clustering that would not fit
    into memory raises MemoryError before it starts, since the system would swap or kill the process; ``advice`` tells
    the user how to use less memory.
    """
    k = estimator.validated().n_clusters
    features = validate_data(estimator, X, dtype=list(precisions), ensure_min_samples=2)
    if k is not None and len(features) < k:
        raise InputError(
            f"Expected at least n_clusters={k} samples, found n_samples={len(features)}. "
            "Pass more samples or ask for fewer clusters."
        )
    needed_mb, size = estimator._needed_mb(*features.shape), " × ".join(map(str, features.shape))
    memory.require(needed_mb, f"{estimator.name} on {size}", advice)
    if needed_mb > ANNOUNCED_MB:
        _log.info("%s: up to %.1f GB of memory", size, needed_mb / 1024)
    seed = int(check_random_state(estimator.random_state).randint(np.iinfo(np.int32).max))
    estimator._unit = unit = safe_unit(features)
    with block_threads():
        found = estimator._cluster_features(features if unit == 1 else features / unit, seed)
    estimator.affinity_scale_ = unit * estimator.affinity_scale_
    estimator.labels_, estimator.embedding_, estimator.n_iter_ = found.labels, found.embedding, found.n_iter
    estimator.status_, estimator.solver_ = found.status, found.solver
    n_found = len(np.unique(found.labels))
    if k is not None and n_found < k:
        reason = "no more samples are distinct" if found.solver.get("path") == "distinct" else "the others are empty"
        message = f"{estimator.name} found {n_found} clusters, fewer than n_clusters={k}: {reason}."
        warnings.warn(message, ConvergenceWarning, stacklevel=3)


def single_cluster(n_samples: int) -> Clustering:
    """Return the clustering into one cluster, which scikit-learn's estimator checks require."""
    labels = np.zeros(n_samples, dtype=np.intp)
    return Clustering(labels, np.full((n_samples, 1), n_samples**-0.5), n_iter=1, status="trivial")


def distinct_samples_as_clusters(distinct: Distinct, k: int) -> Clustering:
    """Return the clustering whose clusters are the distinct samples; there are at most K."""
    return Clustering(distinct.of, np.eye(k)[distinct.of], n_iter=1, status="degenerate", solver={"path": "distinct"})


def identical_samples_error(n_samples: int) -> InputError:
    """Return the error for samples that are all identical."""
    return InputError(f"All {n_samples} samples are identical: there is nothing to cluster. Check the features.")


def status_of(embedding: Embedding) -> str:
    """Return the status of a clustering read from an embedding."""
    if embedding.degenerate:
        return "degenerate"
    return "ok" if embedding.eigenpairs.converged else "not_converged"


def safe_unit(values: Array) -> float:
    """Return a unit in which squares of the values neither overflow nor vanish; 1 for ordinary values.

    It is a power of two: dividing by it causes no rounding.
    """
    largest = np.abs(values).max()
    exponent = np.frexp(largest)[1]
    if exponent > LARGEST_EXPONENT:
        raise InputError(
            f"Expected values up to 1e300, found {largest:g}. If it marks a missing value, leave out the row. "
            "Otherwise use another unit."
        )
    return 1.0 if abs(exponent) <= ORDINARY_EXPONENT else float(np.ldexp(1.0, exponent))
