"""Build the report from the aggregated table."""

import argparse
import json
from pathlib import Path

from hypercut.benchmark.layout import Layout
from hypercut.benchmark.rows import read_rows
from hypercut.files import write_json
from hypercut.report import build_report, headline
from hypercut.steps._program import run_program


def run(args: argparse.Namespace) -> None:
    """Build the page, its tables and figures, and write the figures that MLflow is to show."""
    layout = Layout(args.results)
    table = read_rows(layout.table)
    run = json.loads(layout.run.read_text(encoding="utf-8"))
    build_report(table, run, layout.report, similarity_features=args.similarity)
    write_json(layout.headline, headline(table, run))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="the folder of results")
    parser.add_argument("--similarity", type=Path, help="features of the dataset whose similarity matrices are drawn")
    run_program(run, parser)
