"""Compute a dataset's features."""

import argparse
from dataclasses import replace
from pathlib import Path

from hypercut.benchmark.code import features_code
from hypercut.data.datasets import load
from hypercut.data.features import save_features
from hypercut.data.featurizing import featurize
from hypercut.steps._program import check_code, run_program, step_parser


def run(args: argparse.Namespace) -> None:
    """Compute the features and write them with their recipe."""
    step = args.recipe["featurize"]
    check_code(args.recipe, "featurize", features_code(step["module"]))
    dataset, options = load(step["module"], step["dataset"], step["entry"])
    features = featurize(dataset, args.root, options)
    save_features(args.out, replace(features, provenance={**features.provenance, "recipe": args.recipe}))


if __name__ == "__main__":
    parser = step_parser(__doc__)
    parser.add_argument("--root", type=Path, required=True, help="the data folder")
    run_program(run, parser)
