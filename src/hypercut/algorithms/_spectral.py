"""The bases of the algorithms over the shared core, with and without a global scale σ; their runs in the benchmark."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hypercut.algorithms._base import (
    Clustering,
    Estimator,
    distinct_samples_as_clusters,
    identical_samples_error,
    is_number,
    require_integer,
    single_cluster,
)
from hypercut.algorithms._docs import with_shared_sections
from hypercut.core import memory
from hypercut.core.blocks import block_threads
from hypercut.core.hypergraphs import Hypergraphs, Scales
from hypercut.core.samples import Array, IntArray, Samples
from hypercut.core.similarity import Similarity
from hypercut.errors import InputError
from hypercut.selection import neighbor_information, select_scale


@dataclass(eq=False, repr=False)
class SpectralEstimator(Estimator):
    """Base of the algorithms over the shared core: a subclass defines its similarity and how it is partitioned."""

    _advice = "Use fewer samples, use HypergraphClustering (AK+NC), which needs no N×N matrix"

    n_clusters: int = 8

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__doc__ = with_shared_sections(cls)

    def _needed_mb(self, n_samples: int, n_features: int) -> int:
        return memory.dense_mb(n_samples, n_features)

    @abstractmethod
    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:
        """Return the similarity of the samples at one scale."""

    @abstractmethod
    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:
        """Cut a similarity into ``n_clusters``."""

    @abstractmethod
    def _fit_samples(self, samples: Samples, seed: int) -> Clustering:
        """Cluster samples at a scale of the algorithm's choice; set ``affinity_scale_``."""

    @classmethod
    def runs(cls, problem: Any, communities: Any) -> "SpectralRuns":
        """Return the runs of this algorithm on a problem of the benchmark, with its precomputed communities or None."""
        return SpectralRuns(cls, problem, communities)

    def cluster(self, hypergraphs: Hypergraphs, seed: int) -> Clustering:
        """Cluster samples at one scale, with ``seed`` for every random choice."""
        distinct = hypergraphs.samples.distinct
        if len(distinct) <= self.n_clusters:
            return distinct_samples_as_clusters(distinct, self.n_clusters)
        with block_threads():
            return self.partition(self.similarity(hypergraphs, seed), np.random.default_rng(seed))

    def _cluster_features(self, features: Array, seed: int) -> Clustering:
        samples = Samples.from_distances(features) if self._precomputed else Samples.from_features(features)
        if samples.mean_distance == 0:
            raise identical_samples_error(len(samples))
        if self.n_clusters == 1:
            self._set_scale(samples)
            return single_cluster(len(samples))
        return self._fit_samples(samples, seed)

    def _set_scale(self, samples: Samples) -> None:
        """Set ``affinity_scale_`` for a single cluster, where it has no effect."""
        self.affinity_scale_ = samples.mean_distance

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_integer("n_clusters", self.n_clusters, at_least=1)


@dataclass(eq=False, repr=False, kw_only=True)
class KernelEstimator(SpectralEstimator):
    """Base of the algorithms on the kernel A at one scale σ; for the parameters see :class:`hypercut.CSC`."""

    sigma_factor: float | str = "auto"

    def _fit_samples(self, samples: Samples, seed: int) -> Clustering:
        if self.sigma_factor == "auto":
            selected = select_scale(lambda hypergraphs: self.cluster(hypergraphs, seed), samples)
            factor, clustering = selected.factor, selected.result
        else:
            factor = float(self.sigma_factor)
            clustering = self.cluster(Hypergraphs(samples, factor * samples.mean_distance), seed)
        self._set_scale(samples, factor)
        return clustering

    def _set_scale(self, samples: Samples, factor: float | None = None) -> None:
        if factor is None:
            factor = 1.0 if self.sigma_factor == "auto" else float(self.sigma_factor)
        self.sigma_factor_ = factor
        self.affinity_scale_ = factor * samples.mean_distance

    def _check_parameters(self) -> None:
        super()._check_parameters()
        factor = self.sigma_factor
        if factor != "auto" and not (is_number(factor) and 1e-6 <= float(factor) <= 1e6):
            raise InputError(f"Expected sigma_factor > 0 or 'auto' (worth trying: 0.2 to 3), found {factor!r}.")


class SpectralRuns:
    """Runs of one algorithm on one problem, which share distances, kernels and communities."""

    def __init__(self, algorithm: type[SpectralEstimator], problem: Any, communities: Any) -> None:
        self._algorithm = algorithm
        self._problem = problem
        self._scales = Scales(problem.draws)
        self._communities = communities

    def prepare(
        self, repeat: int, factor: float | None, parameters: dict[str, Any]
    ) -> tuple[Callable[[], Clustering], dict[str, Any]]:
        """Return a function that computes the clustering, and columns for its row: σ and the seconds of communities."""
        hypergraphs = self._scales.at(repeat, factor or 1.0)
        if hypergraphs.sigma == 0:
            raise identical_samples_error(len(hypergraphs.samples))
        columns = {}
        if factor is not None:
            at = parameters.get("community_factor") or factor
            columns = {"sigma": hypergraphs.sigma, "shared_seconds": self._provide(hypergraphs, repeat, at)}
        estimator = self._algorithm(n_clusters=self._problem.n_classes, **parameters).validated()
        return lambda: estimator.cluster(hypergraphs, self._problem.seed(repeat)), columns

    def scores(self, repeat: int, labelings: Sequence[IntArray]) -> list[float]:
        """Return the label-free score of each labeling of the samples of a repeat."""
        samples = self._scales.samples(repeat)
        with block_threads():
            return neighbor_information(samples, labelings)

    def _provide(self, hypergraphs: Hypergraphs, repeat: int, factor: float) -> float:
        """Pass precomputed communities at σ/ρ, or their error, to the hypergraphs; return the seconds they took."""
        found = self._communities.find(repeat, factor) if self._communities else None
        if found is None:
            return 0.0
        labelings, seconds = (found, 0.0) if isinstance(found, Exception) else found
        hypergraphs.provide_communities(
            self._communities.n_communities,
            self._problem.seed(repeat),
            labelings,
            sigma=factor * hypergraphs.samples.mean_distance,
        )
        return float(seconds)
