"""Runs of one algorithm over repeats and scales that share distances, kernels and communities."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from hypercut.algorithms._base import Clustering, identical_samples_error
from hypercut.core.blocks import block_threads
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import IntArray
from hypercut.core.scales import Draws, Scales
from hypercut.selection import neighbor_information


class Problem(Draws, Protocol):
    """Draws to cluster into ``n_classes``."""

    @property
    def n_classes(self) -> int:
        """K, the number of clusters."""

    def seed(self, repeat: int) -> int:
        """Return the random seed of a repeat."""


class Communities(Protocol):
    """Precomputed over-clusterings."""

    @property
    def n_communities(self) -> int:
        """The number of communities in each."""

    def find(self, repeat: int, factor: float) -> tuple[tuple[IntArray, IntArray], float] | Exception | None:
        """Return both labelings and the seconds they took, the error that prevented them, or None."""


class ClusterAtScale(Protocol):
    """An estimator over the shared core."""

    def cluster(self, hypergraphs: Hypergraphs, seed: int) -> Clustering:
        """Cluster samples at one scale."""


class SpectralRuns:
    """Runs one algorithm on one problem, at any repeat and scale."""

    def __init__(self, make: Callable[..., ClusterAtScale], problem: Problem, communities: Communities | None) -> None:
        self._make = make
        self._problem = problem
        self._scales = Scales(problem)
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
            columns = {"sigma": hypergraphs.sigma, "shared_seconds": self._provide(hypergraphs, repeat, factor)}
        estimator = self._make(n_clusters=self._problem.n_classes, **parameters)
        return lambda: estimator.cluster(hypergraphs, self._problem.seed(repeat)), columns

    def scores(self, repeat: int, labelings: Sequence[IntArray]) -> list[float]:
        """Return the label-free score of each labeling of the samples of a repeat."""
        samples = self._scales.samples(repeat)
        with block_threads():
            return neighbor_information(samples, labelings)

    def _provide(self, hypergraphs: Hypergraphs, repeat: int, factor: float) -> float:
        """Pass precomputed communities, or their error, to the hypergraphs; return the seconds they took."""
        found = self._communities.find(repeat, factor) if self._communities else None
        if found is None or self._communities is None:
            return 0.0
        labelings, seconds = (found, 0.0) if isinstance(found, Exception) else found
        hypergraphs.provide_communities(self._communities.n_communities, self._problem.seed(repeat), labelings)
        return seconds
