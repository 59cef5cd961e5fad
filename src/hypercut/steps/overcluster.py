"""Over-cluster one problem at every repeat and scale, once for all algorithms that use the communities."""

import argparse
import logging
from pathlib import Path

from hypercut.benchmark.code import step_code
from hypercut.benchmark.communities import empty_communities, save_communities
from hypercut.benchmark.failures import Failure
from hypercut.benchmark.problems import load_problem
from hypercut.benchmark.provenance import attached, combined
from hypercut.benchmark.worker import Handler, Limits, Worker
from hypercut.paper.protocol import COMMUNITIES_PER_CLUSTER
from hypercut.progress import show
from hypercut.steps._grid import add_grid_arguments
from hypercut.steps._program import run_program

_log = logging.getLogger(__name__)


def make_finder(problem: Path) -> Handler:
    """Return the worker's handler. Called in the worker process, which alone imports the mathematics."""
    from hypercut.benchmark.overclustering import CommunityFinder

    return CommunityFinder(problem)


def run(args: argparse.Namespace) -> None:
    """Find the communities, and write them."""
    origin = combined([attached(args.problem)], {"overcluster": step_code("overcluster")})
    problem = load_problem(args.problem)
    count = COMMUNITIES_PER_CLUSTER * problem.n_classes
    found = empty_communities(args.repeats, args.factors, problem.n_samples, count)
    tasks = [(repeat, factor) for repeat in range(args.repeats) for factor in args.factors]
    with Worker(make_finder, args.problem) as worker:
        answers = worker.ask_all(tasks, Limits(args.time_limit, args.give_up_after))
        shown = show(answers, total=len(tasks), label="communities")
        for (repeat, factor), outcome in zip(tasks, shown, strict=True):
            found.record(repeat, args.factors.index(factor), outcome)
            if isinstance(outcome, Failure):
                _log.warning("%s: repeat %d, σ/ρ = %s: %s", outcome.status, repeat, factor, outcome.message)
    save_communities(args.out, found, origin)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    add_grid_arguments(parser)
    run_program(run, parser)
