"""``hypercut report``: build the report from the result files that exist."""

import argparse
from pathlib import Path

from hypercut.benchmark.layout import Layout
from hypercut.progress import Phases

HELP = "build the report of a benchmark, complete or not"
DESCRIPTION = """\
Build the report (index.html, appendix.html, tables/, figures/) from the current result files of a benchmark, complete
or not, or from an archive. The workflow builds it last. Its folder is replaced; a file in it that hypercut did not
write is an error.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "results", type=Path, nargs="?", default="results", help="results folder or archive (default: results)"
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where to write it (default: RESULTS/report)")


def run(args: argparse.Namespace) -> int:
    """Build the report from the current results of a folder, or from an archive."""
    # Here, since `hypercut --help` need not wait for pandas and matplotlib.
    from hypercut.benchmark.design import load_benchmark
    from hypercut.report.build import build_report
    from hypercut.results.archive import SIMILARITY, is_archive, read_archive
    from hypercut.results.gather import gather_current, inspect
    from hypercut.results.record import describe_run

    layout = Layout(args.results)
    out = args.out or layout.report
    with Phases() as say:
        say(f"Reading the results of {args.results}")
        if is_archive(args.results):
            archive, similarity = read_archive(args.results), args.results / SIMILARITY
            table, facts = archive.table(), archive.describe()
        else:
            benchmark, similarity = load_benchmark(args.results), layout.similarity
            found = list(inspect(args.results, benchmark))
            table, facts = gather_current(args.results, found), describe_run(args.results, benchmark, found)
            facts["stale"] = [{**file.variation.names, "reason": file.stale} for file in found if file.stale]
        say(f"Computing tables and figures from {len(table)} clusterings")
        build_report(table, facts, out, similarity=similarity if similarity.exists() else None)
    if facts.get("stale"):
        count = len(facts["stale"])
        print(f"Not used: {count} results of other code, data or settings (hypercut status lists them).")
    print(f"Written: {out / 'index.html'}")
    return 0
