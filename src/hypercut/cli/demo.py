"""``hypercut demo``: every algorithm on two small sets that come with scikit-learn."""

import argparse
import time
from pathlib import Path
from typing import Any


def add_parser(subparsers: Any) -> None:
    """Declare ``hypercut demo`` and its arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "demo",
        help="run every algorithm on two small datasets",
        description="Cluster Iris and the 1797 digits of scikit-learn with every algorithm, the scale chosen without "
        "labels, and write a table of how well each did.",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where to write the table (text)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random starts (default 0)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Cluster, and write the table."""
    from sklearn.datasets import load_digits, load_iris

    from hypercut import algorithms
    from hypercut.metrics import evaluate

    lines = [
        f"{'dataset':<8} {'algorithm':<9} {'σ/ρ':>5} {'NMI':>7} {'purity':>7} {'matched':>7} {'ARI':>7} {'time':>8}"
    ]
    for dataset, load in (("iris", load_iris), ("digits", load_digits)):
        X, y = load(return_X_y=True)
        for name, algorithm in algorithms.registry().items():
            started = time.perf_counter()
            estimator = algorithm(len(set(y)), random_state=args.seed).fit(X)
            seconds = time.perf_counter() - started
            factor = f"{estimator.sigma_factor_:.1f}" if algorithm.has_scale else "local"
            scores = " ".join(f"{value:7.4f}" for value in evaluate(y, estimator.labels_).values())
            lines.append(f"{dataset:<8} {name:<9} {factor:>5} {scores} {seconds:6.1f} s")
    args.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0
