"""``hypercut report``: build the report from the result files that are there."""

import argparse
from pathlib import Path
from typing import Any

DESCRIPTION = """\
Build the report (index.html, tables/, figures/) from the result files of a benchmark.

The workflow does this at its end. This command does it at any time: from a benchmark that is still running or was
stopped it makes a partial report, which says what is missing. Results of other code, data or configuration than the
present ones are not used. Files in the folder that hypercut did not write stay there.
"""


def add_parser(subparsers: Any) -> None:
    """Declare ``hypercut report`` and its arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "report",
        help="build the report of a benchmark, complete or not",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "results", type=Path, nargs="?", default=Path("results"), help="folder of the results (default: results)"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="where to write it (default: RESULTS/report); other files there stay"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Gather what is there, and build the report."""
    from hypercut.benchmark.design import load_benchmark
    from hypercut.benchmark.gather import gather_current
    from hypercut.benchmark.layout import Layout
    from hypercut.benchmark.record import describe_run
    from hypercut.report import build_report
    from hypercut.report.similarity import DATASET

    layout = Layout(args.results)
    benchmark = load_benchmark(args.results)
    facts = describe_run(args.results, benchmark)
    table, stale = gather_current(args.results, benchmark, facts["datasets"])
    features = layout.features(DATASET)
    out = args.out or layout.report
    build_report(
        table,
        {**facts, "stale": stale},
        out,
        similarity_features=features if features.exists() else None,
    )
    if stale:
        print(f"Not used: {len(stale)} results of other code, data or configuration (hypercut status lists them).")
    print(f"Written: {out / 'index.html'}")
    return 0
