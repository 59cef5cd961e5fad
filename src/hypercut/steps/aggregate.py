"""Gather all rows into one table, and write the record of the run.

The result files follow from the configuration. They are too many for a command line.
"""

import argparse
from pathlib import Path

from hypercut.benchmark.design import load_benchmark
from hypercut.benchmark.layout import Layout
from hypercut.files import write_json
from hypercut.results.gather import gather, inspect
from hypercut.results.record import describe_rows, describe_run
from hypercut.results.rows import write_table
from hypercut.steps._program import run_program


def run(args: argparse.Namespace) -> None:
    """Gather the rows, and write table and record."""
    benchmark = load_benchmark(args.results)
    found = list(inspect(args.results, benchmark))
    table = gather(args.results, found)
    layout = Layout(args.results)
    write_table(layout.table, table)
    write_json(layout.run, {**describe_run(args.results, benchmark, found), "computed": describe_rows(table)})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="the folder of results")
    run_program(run, parser)
