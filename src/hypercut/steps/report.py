"""Build the report from the aggregated table."""

import argparse
import json
from pathlib import Path

from hypercut.files import write_json
from hypercut.report import build_report, headline
from hypercut.results import read_rows
from hypercut.steps._program import run_program


def run(args: argparse.Namespace) -> None:
    """Build the page, its tables and figures, and write the figures that MLflow is to show."""
    table = read_rows(args.results / "table.parquet")
    run = json.loads((args.results / "run.json").read_text(encoding="utf-8"))
    build_report(table, run, args.results / "report", similarity_features=args.similarity)
    write_json(args.results / "headline.json", headline(table, run))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="the folder of results")
    parser.add_argument("--similarity", type=Path, help="features of the dataset whose similarity matrices are drawn")
    run_program(run, parser)
