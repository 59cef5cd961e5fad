"""``hypercut archive``: add the results of a benchmark to an archive."""

import argparse
from pathlib import Path

HELP = "add the results of a benchmark to an archive, which is small enough for a repository"
DESCRIPTION = """\
Add the rows of all finished results, without labels and with their recipes, to an archive. Results that are archived
already are kept. It is an error if a result is stale, or if an archived one has other code, data or settings.

snakemake --config archive=FOLDER takes results from there; hypercut report FOLDER builds the report from it.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("results", type=Path, help="results folder of a benchmark")
    parser.add_argument("archive", type=Path, help="folder of the archive, new or existing")
    parser.add_argument(
        "--replace", action="store_true", help="replace archived results by new ones, and drop outdated ones"
    )


def run(args: argparse.Namespace) -> int:
    """Add the results, and print how many there were."""
    # Here, since `hypercut --help` need not wait for pandas.
    from hypercut.benchmark.design import load_benchmark
    from hypercut.benchmark.layout import Layout
    from hypercut.results.archive import archive
    from hypercut.results.gather import finished, inspect
    from hypercut.results.record import describe_run

    benchmark = load_benchmark(args.results)
    found = list(inspect(args.results, benchmark))
    run = describe_run(args.results, benchmark, found)
    similarity = Layout(args.results).similarity
    outcome = archive(
        finished(args.results, found),
        benchmark,
        run,
        args.archive,
        similarity=similarity if similarity.exists() else None,
        replace=args.replace,
    )
    print(f"{args.archive}: {', '.join(f'{count} {what}' for what, count in outcome.items())}.")
    size = sum(path.stat().st_size for path in args.archive.glob("rows/*.parquet"))
    print(f"Size of all rows: {size / 1e6:.2f} MB.")
    return 0
