"""``hypercut report``: build the report from the result files that exist."""

import argparse
from pathlib import Path

from hypercut.benchmark.layout import Layout
from hypercut.progress import Phases

HELP = "build the report of a benchmark, complete or not"
DESCRIPTION = """\
Build the report (index.html, tables/, figures/) from the result files of a benchmark.

The workflow builds it last. Use this command while a benchmark is running or after it was stopped: the report is then
partial and lists the missing results. Results computed by other code, from other data or with another configuration
are not used. Files in the folder that hypercut did not write are kept.

The folder may also be a reference (hypercut archive). Its report needs neither data nor results.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "results", type=Path, nargs="?", default="results", help="results folder or reference (default: results)"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="where to write it (default: RESULTS/report); other files are kept"
    )


def run(args: argparse.Namespace) -> int:
    """Gather the current results and build the report."""
    # Here, since `hypercut --help` need not wait for pandas and matplotlib.
    from hypercut.benchmark.design import load_benchmark
    from hypercut.benchmark.gather import gather_current
    from hypercut.benchmark.record import describe_run
    from hypercut.benchmark.reference import is_reference
    from hypercut.report.build import build_report

    if is_reference(args.results):
        return _of_reference(args.results, args.out)
    layout = Layout(args.results)
    out = args.out or layout.report
    with Phases() as say:
        say(f"Reading the result files of {args.results}")
        benchmark = load_benchmark(args.results)
        facts = describe_run(args.results, benchmark)
        table, stale = gather_current(args.results, benchmark, facts["datasets"])
        say(f"Computing tables and figures from {len(table)} clusterings")
        similarity = layout.similarity if layout.similarity.exists() else None
        build_report(table, {**facts, "stale": stale}, out, similarity=similarity)
    if stale:
        print(f"Not used: {len(stale)} results of other code, data or configuration (hypercut status lists them).")
    print(f"Written: {out / 'index.html'}")
    return 0


def _of_reference(folder: Path, out: Path | None) -> int:
    from hypercut.benchmark.reference import SIMILARITY, read_reference
    from hypercut.report.build import build_report

    reference = read_reference(folder)
    out = out or Layout(folder).report
    similarity = folder / SIMILARITY
    build_report(reference.table(), reference.describe(), out, similarity=similarity if similarity.exists() else None)
    print(f"Written: {out / 'index.html'}")
    return 0
