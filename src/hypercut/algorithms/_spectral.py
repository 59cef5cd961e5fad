"""The base of the algorithms over the shared core."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from hypercut.algorithms._base import (
    Clustering,
    Estimator,
    distinct_samples_as_clusters,
    identical_samples_error,
    require_integer,
    single_cluster,
)
from hypercut.algorithms._docs import with_shared_sections
from hypercut.algorithms._runs import Communities, Problem, SpectralRuns
from hypercut.core import memory
from hypercut.core.blocks import block_threads
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Array, Samples
from hypercut.core.similarity import Similarity


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
    def runs(cls, problem: Problem, communities: Communities | None) -> SpectralRuns:
        """Return the runs of this algorithm on one problem of the benchmark."""
        return SpectralRuns(lambda **parameters: cls(**parameters).validated(), problem, communities)

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
