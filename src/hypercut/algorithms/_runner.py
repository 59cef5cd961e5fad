"""What the benchmark does around an algorithm over the shared core: hypergraphs at a scale, communities, scores."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hypercut.algorithms._base import Clustering, SpectralEstimator, copies_of_one
from hypercut.communities import load_communities
from hypercut.core.blocks import block_threads
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import IntArray, Samples
from hypercut.problems import Problem
from hypercut.selection import shared_information


class SpectralRunner:
    """Runs one algorithm on one problem at any repeat and scale, see :attr:`hypercut.cells.Clusterer.runner`."""

    def __init__(self, method: type[SpectralEstimator], problem: Problem, communities: Path | None) -> None:
        self.method = method
        self.problem = problem
        self.communities = load_communities(communities) if communities else None
        self._samples: tuple[int, Samples] | None = None
        self._hypergraphs: tuple[tuple[int, float], Hypergraphs] | None = None

    def prepare(
        self, repeat: int, factor: float | None, parameters: dict[str, Any]
    ) -> tuple[Callable[[], Clustering], dict[str, Any]]:
        """Return the clustering as a function, and its σ and the time of its communities as columns."""
        hypergraphs, shared_seconds = self._at_scale(repeat, factor)
        columns = {"shared_seconds": shared_seconds}
        if factor is not None:
            columns["sigma"] = hypergraphs.sigma
        estimator = self.method(n_clusters=self.problem.n_classes, **parameters).checked()
        return lambda: estimator.cluster(hypergraphs, self.problem.seed(repeat)), columns

    def scores(self, labelings: Sequence[IntArray]) -> list[float]:
        """Return the label-free score of each labeling among those at the other scales."""
        return shared_information(labelings)

    def _at_scale(self, repeat: int, factor: float | None) -> tuple[Hypergraphs, float]:
        """Return the hypergraphs of a repeat at a scale, and the seconds that their communities took elsewhere."""
        number = repeat if len(self.problem.draws) > 1 else 0
        if self._samples is None or self._samples[0] != number:
            self._hypergraphs = None  # the old matrices go before the new ones come
            with block_threads():
                self._samples = (number, Samples.from_features(self.problem.draw(repeat)))
        samples = self._samples[1]
        if samples.mean_distance == 0:
            raise copies_of_one(len(samples))
        # Consecutive tasks of a sweep differ in their parameters alone, and share the kernel.
        scale = (repeat, factor or 1.0)
        if self._hypergraphs is None or self._hypergraphs[0] != scale:
            self._hypergraphs = None
            self._hypergraphs = (scale, Hypergraphs(samples, scale[1] * samples.mean_distance))
        hypergraphs = self._hypergraphs[1]
        found = None
        if self.communities is not None and factor is not None:
            found = self.communities.find(repeat, factor)
        if found is None or self.communities is None:
            return hypergraphs, 0.0
        labelings, seconds = found
        hypergraphs.provide_communities(self.communities.n_communities, self.problem.seed(repeat), labelings)
        return hypergraphs, seconds
