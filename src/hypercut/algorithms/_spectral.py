"""The base of the algorithms over the shared core."""

from abc import abstractmethod

import numpy as np

from hypercut.algorithms._base import (
    Clustering,
    Estimator,
    copies_of_one,
    is_number,
    one_cluster,
    one_per_distinct,
    require_integer,
)
from hypercut.algorithms._runs import Communities, Problem, SpectralRuns
from hypercut.core import memory
from hypercut.core.blocks import block_threads
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Array, Samples
from hypercut.core.similarity import Similarity
from hypercut.errors import InputError
from hypercut.selection import select_scale


class SpectralEstimator(Estimator):
    """Base of the algorithms over the shared core. A subclass says what its similarity is and how it is partitioned.

    Beside the attributes of :class:`Estimator` it has ``sigma_factor_``, σ/ρ, given or chosen, where there is a global
    scale.
    """

    n_clusters: int
    _advice = "Use fewer samples, use HypergraphClustering (AK+NC), which needs no N×N matrix"

    def _needed_mb(self, n_samples: int, n_features: int) -> int:
        return memory.dense_mb(n_samples, n_features)

    @abstractmethod
    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:
        """Return the similarity of the samples at one scale."""

    @abstractmethod
    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:
        """Cut a similarity into ``n_clusters``."""

    @classmethod
    def runs(cls, problem: Problem, communities: Communities | None) -> SpectralRuns:
        """Return the runs of this algorithm on one problem, as the benchmark needs them."""
        return SpectralRuns(lambda **parameters: cls(**parameters).checked(), problem, communities)

    def cluster(self, hypergraphs: Hypergraphs, seed: int) -> Clustering:
        """Cluster samples at one scale. ``seed`` decides all that is random."""
        distinct = hypergraphs.samples.distinct
        if len(distinct) <= self.n_clusters:
            return one_per_distinct(distinct, self.n_clusters)
        with block_threads():
            return self.partition(self.similarity(hypergraphs, seed), np.random.default_rng(seed))

    def _cluster_features(self, features: Array, seed: int) -> Clustering:
        precomputed = self.affinity == "precomputed_distances"
        samples = Samples.from_distances(features) if precomputed else Samples.from_features(features)
        if samples.mean_distance == 0:
            raise copies_of_one(len(samples))
        if self.n_clusters == 1:
            factor = self.get_params(deep=False).get("sigma_factor", "auto")
            self._set_scale(samples, 1.0 if factor == "auto" else float(factor))
            return one_cluster(len(samples))
        return self._fit_samples(samples, seed)

    def _set_scale(self, samples: Samples, factor: float) -> None:
        if self.has_scale:
            self.sigma_factor_ = factor
        self.affinity_scale_ = factor * samples.mean_distance

    def _fit_samples(self, samples: Samples, seed: int) -> Clustering:
        factor = self.get_params(deep=False)["sigma_factor"]
        if factor == "auto":
            selected = select_scale(lambda hypergraphs: self.cluster(hypergraphs, seed), samples)
            factor, clustering = selected.factor, selected.result
        else:
            clustering = self.cluster(Hypergraphs(samples, factor * samples.mean_distance), seed)
        self._set_scale(samples, float(factor))
        return clustering

    def _check_parameters(self) -> None:
        super()._check_parameters()
        parameters = self.get_params(deep=False)
        require_integer("n_clusters", self.n_clusters, at_least=1)
        factor = parameters.get("sigma_factor", "auto")
        if factor != "auto" and not (is_number(factor) and 1e-6 <= factor <= 1e6):
            raise InputError(f"Expected sigma_factor > 0 or 'auto' (worth trying: 0.2 to 3), found {factor!r}.")
        for weight in {"alpha", "beta"} & parameters.keys():
            if not (is_number(parameters[weight]) and 0 <= parameters[weight] <= 1):
                raise InputError(f"Expected {weight} between 0 and 1, found {parameters[weight]!r}.")
        if parameters.get("alpha", 0) + parameters.get("beta", 0) > 1 + 1e-12:
            raise InputError(
                f"Expected alpha + beta ≤ 1, found {parameters['alpha']} + {parameters['beta']}: "
                "the over-clustering hypergraph gets what they leave."
            )
        for count in {"n_neighbors", "communities_per_cluster"} & parameters.keys():
            require_integer(count, parameters[count], at_least=1)
