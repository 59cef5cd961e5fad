"""Write the plan of a benchmark: jobs, core-hours, wall time, memory and disk."""

import argparse
from pathlib import Path

from hypercut.benchmark.design import load_benchmark
from hypercut.files import atomic_write
from hypercut.results.plan import plan
from hypercut.steps._program import run_program


def run(args: argparse.Namespace) -> None:
    """Estimate, and write the plan."""
    text = plan(args.results, load_benchmark(args.results), args.cores, args.archive)
    with atomic_write(args.out) as part:
        part.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="the folder of results")
    parser.add_argument("--cores", type=int, required=True, help="the cores that the benchmark will have")
    parser.add_argument("--archive", type=Path, required=True, help="the archive whose measured times are added up")
    parser.add_argument("--out", type=Path, required=True)
    run_program(run, parser)
