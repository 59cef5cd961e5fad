"""Over-clustering a problem: runs in the worker process of the overcluster step (:mod:`hypercut.benchmark.worker`)."""

import logging
import time
from functools import cached_property
from pathlib import Path

from hypercut.benchmark.communities import Labelings
from hypercut.benchmark.failures import Failure, failure_of
from hypercut.benchmark.problems import Problem, load_problem
from hypercut.core.blocks import block_threads
from hypercut.core.hypergraphs import Scales
from hypercut.paper.protocol import COMMUNITIES_PER_CLUSTER

_log = logging.getLogger(__name__)


class CommunityFinder:
    """Finds the communities of one problem: the handler of a :class:`hypercut.benchmark.worker.Worker`."""

    def __init__(self, path: Path) -> None:
        logging.basicConfig(format="%(message)s", level=logging.INFO)
        self.path = path

    @cached_property
    def problem(self) -> Problem:
        """The problem, read on first use, so that the time limit covers it."""
        return load_problem(self.path)

    @cached_property
    def scales(self) -> Scales:
        """The problem's hypergraphs."""
        return Scales(self.problem.draws)

    def __call__(self, task: tuple[int, float]) -> tuple[Labelings, float] | Failure:
        """Return the labelings and seconds of (repeat, factor), or the failure."""
        repeat, factor = task
        try:
            hypergraphs = self.scales.at(repeat, factor)
            count = COMMUNITIES_PER_CLUSTER * self.problem.n_classes
            begun = time.perf_counter()
            with block_threads():
                found = hypergraphs.communities(count, self.problem.seed(repeat))
            return found, time.perf_counter() - begun
        except Exception as error:  # becomes the failure of every clustering that needs these communities
            _log.exception("repeat %d, σ/ρ = %s", repeat, factor)
            return failure_of(error)
