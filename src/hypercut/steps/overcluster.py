"""Over-cluster one problem at every repeat and σ, once for all algorithms that use the over-clusterings."""

import argparse
import logging
from pathlib import Path

from hypercut.benchmark.code import overclustering_code
from hypercut.paper.protocol import COMMUNITIES_PER_CLUSTER
from hypercut.progress import show
from hypercut.run.failures import Failure
from hypercut.run.overclustering import empty_overclusterings, save_overclusterings
from hypercut.run.problems import load_problem
from hypercut.run.worker import Handler, Limits, Worker
from hypercut.steps._program import check_code, run_program, step_parser, with_limits

_log = logging.getLogger(__name__)


def make_overclusterer(problem: Path) -> Handler:
    """Return the worker's handler. Called in the worker process, which alone imports the mathematics."""
    from hypercut.run.overclusterer import Overclusterer

    return Overclusterer(problem)


def run(args: argparse.Namespace) -> None:
    """Compute the over-clusterings and write them."""
    check_code(args.recipe, "overcluster", overclustering_code())
    step = args.recipe["overcluster"]
    repeats, sigma_factors = step["repeats"], step["sigma_factors"]
    problem = load_problem(args.problem, args.recipe)
    found = empty_overclusterings(
        repeats, sigma_factors, problem.n_samples, COMMUNITIES_PER_CLUSTER * problem.n_classes
    )
    tasks = [(repeat, sigma_factor) for repeat in range(repeats) for sigma_factor in sigma_factors]
    with Worker(make_overclusterer, args.problem) as worker:
        answers = worker.ask_all(tasks, Limits(args.limits["time_limit"], args.limits["give_up_after"]))
        shown = show(answers, total=len(tasks), label="over-clusterings")
        for (repeat, sigma_factor), outcome in zip(tasks, shown, strict=True):
            found.record(repeat, sigma_factors.index(sigma_factor), outcome)
            if isinstance(outcome, Failure):
                _log.warning("%s: repeat %d, σ/ρ = %s: %s", outcome.status, repeat, sigma_factor, outcome.message)
    save_overclusterings(args.out, found, args.recipe)


if __name__ == "__main__":
    run_program(run, with_limits(step_parser(__doc__, "problem")))
