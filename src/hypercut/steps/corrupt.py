"""Scale and corrupt the features of a dataset: all repeats of one setting."""

import argparse
from pathlib import Path

from hypercut.benchmark.code import step_code
from hypercut.benchmark.problems import make_problem, save_problem
from hypercut.benchmark.provenance import Origin
from hypercut.data.features.file import load_features
from hypercut.steps._program import json_argument, run_program


def run(args: argparse.Namespace) -> None:
    """Corrupt the features and write the problem."""
    features = load_features(args.features)
    options = {"scaling" if name == "features" else name: value for name, value in args.options.items()}
    problem = make_problem(args.dataset, features, setting=args.setting, level=args.level, draws=args.draws, **options)
    origin = Origin(
        code={"corrupt": step_code("corrupt")},
        data=features.provenance["fingerprint"],
        problem=f"{args.dataset} {args.setting} {args.level}",
        corruption=args.options,
    )
    save_problem(args.out, problem, origin)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("features", type=Path, help="the .npz file of the featurize step")
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--setting", required=True, help="clean, noise-L1 …")
    parser.add_argument("--level", type=float, required=True, help="strength of the corruption")
    parser.add_argument("--draws", type=int, required=True, help="repeats that differ in their samples")
    parser.add_argument("--options", type=json_argument, default={}, help="options of features and noise, as JSON")
    parser.add_argument("--out", type=Path, required=True)
    run_program(run, parser)
