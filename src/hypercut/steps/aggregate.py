"""Put all rows into one table, and record what was run."""

import argparse
from pathlib import Path

from hypercut.aggregate import describe_rows, describe_run, gather
from hypercut.benchmark import load_benchmark
from hypercut.files import write_json
from hypercut.results import write_table
from hypercut.steps._program import run_program


def run(args: argparse.Namespace) -> None:
    """Gather and write."""
    benchmark = load_benchmark(args.results)
    table = gather(args.results, benchmark)
    write_table(args.results / "table.parquet", table)
    write_json(args.results / "run.json", {**describe_run(args.results, benchmark), "computed": describe_rows(table)})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="the folder of results")
    run_program(run, parser)
