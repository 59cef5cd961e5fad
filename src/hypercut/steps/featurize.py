"""Compute a dataset's features."""

import argparse
from pathlib import Path

from hypercut.benchmark.code import step_code
from hypercut.data.datasets import load
from hypercut.data.features.file import identified, save_features
from hypercut.data.featurizing import featurize
from hypercut.steps._program import json_argument, run_program


def run(args: argparse.Namespace) -> None:
    """Compute the features and write them with their recipe."""
    dataset, options = load(args.module, args.dataset, args.entry)
    features = featurize(dataset, args.root, options)
    recipe = {
        "data": features.provenance["identity"],
        "entry": args.entry,
        "code": step_code("featurize", args.module),
    }
    save_features(args.out, identified(features, recipe))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset")
    parser.add_argument("--module", required=True, help="dotted name of the module that defines the dataset")
    parser.add_argument("--root", type=Path, required=True, help="the data folder")
    parser.add_argument("--entry", type=json_argument, default={}, help="the entry of the dataset in the configuration")
    parser.add_argument("--out", type=Path, required=True)
    run_program(run, parser)
