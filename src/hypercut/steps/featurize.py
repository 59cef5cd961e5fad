"""Compute a dataset's features."""

import argparse
from pathlib import Path

from hypercut import datasets
from hypercut.steps._program import json_argument, run_program


def run(args: argparse.Namespace) -> None:
    """Compute and write."""
    dataset, options = datasets.resolve(args.dataset, args.entry)
    datasets.save_features(args.out, datasets.featurize(dataset, args.root, options))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset")
    parser.add_argument("--root", type=Path, required=True, help="the data folder")
    parser.add_argument("--entry", type=json_argument, default={}, help="the dataset's entry of the configuration")
    parser.add_argument("--out", type=Path, required=True)
    run_program(run, parser)
