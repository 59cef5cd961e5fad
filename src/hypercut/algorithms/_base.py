"""What every algorithm is: a scikit-learn clusterer over the shared core."""

import numbers
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from hypercut.core.blocks import block_threads
from hypercut.core.discretize import discretize
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.normalized_cut import normalized_cut_vectors, unit_rows
from hypercut.core.samples import Array, IntArray, Samples
from hypercut.core.similarity import Similarity
from hypercut.core.trace_ratio import maximize_trace_ratio
from hypercut.errors import InputError
from hypercut.selection import select_scale


@dataclass(frozen=True)
class Clustering:
    """One clustering: labels, the embedding they were read from, and how it went.

    ``status`` is ``ok``, ``degenerate`` (the graph has at least K components, and they are the clusters) or
    ``not_converged``. ``solver`` records the eigensolver's path and figures.
    """

    labels: IntArray
    embedding: Array
    n_iter: int
    status: str = "ok"
    solver: dict[str, Any] = field(default_factory=dict)


class SpectralEstimator(ClusterMixin, BaseEstimator):
    """Base of all algorithms. A subclass sets ``name`` and says what its similarity is and how it is partitioned.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample.
    affinity_scale_ : float, or ndarray of shape (n_samples,)
        σ, in the units of the data; the local scales where the algorithm has no global one.
    sigma_factor_ : float
        σ/ρ, given or chosen; only where there is a global scale.
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
    #: Whether the algorithm has a global scale σ to choose.
    has_scale: ClassVar[bool] = True
    #: What the benchmark gives it: the dataset's ``weights`` (α, β), the ``communities`` that were found once for all.
    #: Written out in the class of each algorithm that uses them, since the workflow reads it without importing.
    uses: ClassVar[tuple[str, ...]] = ()

    n_clusters: int
    affinity: str
    random_state: Any
    affinity_scale_: float | Array

    @abstractmethod
    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:
        """Return the similarity of the samples at one scale."""

    @abstractmethod
    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:
        """Cut a similarity into ``n_clusters``."""

    def cluster(self, hypergraphs: Hypergraphs, seed: int) -> Clustering:
        """Cluster samples at one scale. Nothing is random but what ``seed`` decides."""
        with block_threads():
            return self.partition(self.similarity(hypergraphs, seed), np.random.default_rng(seed))

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
        if len(features) < self.n_clusters:
            raise InputError(
                f"Expected at least n_clusters={self.n_clusters} samples, found n_samples={len(features)}. "
                "Give more samples or ask for fewer clusters."
            )
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        with block_threads():
            precomputed = self.affinity == "precomputed_distances"
            samples = Samples.from_distances(features) if precomputed else Samples.from_features(features)
            if samples.mean_distance == 0:
                raise InputError(
                    f"Expected samples that differ, found {len(samples)} copies of one: nothing to cluster."
                )
            clustering = self._fit_samples(samples, seed) if self.n_clusters > 1 else self._one_cluster(samples)
        self.labels_ = clustering.labels
        self.embedding_ = clustering.embedding
        self.n_iter_ = clustering.n_iter
        self.status_ = clustering.status
        self.solver_ = clustering.solver
        return self

    def _fit_samples(self, samples: Samples, seed: int) -> Clustering:
        factor = self.get_params(deep=False)["sigma_factor"]
        if factor == "auto":
            selected = select_scale(lambda hypergraphs: self.cluster(hypergraphs, seed), samples)
            self.sigma_factor_, clustering = selected.factor, selected.result
        else:
            self.sigma_factor_ = float(factor)
            clustering = self.cluster(Hypergraphs(samples, factor * samples.mean_distance), seed)
        self.affinity_scale_ = self.sigma_factor_ * samples.mean_distance
        return clustering

    def _one_cluster(self, samples: Samples) -> Clustering:
        """Return the only clustering into one. Nothing is decided, but scikit-learn's contract asks for it."""
        self.affinity_scale_ = samples.mean_distance
        n = len(samples)
        return Clustering(np.zeros(n, dtype=np.intp), np.full((n, 1), n**-0.5), n_iter=1, status="trivial")

    def checked(self) -> Self:
        """Return the estimator itself, or complain about a parameter that makes no sense."""
        self._check_parameters()
        return self

    def _check_parameters(self) -> None:
        parameters = self.get_params(deep=False)
        _require_integer("n_clusters", self.n_clusters, at_least=1)
        if self.affinity not in ("euclidean", "precomputed_distances"):
            raise InputError(f"Expected affinity 'euclidean' or 'precomputed_distances', found {self.affinity!r}.")
        factor = parameters.get("sigma_factor", "auto")
        if factor != "auto" and not (_is_number(factor) and 1e-6 <= factor <= 1e6):
            raise InputError(f"Expected sigma_factor > 0 or 'auto' (worth trying: 0.2 to 3), found {factor!r}.")
        for weight in {"alpha", "beta"} & parameters.keys():
            if not (_is_number(parameters[weight]) and 0 <= parameters[weight] <= 1):
                raise InputError(f"Expected {weight} between 0 and 1, found {parameters[weight]!r}.")
        if parameters.get("alpha", 0) + parameters.get("beta", 0) > 1 + 1e-12:
            raise InputError(
                f"Expected alpha + beta ≤ 1, found {parameters['alpha']} + {parameters['beta']}: "
                "the over-clustering hypergraph gets what they leave."
            )
        for count in {"n_neighbors", "communities_per_cluster"} & parameters.keys():
            _require_integer(count, parameters[count], at_least=1)

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
    return Clustering(
        discrete.labels, found.vectors, discrete.n_iter, status_of(found.degenerate), found.eigenpairs.solver
    )


def status_of(degenerate: bool) -> str:
    """Return the status of an embedding."""
    return "degenerate" if degenerate else "ok"


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _require_integer(name: str, value: object, *, at_least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or int(value) < at_least:
        raise InputError(f"Expected {name} to be an integer ≥ {at_least}, found {value!r}.")
