"""Find the communities of one problem at every repeat and scale, for the algorithms that share them."""

import argparse
import logging
from pathlib import Path

from hypercut.communities import PER_CLUSTER, empty_communities, save_communities
from hypercut.problems import load_problem
from hypercut.progress import track
from hypercut.steps._grid import add_grid_arguments, limits_of
from hypercut.steps._program import run_program
from hypercut.worker import Died, Handler, TimedOut, Worker

_log = logging.getLogger(__name__)


def make_finder(problem: Path) -> Handler:
    """Make the handler, in the worker's process."""
    from hypercut.overclustering import CommunityFinder

    return CommunityFinder(problem)


def run(args: argparse.Namespace) -> None:
    """Find and write them."""
    problem = load_problem(args.problem)
    count = PER_CLUSTER * problem.n_classes
    found = empty_communities(args.repeats, args.factors, len(problem.y), count)
    tasks = [(repeat, scale) for repeat in range(args.repeats) for scale in range(len(args.factors))]
    limits = limits_of(args)
    in_a_row = 0
    with Worker(make_finder, args.problem) as worker:
        for repeat, scale in track(tasks, total=len(tasks), label="communities"):
            if in_a_row >= limits.in_a_row:
                break
            answer = worker.ask((repeat, args.factors[scale]), limits.seconds)
            in_a_row = in_a_row + 1 if isinstance(answer, TimedOut) else 0
            if isinstance(answer, str | Died | TimedOut):
                _log.warning("repeat %d, σ/ρ = %s: %s", repeat, args.factors[scale], answer)
                continue
            found.labels[repeat, scale], found.seconds[repeat, scale] = answer
    save_communities(args.out, found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    add_grid_arguments(parser)
    run_program(run, parser)
