"""Cluster one problem with one algorithm, at every repeat, scale and combination of parameters."""

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypercut.benchmark.code import step_code
from hypercut.benchmark.jobs import run_job
from hypercut.benchmark.provenance import ENVIRONMENT, attached, combined, now
from hypercut.benchmark.rows import write_rows
from hypercut.benchmark.tasks import Job
from hypercut.benchmark.worker import Limits
from hypercut.steps._grid import add_grid_arguments
from hypercut.steps._program import json_argument, run_program


def run(args: argparse.Namespace) -> None:
    """Cluster, and write the rows."""
    inputs = [args.problem, *([args.communities] if args.communities else [])]
    # Before the work, while the code on disk is the code that the worker is about to import.
    origin = combined(map(attached, inputs), {"cluster": step_code("cluster", args.module)})
    rows = run_job(
        Job(args.problem, _absolute(args.module), args.name, args.communities, tuple(args.uses)),
        factors=args.factors,
        repeats=args.repeats,
        combinations=[{**parameters, **_further(args.parameters_from)} for parameters in args.combinations],
        limits=Limits(args.time_limit, args.give_up_after),
        variation=args.variation,
    )
    environment = {name: rows[0][name] for name in ENVIRONMENT}
    limits = {"time_limit": args.time_limit, "give_up_after": args.give_up_after}
    write_rows(args.out, rows, replace(origin, limits=limits, environment=environment, computed=now()))


def _further(path: Path | None) -> dict[str, Any]:
    """Return the parameters that an earlier step has determined."""
    return json.loads(path.read_text(encoding="utf-8")) if path else {}


def _absolute(module: str) -> str:
    """Return the absolute path of a method's file, since a method may change the working folder."""
    return str(Path(module).absolute()) if module.endswith(".py") else module


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    add_grid_arguments(parser)
    parser.add_argument("--module", required=True, help="dotted name or .py file that defines the algorithm")
    parser.add_argument("--name", required=True, help="the algorithm's name in the tables")
    parser.add_argument("--uses", nargs="*", default=[], help="`uses` of the algorithm's class")
    parser.add_argument("--communities", type=Path, help="the .npz file of the overcluster step")
    parser.add_argument("--combinations", type=json_argument, default=[{}], help="a JSON list of parameter sets")
    parser.add_argument("--parameters-from", type=Path, help="a JSON file with parameters for all of them")
    parser.add_argument("--variation", default="", help="the name of the sweep or reading, if it is one")
    run_program(run, parser)
