"""Cluster one problem with one algorithm, at every repeat, σ and parameter set of the recipe."""

import argparse

from hypercut.benchmark.code import clustering_code, sigma_choice_code
from hypercut.results.rows import read_rows, write_rows
from hypercut.run.jobs import run_job
from hypercut.run.machine import ENVIRONMENT, now
from hypercut.run.tasks import Job
from hypercut.steps._program import check_code, run_program, step_parser, with_limits


def run(args: argparse.Namespace) -> None:
    """Cluster, and write the rows with their origin."""
    step = {**args.recipe["cluster"], "limits": args.limits}
    check_code(args.recipe, "cluster", clustering_code(step["module"]))
    combinations = step["parameters"]
    if args.cell:
        from hypercut.results.summary import best_sigma  # imports pandas, which few jobs need

        check_code(step, "sigma_choice", sigma_choice_code())
        factor = best_sigma(read_rows(args.cell))
        combinations = [{**parameters, "overclustering_sigma_factor": factor} for parameters in combinations]
    rows = run_job(Job({**args.recipe, "cluster": step}, args.problem, args.overclustering), combinations)
    first = rows[0]
    data = {"kind": first["data_kind"], "identity": first["identity"]}
    environment = {name: first[name] for name in ENVIRONMENT}
    origin = {"recipe": {**args.recipe, "data": data}, "limits": args.limits, "environment": environment}
    write_rows(args.out, rows, {**origin, "computed": now()})


if __name__ == "__main__":
    run_program(run, with_limits(step_parser(__doc__, "problem", "overclustering", "cell")))
