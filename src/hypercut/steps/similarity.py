"""Compute the similarity matrices of ORL for the report."""

import argparse
from pathlib import Path

from hypercut.data.features import load_features
from hypercut.results.matrices import save_matrices
from hypercut.results.rows import read_rows
from hypercut.results.similarity import similarity_matrices
from hypercut.steps._program import run_program


def run(args: argparse.Namespace) -> None:
    """Compute the matrices and write them."""
    save_matrices(args.out, similarity_matrices(read_rows(args.table), load_features(args.features)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=Path, required=True, help="the aggregated rows")
    parser.add_argument("--features", type=Path, required=True, help="the features of ORL")
    parser.add_argument("--out", type=Path, required=True)
    run_program(run, parser)
