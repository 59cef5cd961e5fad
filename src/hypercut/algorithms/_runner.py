"""What the benchmark does around an algorithm over the shared core: hypergraphs at a scale, communities, scores."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hypercut.algorithms._base import Clustering, copies_of_one
from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.communities import load_communities
from hypercut.core.blocks import block_threads
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import IntArray
from hypercut.failures import EarlierFailureError, Failure
from hypercut.problems import Problem
from hypercut.scales import Scales
from hypercut.selection import neighbor_information


class SpectralRunner:
    """Runs one algorithm on one problem at any repeat and scale, see :attr:`hypercut.cells.Clusterer.runner`."""

    def __init__(self, method: type[SpectralEstimator], problem: Problem, communities: Path | None) -> None:
        self.method = method
        self.problem = problem
        self.scales = Scales(problem)
        self.communities = load_communities(communities) if communities else None

    def prepare(
        self, repeat: int, factor: float | None, parameters: dict[str, Any]
    ) -> tuple[Callable[[], Clustering], dict[str, Any]]:
        """Return the clustering as a function, and its σ and the time of its communities as columns."""
        hypergraphs = self.scales.at(repeat, factor or 1.0)
        if hypergraphs.sigma == 0:
            raise copies_of_one(len(hypergraphs.samples))
        columns = {}
        if factor is not None:
            columns = {"sigma": hypergraphs.sigma, "shared_seconds": self._provide(hypergraphs, repeat, factor)}
        estimator = self.method(n_clusters=self.problem.n_classes, **parameters).checked()
        return lambda: estimator.cluster(hypergraphs, self.problem.seed(repeat)), columns

    def scores(self, repeat: int, labelings: Sequence[IntArray]) -> list[float]:
        """Return the label-free score of each labeling of the samples of a repeat."""
        samples = self.scales.samples(repeat)
        with block_threads():
            return neighbor_information(samples, labelings)

    def _provide(self, hypergraphs: Hypergraphs, repeat: int, factor: float) -> float:
        """Give the hypergraphs the communities that were found before, and return the seconds that took.

        Where they were not found, an algorithm that asks for them fails as they did.
        """
        found = self.communities.find(repeat, factor) if self.communities else None
        if found is None or self.communities is None:
            return 0.0
        given = self.communities.n_communities, self.problem.seed(repeat)
        if isinstance(found, Failure):
            hypergraphs.provide_communities(*given, EarlierFailureError(found.of("over-clustering")))
            return 0.0
        labelings, seconds = found
        hypergraphs.provide_communities(*given, labelings)
        return seconds
