"""Over-cluster one problem at every repeat and scale, once for all algorithms that use the communities."""

import argparse
import logging
from pathlib import Path

from hypercut.benchmark.code import step_code
from hypercut.benchmark.communities import empty_communities, save_communities
from hypercut.benchmark.failures import Failure, failure_or_answer
from hypercut.benchmark.problems import load_problem
from hypercut.benchmark.provenance import attached, combined
from hypercut.benchmark.worker import Handler, Worker
from hypercut.paper.protocol import COMMUNITIES_PER_CLUSTER
from hypercut.progress import show
from hypercut.steps._grid import add_grid_arguments, limits_of
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
    found = empty_communities(args.repeats, args.factors, len(problem.y), count)
    tasks = [(repeat, scale) for repeat in range(args.repeats) for scale in range(len(args.factors))]
    with Worker(make_finder, args.problem) as worker:
        questions = [(repeat, args.factors[scale]) for repeat, scale in tasks]
        answers = show(worker.ask_all(questions, limits_of(args)), total=len(tasks), label="communities")
        for (repeat, scale), outcome in zip(tasks, map(failure_or_answer, answers), strict=True):
            found.record(repeat, scale, outcome)
            if isinstance(outcome, Failure):
                _log.warning(
                    "%s: repeat %d, σ/ρ = %s: %s", outcome.status, repeat, args.factors[scale], outcome.message
                )
    save_communities(args.out, found, origin)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    add_grid_arguments(parser)
    run_program(run, parser)
