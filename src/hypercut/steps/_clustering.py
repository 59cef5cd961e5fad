"""What the steps that cluster by one algorithm have in common."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypercut.benchmark.code import step_code
from hypercut.benchmark.jobs import run_job
from hypercut.benchmark.provenance import ENVIRONMENT, attached, combined, now
from hypercut.benchmark.rows import write_rows
from hypercut.benchmark.tasks import Job
from hypercut.steps._grid import add_grid_arguments, limits_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the algorithm, and what it is to go through."""
    add_grid_arguments(parser)
    parser.add_argument("--module", required=True, help="dotted name or .py file that defines the algorithm")
    parser.add_argument("--name", required=True, help="the algorithm's name in the tables")
    parser.add_argument("--uses", nargs="*", default=[], help="what the algorithm's class says that it uses")
    parser.add_argument("--communities", type=Path, help="the .npz file of the overcluster step")


def cluster(args: argparse.Namespace, combinations: list[dict[str, Any]], sweep: str = "") -> None:
    """Cluster with every combination of parameters, and write the rows."""
    step = "sweep" if sweep else "cluster"
    inputs = [args.problem, *([args.communities] if args.communities else [])]
    # Before the work: what is on disk now is what the worker is about to import.
    origin = combined(map(attached, inputs), {step: step_code(step, args.module)})
    rows = run_job(
        Job(args.problem, _absolute(args.module), args.name, args.communities, tuple(args.uses)),
        factors=args.factors,
        repeats=args.repeats,
        combinations=combinations,
        limits=limits_of(args),
        sweep=sweep,
    )
    environment = {name: rows[0][name] for name in ENVIRONMENT}
    limits = {"time_limit": args.time_limit, "give_up_after": args.give_up_after}
    write_rows(args.out, rows, replace(origin, limits=limits, environment=environment, computed=now()))


def _absolute(module: str) -> str:
    """Return the path of a method's file as it is from any folder: a method may change the working folder."""
    return str(Path(module).absolute()) if module.endswith(".py") else module
