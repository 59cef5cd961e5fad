"""The base class of all algorithms, and the two ways to partition a similarity."""

import logging
import numbers
import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from hypercut.core import memory
from hypercut.core.blocks import block_threads
from hypercut.core.copies import Distinct
from hypercut.core.discretize import N_STARTS, discretize
from hypercut.core.eigen import Spectrum
from hypercut.core.kmeans import orthogonal_kmeans
from hypercut.core.normalized_cut import Embedding, normalized_cut_vectors, unit_rows
from hypercut.core.samples import Array, IntArray
from hypercut.core.similarity import Similarity
from hypercut.core.trace_ratio import maximize_trace_ratio
from hypercut.errors import InputError

# Values up to 2^±40, about 10^±12, are not rescaled.
ORDINARY_EXPONENT = 40

# Ways to read labels from vectors.
DISCRETIZE, KMEANS = "discretize", "kmeans"

# A clustering that needs more memory than this logs it before it starts.
ANNOUNCED_MB = 1000

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Clustering:
    """One clustering: labels, the embedding they were read from, and how it went.

    ``status`` is ``ok``, ``not_converged``, ``degenerate`` (the clusters are the components of a graph with at least K,
    or the distinct samples, at most K) or ``trivial`` (K = 1). ``solver`` records the eigensolver's path and figures.
    """

    labels: IntArray
    embedding: Array
    n_iter: int
    status: str = "ok"
    solver: dict[str, Any] = field(default_factory=dict)


if TYPE_CHECKING:

    class _Clusterer:
        """The types of scikit-learn's base classes, which have none."""

        def fit_predict(self, X: ArrayLike, y: object = None) -> IntArray: ...
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def __sklearn_tags__(self) -> Any: ...

else:

    class _Clusterer(ClusterMixin, BaseEstimator):
        pass


@dataclass(eq=False, repr=False)
class Estimator(_Clusterer):
    """Base of all algorithms: a scikit-learn clusterer with a ``name`` that records how a clustering went.

    Estimators are dataclasses: a parameter is declared once, and the ``__init__`` that scikit-learn expects, which only
    stores parameters, is generated. ``_docs`` describes the fitted attributes.
    """

    #: The name in tables and on the command line.
    name: ClassVar[str]
    #: The kind of method in the report: ``algorithm`` of the paper or of yours, ``beyond`` the paper.
    role: ClassVar[str] = "algorithm"
    #: Whether the algorithm has a global scale σ to choose.
    has_scale: ClassVar[bool] = True
    #: What the benchmark passes to it: the dataset's ``weights`` (α, β), precomputed ``communities``. Written out in
    #: the class of each algorithm that uses them, since the workflow reads it without importing.
    uses: ClassVar[tuple[str, ...]] = ()
    #: Precisions in which ``fit`` accepts features as they are; others are converted to the first.
    _precisions: ClassVar[tuple[type, ...]] = (np.float64,)
    #: How to use less memory, for the error message.
    _advice: ClassVar[str] = "Use fewer samples"

    n_clusters: int | None = None
    _: KW_ONLY
    affinity: str = "euclidean"
    random_state: Any = None
    affinity_scale_: float | Array = field(init=False)

    @abstractmethod
    def _cluster_features(self, features: Array, seed: int) -> Clustering:
        """Cluster features, or distances if these are given; set ``affinity_scale_``."""

    def fit(self, X: ArrayLike, y: object = None, **unsupported: object) -> Self:
        """Cluster the rows of ``X``.

        There is no ``sample_weight``: repeat a row instead. Copies add to the weight of a sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples; with ``affinity="precomputed_distances"``, their distances (n_samples, n_samples).
        y : None
            Ignored.
        """
        _refuse(unsupported)
        self._check_parameters()
        features = validate_data(self, X, dtype=list(self._precisions), ensure_min_samples=2)
        if self.n_clusters is not None and len(features) < self.n_clusters:
            raise InputError(
                f"Expected at least n_clusters={self.n_clusters} samples, found n_samples={len(features)}. "
                "Pass more samples or ask for fewer clusters."
            )
        self._check_memory(*features.shape)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        self._unit = unit = safe_unit(features)
        with block_threads():
            clustering = self._cluster_features(features if unit == 1 else features / unit, seed)
        self.affinity_scale_ = unit * self.affinity_scale_
        self.labels_ = clustering.labels
        self.embedding_ = clustering.embedding
        self.n_iter_ = clustering.n_iter
        self.status_ = clustering.status
        self.solver_ = clustering.solver
        self._warn_if_too_few_clusters()
        return self

    def _warn_if_too_few_clusters(self) -> None:
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
        """Return the MB that ``fit`` takes, see :mod:`hypercut.core.memory`; 0 if unknown."""
        return 0

    @property
    def _precomputed(self) -> bool:
        return self.affinity == "precomputed_distances"

    def validated(self) -> Self:
        """Validate parameters; return self."""
        self._check_parameters()
        return self

    def _check_parameters(self) -> None:
        if self.n_clusters is not None:
            require_integer("n_clusters", self.n_clusters, at_least=1)
        require_choice("affinity", self.affinity, ("euclidean", "precomputed_distances"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        return tags


def _refuse(unsupported: Mapping[str, object]) -> None:
    """Raise TypeError for arguments that ``fit`` does not have."""
    if "sample_weight" in unsupported:
        raise TypeError(
            "fit does not support sample_weight. Repeat rows instead, e.g. X[np.repeat(np.arange(len(X)), counts)]: "
            "copies add to the weight of a sample."
        )
    if unsupported:
        raise TypeError(f"fit got an unexpected keyword argument {next(iter(unsupported))!r}.")


def trace_ratio_cut(
    similarity: Similarity,
    k: int,
    rng: np.random.Generator,
    *,
    newton_steps: int | None = None,
    assign_labels: str = DISCRETIZE,
    n_starts: int = N_STARTS,
) -> Clustering:
    """Partition by the trace ratio; labels are read from its unit rows (alg:Framwork)."""
    found = maximize_trace_ratio(similarity, k, rng, newton_steps=newton_steps)
    labels, _ = read_labels(found.vectors, k, rng, assign_labels, n_starts)
    solver = {**found.eigenpairs.solver, "trace_ratio": found.ratios[-1]}
    return Clustering(labels, found.vectors, found.n_iter, found.status, solver)


def normalized_cut(
    graph: Similarity | Spectrum,
    k: int,
    rng: np.random.Generator,
    *,
    assign_labels: str = DISCRETIZE,
    n_starts: int = N_STARTS,
) -> Clustering:
    """Partition by the normalised cut; labels are read from its unit rows."""
    found = normalized_cut_vectors(graph, k, rng)
    labels, n_iter = read_labels(found.vectors, k, rng, assign_labels, n_starts)
    return Clustering(labels, found.vectors, n_iter, status_of(found), found.eigenpairs.solver)


def read_labels(
    vectors: Array, k: int, rng: np.random.Generator, assign_labels: str, n_starts: int
) -> tuple[IntArray, int]:
    """Return labels and steps of Yu–Shi discretisation or of k-means on the unit rows, from the best of the starts."""
    rows = unit_rows(vectors)
    if assign_labels == KMEANS:
        grouped = orthogonal_kmeans(rows, k, rng, n_starts=n_starts)
        return grouped.labels, grouped.n_iter
    discrete = discretize(rows, rng, n_starts=n_starts)
    return discrete.labels, discrete.n_iter


def single_cluster(n_samples: int) -> Clustering:
    """Return the clustering into one cluster, which scikit-learn's estimator checks ask for."""
    labels = np.zeros(n_samples, dtype=np.intp)
    return Clustering(labels, np.full((n_samples, 1), n_samples**-0.5), n_iter=1, status="trivial")


def distinct_samples_as_clusters(distinct: Distinct, k: int) -> Clustering:
    """Return the clustering whose clusters are the at most K distinct samples."""
    return Clustering(distinct.of, np.eye(k)[distinct.of], n_iter=1, status="degenerate", solver={"path": "distinct"})


def identical_samples_error(n_samples: int) -> InputError:
    """Return the error about samples that are all identical."""
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
    exponent = np.frexp(np.abs(values).max())[1]
    return 1.0 if abs(exponent) <= ORDINARY_EXPONENT else float(np.ldexp(1.0, exponent))


def is_number(value: object) -> bool:
    """Whether a value is a real number; True and False are not."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def require_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Raise InputError unless a value is one of the choices."""
    if value not in choices:
        *others, last = map(repr, choices)
        raise InputError(f"Expected {name} {', '.join(others)} or {last}, found {value!r}.")


def require_integer(name: str, value: object, *, at_least: int) -> None:
    """Raise InputError unless a value is an integer ≥ ``at_least``."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or int(value) < at_least:
        raise InputError(f"Expected {name} to be an integer ≥ {at_least}, found {value!r}.")
