"""Build the report from the aggregated table."""

import argparse
import json
import shutil
from pathlib import Path

from hypercut.benchmark.layout import Layout
from hypercut.files import write_json
from hypercut.report.build import build_report
from hypercut.results.rows import read_rows
from hypercut.steps._program import run_program


def run(args: argparse.Namespace) -> None:
    """Write the report, its main numbers for MLflow, and a copy of the figures for ``snakemake --report``."""
    layout = Layout(args.results)
    run = json.loads(layout.run.read_text(encoding="utf-8"))
    headline = build_report(read_rows(layout.table), run, layout.report, similarity=args.similarity)
    shutil.copytree(layout.report / "figures", args.figures, ignore=shutil.ignore_patterns("*.csv"), dirs_exist_ok=True)
    write_json(layout.headline, headline)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="the folder of results")
    parser.add_argument("--similarity", type=Path, help="file of the similarity matrices of ORL")
    parser.add_argument("--figures", type=Path, required=True, help="folder for a copy of the figures")
    run_program(run, parser)
