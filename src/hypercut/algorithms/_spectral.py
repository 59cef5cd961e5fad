"""The base of the algorithms over the shared core, and their runs in the benchmark."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from hypercut.algorithms._base import (
    BaseEstimator,
    Clustering,
    ClusterMixin,
    distinct_samples_as_clusters,
    fit,
    identical_samples_error,
    single_cluster,
)
from hypercut.algorithms._docs import with_shared_sections
from hypercut.algorithms._parameters import Allowed, check_parameters, choice, integer, sigma_ratio
from hypercut.core import memory
from hypercut.core.blocks import block_threads
from hypercut.core.diagnostics import diagnostics
from hypercut.core.hypergraphs import HypergraphCache, Hypergraphs
from hypercut.core.samples import Array, IntArray, Samples
from hypercut.core.similarity import Similarity
from hypercut.selection import neighbor_information, select_sigma


@dataclass(eq=False, repr=False)
class SpectralEstimator(ClusterMixin, BaseEstimator):
    """Base of the algorithms over the shared core: a subclass defines its similarity and how it is partitioned.

    Algorithms are dataclasses: a parameter is declared once, and the ``__init__`` that scikit-learn expects, which only
    stores parameters, is generated. ``_docs`` describes the fitted attributes.
    """

    #: The name in tables and on the command line.
    name: ClassVar[str]
    #: The kind of method in the report: ``algorithm`` for those of the paper and your own, ``beyond`` for AK+NC.
    role: ClassVar[str] = "algorithm"
    #: Whether the algorithm has a global σ to choose.
    has_sigma: ClassVar[bool] = True
    #: What the benchmark passes to it: the ``weights`` (α, β) of the dataset, the shared ``overclustering``s.
    #: Each algorithm that uses them writes the tuple out in its class, since the workflow reads it without importing.
    uses: ClassVar[tuple[str, ...]] = ()
    #: Whether rows of the benchmark have the columns of :func:`hypercut.core.diagnostics.diagnostics`.
    has_diagnostics: ClassVar[bool] = False
    #: The values that the parameters of a subclass may take.
    _allowed: ClassVar[Mapping[str, Allowed]] = {}

    n_clusters: int = 8
    _: KW_ONLY
    sigma_factor: float | str = "auto"
    affinity: str = "euclidean"
    random_state: Any = None
    labels_: IntArray = field(init=False)
    embedding_: Array = field(init=False)
    n_iter_: int = field(init=False)
    status_: str = field(init=False)
    solver_: dict[str, Any] = field(init=False)
    affinity_scale_: float | Array = field(init=False)

    @abstractmethod
    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:
        """Return the similarity of the samples at one σ."""

    @abstractmethod
    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:
        """Cut a similarity into ``n_clusters``."""

    def cluster(self, hypergraphs: Hypergraphs, seed: int) -> Clustering:
        """Cluster samples at one σ, with ``seed`` for every random choice."""
        distinct = hypergraphs.samples.distinct
        if len(distinct) <= self.n_clusters:
            return distinct_samples_as_clusters(distinct, self.n_clusters)
        with block_threads():
            return self.partition(self.similarity(hypergraphs, seed), np.random.default_rng(seed))

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Cluster the rows of ``X``.

        There is no ``sample_weight``: repeat a row instead. Copies add to the weight of a sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples; with ``affinity="precomputed_distances"``, their distances (n_samples, n_samples).
        y : None
            Ignored.
        """
        fit(self, X, (np.float64,), "Use fewer samples, use HypergraphClustering (AK+NC), which needs no N×N matrix")
        return self

    def _cluster_features(self, features: Array, seed: int) -> Clustering:
        """Cluster features, or distances if these are given; set ``affinity_scale_``."""
        samples = Samples.from_distances(features) if self._precomputed else Samples.from_features(features)
        if samples.mean_distance == 0:
            raise identical_samples_error(len(samples))
        return self._fit_samples(samples, seed)

    def _fit_samples(self, samples: Samples, seed: int) -> Clustering:
        """Cluster samples at the given σ/ρ or the one chosen without labels; set ``affinity_scale_``."""
        if self.n_clusters == 1:  # σ has no effect
            ratio, clustering = 1.0 if self.sigma_factor == "auto" else self.sigma_factor, single_cluster(len(samples))
        elif self.sigma_factor == "auto":
            selected = select_sigma(lambda hypergraphs: self.cluster(hypergraphs, seed), samples)
            ratio, clustering = selected.sigma_factor, selected.result
        else:
            ratio = float(self.sigma_factor)
            clustering = self.cluster(Hypergraphs(samples, ratio * samples.mean_distance), seed)
        self.sigma_factor_ = float(ratio)
        self.affinity_scale_ = self.sigma_factor_ * samples.mean_distance
        return clustering

    def _needed_mb(self, n_samples: int, n_features: int) -> int:
        """Return the MB that ``fit`` takes, see :mod:`hypercut.core.memory`."""
        return memory.dense_mb(n_samples, n_features)

    @property
    def _precomputed(self) -> bool:
        return self.affinity == "precomputed_distances"

    def validated(self) -> Self:
        """Validate parameters; return self."""
        check_parameters(self, {**SHARED, **self._allowed})
        return self

    @classmethod
    def runs(cls, problem: Any, overclusterings: Any) -> "SpectralRuns":
        """Return the runs of this algorithm on a problem of the benchmark, with its over-clusterings or None."""
        return SpectralRuns(cls, problem, overclusterings)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__doc__ = with_shared_sections(cls)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        return tags


SHARED: dict[str, Allowed] = {
    "n_clusters": integer(1),
    "sigma_factor": sigma_ratio("auto"),
    "affinity": choice("euclidean", "precomputed_distances"),
}


class SpectralRuns:
    """Runs of one algorithm on one problem, which share distances, kernels and over-clusterings."""

    def __init__(self, algorithm: type[SpectralEstimator], problem: Any, overclusterings: Any) -> None:
        self._algorithm = algorithm
        self._problem = problem
        self._hypergraphs = HypergraphCache(problem.draws)
        self._overclusterings = overclusterings
        self._prepared: tuple[SpectralEstimator, Hypergraphs, int]

    def prepare(
        self, repeat: int, sigma_factor: float | None, parameters: dict[str, Any]
    ) -> tuple[Callable[[], Clustering], dict[str, Any]]:
        """Return a function that computes the clustering, and the columns σ and seconds of over-clustering."""
        hypergraphs = self._hypergraphs.at(repeat, sigma_factor or 1.0)
        if hypergraphs.sigma == 0:
            raise identical_samples_error(len(hypergraphs.samples))
        columns = {}
        if sigma_factor is not None:
            at = parameters.get("overclustering_sigma_factor") or sigma_factor
            columns = {"sigma": hypergraphs.sigma, "shared_seconds": self._provide(hypergraphs, repeat, at)}
        estimator = self._algorithm(n_clusters=self._problem.n_classes, **parameters).validated()
        self._prepared = estimator, hypergraphs, self._problem.seed(repeat)
        return lambda: estimator.cluster(hypergraphs, self._problem.seed(repeat)), columns

    def diagnose(self, found: Clustering, truth: ArrayLike) -> dict[str, float]:
        """Return the columns that compare the clustering prepared last with the true classes on its similarity."""
        estimator, hypergraphs, seed = self._prepared
        if not estimator.has_diagnostics or len(hypergraphs.samples.distinct) <= estimator.n_clusters:
            return {}
        with block_threads():
            return diagnostics(estimator.similarity(hypergraphs, seed), found.embedding, found.labels, truth)

    def scores(self, repeat: int, labelings: Sequence[IntArray]) -> list[float]:
        """Return the label-free score of each labeling of the samples of a repeat."""
        samples = self._hypergraphs.samples(repeat)
        with block_threads():
            return neighbor_information(samples, labelings)

    def _provide(self, hypergraphs: Hypergraphs, repeat: int, ratio: float) -> float:
        """Pass the over-clusterings at σ/ρ, or their error, to the hypergraphs; return the seconds that they took."""
        found = self._overclusterings.find(repeat, ratio) if self._overclusterings else None
        if found is None:
            return 0.0
        labelings, seconds = (found, 0.0) if isinstance(found, Exception) else found
        hypergraphs.provide_overclusterings(
            self._overclusterings.n_overclusters,
            self._problem.seed(repeat),
            labelings,
            sigma_factor=ratio,
        )
        return float(seconds)
