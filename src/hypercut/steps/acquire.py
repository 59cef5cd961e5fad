"""Fetch or generate a dataset unless it is in the data folder."""

import argparse
from pathlib import Path

from hypercut.data.acquisition import acquire
from hypercut.data.datasets import load
from hypercut.data.manifest import find_manifest
from hypercut.steps._program import json_argument, run_program


def run(args: argparse.Namespace) -> None:
    """Acquire the dataset; generate data again if the code of their generator changed or is unknown."""
    dataset, _ = load(args.module, args.dataset, args.entry)
    present = find_manifest(args.dataset, args.root)
    acquire(
        dataset,
        args.root,
        on_missing=args.on_missing,
        on_mismatch=args.on_mismatch,
        code=args.code,
        force=not args.code and present is not None and present.kind == "generated",
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset")
    parser.add_argument("--module", required=True, help="dotted name of the module that defines the dataset")
    parser.add_argument("--root", type=Path, required=True, help="the data folder")
    parser.add_argument("--on-missing", choices=["fail", "standin"], required=True)
    parser.add_argument("--on-mismatch", choices=["fail", "own"], required=True)
    parser.add_argument("--code", default="", help="fingerprint of the code that generates data")
    parser.add_argument("--entry", type=json_argument, default={}, help="the entry of the dataset in the configuration")
    run_program(run, parser)
