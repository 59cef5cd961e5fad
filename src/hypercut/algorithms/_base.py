"""What every algorithm is: a scikit-learn clusterer with a name. And how a similarity is partitioned."""

import logging
import numbers
import warnings
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from hypercut.core import memory
from hypercut.core.blocks import block_threads
from hypercut.core.copies import Distinct
from hypercut.core.discretize import discretize
from hypercut.core.normalized_cut import Embedding, normalized_cut_vectors, unit_rows
from hypercut.core.samples import Array, IntArray
from hypercut.core.similarity import Similarity
from hypercut.core.trace_ratio import maximize_trace_ratio
from hypercut.errors import InputError

# Values up to 2^±40, some 10^±12, are computed with as they are.
ORDINARY_EXPONENT = 40

# A clustering that needs more memory says so before it starts.
ANNOUNCED_MB = 1000

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Clustering:
    """One clustering: labels, the embedding they were read from, and how it went.

    ``status`` is ``ok``, ``degenerate`` (the graph has at least K components, or there are at most K distinct samples,
    and they are the clusters) or ``not_converged``. ``solver`` records the eigensolver's path and figures.
    """

    labels: IntArray
    embedding: Array
    n_iter: int
    status: str = "ok"
    solver: dict[str, Any] = field(default_factory=dict)


class Estimator(ClusterMixin, BaseEstimator):
    """Base of all algorithms: a clusterer with a ``name`` that keeps how a clustering went.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample.
    affinity_scale_ : float, or ndarray of shape (n_samples,)
        σ, in the units of the data; the local scales where the algorithm has no global one.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        What the labels were read from.
    n_iter_ : int
        Iterations of the outermost loop: Newton steps, or those of the discretisation or k-means.
    status_ : str
        ``ok``, ``degenerate`` or ``not_converged``, see :class:`Clustering`; ``trivial`` for a single cluster.
    solver_ : dict
        Path and figures of the eigensolver.
    """

    #: The name in tables and on the command line.
    name: ClassVar[str]
    #: What it is in the report: ``algorithm`` of the paper or of yours, ``beyond`` the paper.
    role: ClassVar[str] = "algorithm"
    #: Whether the algorithm has a global scale σ to choose.
    has_scale: ClassVar[bool] = True
    #: What the benchmark gives it: the dataset's ``weights`` (α, β), the ``communities`` that were found once for all.
    #: Written out in the class of each algorithm that uses them, since the workflow reads it without importing.
    uses: ClassVar[tuple[str, ...]] = ()

    n_clusters: int | None
    affinity: str
    random_state: Any
    affinity_scale_: float | Array

    #: What to do about too little memory.
    _advice = "Use fewer samples"

    @abstractmethod
    def _cluster_features(self, features: Array, seed: int) -> Clustering:
        """Cluster features, or distances where those are given."""

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Cluster the rows of ``X``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples; with ``affinity="precomputed_distances"``, their distances (n_samples, n_samples).
        y : None
            Ignored.
        """
        self._check_parameters()
        features = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if self.n_clusters is not None and len(features) < self.n_clusters:
            raise InputError(
                f"Expected at least n_clusters={self.n_clusters} samples, found n_samples={len(features)}. "
                "Give more samples or ask for fewer clusters."
            )
        self._check_memory(*features.shape)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        unit = unit_of(features)
        with block_threads():
            clustering = self._cluster_features(features if unit == 1 else features / unit, seed)
        self.affinity_scale_ = unit * self.affinity_scale_
        self.labels_ = clustering.labels
        self.embedding_ = clustering.embedding
        self.n_iter_ = clustering.n_iter
        self.status_ = clustering.status
        self.solver_ = clustering.solver
        self._warn_of_too_few()
        return self

    def _warn_of_too_few(self) -> None:
        found = len(np.unique(self.labels_))
        if self.n_clusters is None or found >= self.n_clusters:
            return
        reason = "no more samples are distinct" if self.solver_.get("path") == "distinct" else "the others are empty"
        warnings.warn(
            f"{self.name} found {found} clusters, fewer than n_clusters={self.n_clusters}: {reason}.",
            ConvergenceWarning,
            stacklevel=3,
        )

    def _check_memory(self, n_samples: int, n_features: int) -> None:
        """Raise MemoryError if the clustering would not fit: the system would kill the process, or swap for hours."""
        needed = self._needed_mb(n_samples, n_features)
        memory.require(needed, f"{self.name} on {n_samples} × {n_features}", self._advice)
        if needed > ANNOUNCED_MB:
            _log.info("%d × %d: up to %.1f GB of memory", n_samples, n_features, needed / 1024)

    def _needed_mb(self, n_samples: int, n_features: int) -> int:
        """Return the MB that ``fit`` takes, see :mod:`hypercut.core.memory`; 0 where that is not known."""
        return 0

    def checked(self) -> Self:
        """Return the estimator itself, or complain about a parameter that makes no sense."""
        self._check_parameters()
        return self

    def _check_parameters(self) -> None:
        if self.n_clusters is not None:
            require_integer("n_clusters", self.n_clusters, at_least=1)
        if self.affinity not in ("euclidean", "precomputed_distances"):
            raise InputError(f"Expected affinity 'euclidean' or 'precomputed_distances', found {self.affinity!r}.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed_distances"
        return tags


def dhpc(similarity: Similarity, k: int, rng: np.random.Generator) -> Clustering:
    """Partition by the trace ratio and Yu–Shi discretisation of its unit rows (alg:Framwork)."""
    found = maximize_trace_ratio(similarity, k, rng)
    discrete = discretize(unit_rows(found.vectors), rng)
    solver = found.eigenpairs.solver if found.eigenpairs else {"path": "components"}
    solver = {**solver, "trace_ratio": found.ratios[-1]}
    return Clustering(discrete.labels, found.vectors, found.n_iter, found.status, solver)


def normalized_cut(similarity: Similarity, k: int, rng: np.random.Generator) -> Clustering:
    """Partition by the normalised cut and Yu–Shi discretisation of its unit rows."""
    found = normalized_cut_vectors(similarity, k, rng)
    discrete = discretize(unit_rows(found.vectors), rng)
    return Clustering(discrete.labels, found.vectors, discrete.n_iter, status_of(found), found.eigenpairs.solver)


def one_cluster(n_samples: int) -> Clustering:
    """Return the only clustering into one. Nothing is decided, but scikit-learn's contract asks for it."""
    labels = np.zeros(n_samples, dtype=np.intp)
    return Clustering(labels, np.full((n_samples, 1), n_samples**-0.5), n_iter=1, status="trivial")


def one_per_distinct(distinct: Distinct, k: int) -> Clustering:
    """Return the only clustering that neither divides copies nor leaves out a cluster that could have members."""
    return Clustering(distinct.of, np.eye(k)[distinct.of], n_iter=1, status="degenerate", solver={"path": "distinct"})


def copies_of_one(n_samples: int) -> InputError:
    """Return the error about samples that do not differ."""
    return InputError(f"All {n_samples} samples are identical: there is nothing to cluster. Check the features.")


def status_of(embedding: Embedding) -> str:
    """Return the status of an embedding."""
    if embedding.degenerate:
        return "degenerate"
    return "ok" if embedding.eigenpairs.converged else "not_converged"


def unit_of(values: Array) -> float:
    """Return a unit in which the squares of values neither overflow nor vanish; 1 unless they are extreme.

    A power of two, so that dividing by it rounds nothing.
    """
    exponent = np.frexp(np.abs(values).max())[1]
    return 1.0 if abs(exponent) <= ORDINARY_EXPONENT else float(np.ldexp(1.0, exponent))


def is_number(value: object) -> bool:
    """Whether a value is a real number; True and False are not."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def require_integer(name: str, value: object, *, at_least: int) -> None:
    """Refuse anything but a whole number of at least so many."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or int(value) < at_least:
        raise InputError(f"Expected {name} to be an integer ≥ {at_least}, found {value!r}.")
