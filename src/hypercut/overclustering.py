"""Finding the communities of a problem. This runs in a process of its own, see :mod:`hypercut.worker`."""

import logging
import time
from functools import cached_property
from pathlib import Path

from hypercut.communities import PER_CLUSTER, Labelings
from hypercut.core.blocks import block_threads
from hypercut.failures import Failure, failure_of
from hypercut.problems import load_problem
from hypercut.scales import Scales

_log = logging.getLogger(__name__)


class CommunityFinder:
    """Finds the communities of one problem; the handler of a :class:`hypercut.worker.Worker`."""

    def __init__(self, path: Path) -> None:
        logging.basicConfig(format="%(message)s", level=logging.INFO)
        self.path = path

    @cached_property
    def scales(self) -> Scales:
        """The problem's hypergraphs. It is read with the first task, whose time limit includes that."""
        return Scales(load_problem(self.path))

    def __call__(self, task: tuple[int, float]) -> tuple[Labelings, float] | Failure:
        """Return the labelings and seconds of (repeat, factor), or why there are none."""
        repeat, factor = task
        try:
            hypergraphs = self.scales.at(repeat, factor)
            problem = self.scales.problem
            begun = time.perf_counter()
            with block_threads():
                found = hypergraphs.communities(PER_CLUSTER * problem.n_classes, problem.seed(repeat))
            return found, time.perf_counter() - begun
        except Exception as error:  # it becomes the failure of every clustering that needs these communities
            _log.exception("repeat %d, σ/ρ = %s", repeat, factor)
            return failure_of(error)
