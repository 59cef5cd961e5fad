"""Finding the communities of a problem. This runs in a process of its own, see :mod:`hypercut.worker`."""

import time
from collections.abc import Callable
from pathlib import Path

from hypercut.communities import PER_CLUSTER, Labelings
from hypercut.core.blocks import block_threads
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.problems import Problem, load_problem


class CommunityFinder:
    """Finds the communities of one problem; the handler of a :class:`hypercut.worker.Worker`."""

    def __init__(self, path: Path) -> None:
        self.problem: Problem = load_problem(path)
        self._samples: tuple[int, Samples] | None = None

    def __call__(self, task: tuple[int, float], started: Callable[[], None]) -> tuple[Labelings, float] | str:
        """Return the labelings and seconds of (repeat, factor), or why there are none."""
        repeat, factor = task
        number = repeat if len(self.problem.draws) > 1 else 0
        if self._samples is None or self._samples[0] != number:
            self._samples = (number, Samples.from_features(self.problem.draw(repeat)))
        samples = self._samples[1]
        started()
        begun = time.perf_counter()
        try:
            with block_threads():
                hypergraphs = Hypergraphs(samples, factor * samples.mean_distance)
                found = hypergraphs.communities(PER_CLUSTER * self.problem.n_classes, self.problem.seed(repeat))
        except Exception as error:  # a failure here becomes one of every algorithm that needs these communities
            return f"{type(error).__name__}: {error}"
        return found, time.perf_counter() - begun
