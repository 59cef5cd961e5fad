"""Over-clusters a problem, in the worker process of the overcluster step (:mod:`hypercut.run.worker`)."""

import logging
import time
from functools import cached_property
from pathlib import Path

from hypercut.core.blocks import block_threads
from hypercut.core.hypergraphs import HypergraphCache
from hypercut.paper.protocol import COMMUNITIES_PER_CLUSTER
from hypercut.run.failures import Failure, failure_of
from hypercut.run.overclustering import Labelings
from hypercut.run.problems import Problem, load_problem

_log = logging.getLogger(__name__)


class Overclusterer:
    """Over-clusters one problem: the handler of a :class:`hypercut.run.worker.Worker`."""

    def __init__(self, path: Path) -> None:
        logging.basicConfig(format="%(message)s", level=logging.INFO)
        self.path = path

    @cached_property
    def problem(self) -> Problem:
        """The problem, read on first use, so that the time limit covers it."""
        return load_problem(self.path)

    @cached_property
    def hypergraphs(self) -> HypergraphCache:
        """The problem's hypergraphs."""
        return HypergraphCache(self.problem.draws)

    def __call__(self, task: tuple[int, float]) -> tuple[Labelings, float] | Failure:
        """Return the labelings and seconds of (repeat, σ/ρ), or the failure."""
        repeat, factor = task
        try:
            hypergraphs = self.hypergraphs.at(repeat, factor)
            count = COMMUNITIES_PER_CLUSTER * self.problem.n_classes
            begun = time.perf_counter()
            with block_threads():
                found = hypergraphs.overclusterings(count, self.problem.seed(repeat))
            return found, time.perf_counter() - begun
        except Exception as error:  # becomes the failure of every clustering that needs this over-clustering
            _log.exception("repeat %d, σ/ρ = %s", repeat, factor)
            return failure_of(error)
