"""Fetch or generate a dataset unless it is in the data folder."""

import argparse
from pathlib import Path

from hypercut.benchmark.code import acquisition_code
from hypercut.data.datasets import load
from hypercut.data.store import acquire
from hypercut.steps._program import check_code, run_program, step_parser


def run(args: argparse.Namespace) -> None:
    """Acquire the dataset; data are generated again if the code of their generator has changed."""
    step = args.recipe["acquire"]
    check_code(args.recipe, "acquire", acquisition_code(step["module"]))
    dataset, _ = load(step["module"], step["dataset"], step["entry"])
    acquire(dataset, args.root, on_missing=args.on_missing, on_mismatch=args.on_mismatch, code=step["code"])


if __name__ == "__main__":
    parser = step_parser(__doc__)
    parser.add_argument("--root", type=Path, required=True, help="the data folder")
    parser.add_argument("--on-missing", choices=["fail", "standin"], required=True)
    parser.add_argument("--on-mismatch", choices=["fail", "own"], required=True)
    run_program(run, parser)
