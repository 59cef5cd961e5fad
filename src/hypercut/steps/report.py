"""Build the report from the aggregated table."""

import argparse
import json
from pathlib import Path

from hypercut.results import read_rows
from hypercut.steps._program import run_program


def run(args: argparse.Namespace) -> None:
    """Build it."""
    table = read_rows(args.results / "table.parquet")
    run = json.loads((args.results / "run.json").read_text(encoding="utf-8"))
    (args.results / "report").mkdir(exist_ok=True)
    (args.results / "report" / "index.html").write_text(f"{len(table)} {run['created']}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="the folder of results")
    run_program(run, parser)
