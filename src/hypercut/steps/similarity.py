"""Compute the similarity matrices of ORL for the report."""

import argparse
from pathlib import Path

from hypercut.benchmark.layout import Layout
from hypercut.benchmark.matrices import save_matrices
from hypercut.benchmark.rows import read_rows
from hypercut.benchmark.similarity import similarity_matrices
from hypercut.data.features.file import load_features
from hypercut.paper.protocol import SIMILARITY_DATASET
from hypercut.steps._program import run_program


def run(args: argparse.Namespace) -> None:
    """Compute the matrices and write them."""
    layout = Layout(args.results)
    matrices = similarity_matrices(read_rows(layout.table), load_features(layout.features(SIMILARITY_DATASET)))
    save_matrices(layout.similarity, matrices)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="the folder of results")
    run_program(run, parser)
