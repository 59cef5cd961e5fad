"""Build the report from the aggregated table."""

import argparse
import json
import shutil
from pathlib import Path

from hypercut.benchmark.layout import Layout
from hypercut.benchmark.rows import read_rows
from hypercut.files import write_json
from hypercut.report.build import build_report
from hypercut.steps._program import run_program


def run(args: argparse.Namespace) -> None:
    """Write the report, and its main numbers for MLflow."""
    layout = Layout(args.results)
    run = json.loads(layout.run.read_text(encoding="utf-8"))
    headline = build_report(read_rows(layout.table), run, layout.report, similarity=args.similarity)
    write_json(layout.headline, headline)
    copy_figures(layout.report, layout.report_figures)


def copy_figures(report: Path, out: Path) -> None:
    """Copy the figures of a report into a folder that Snakemake may delete: the report's may hold a user's files."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for figure in sorted(report.glob("figures/*.svg")):
        shutil.copy(figure, out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="the folder of results")
    parser.add_argument("--similarity", type=Path, help="file of the similarity matrices of ORL")
    run_program(run, parser)
