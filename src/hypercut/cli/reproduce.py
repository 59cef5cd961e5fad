"""``hypercut reproduce``: compute one archived result again and compare the two."""

import argparse
from pathlib import Path

HELP = "compute one archived result again and compare"
DESCRIPTION = """\
Compute one archived result in a temporary folder, starting from the data, and print whether it agrees: no mean score
over repeats may differ by more than 0.01, since another processor or BLAS rounds differently.

Exit status: 0 if the result agrees, 1 if it does not, 2 if it could not be computed.
"""
EXAMPLES = """\
examples:
  hypercut reproduce orl clean PKO+HSC
  hypercut reproduce iris clean PKO+HSC --variation ratio-initial
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dataset", help="such as orl")
    parser.add_argument("setting", help="clean, noise-L1 …")
    parser.add_argument("algorithm", help="such as PKO+HSC")
    parser.add_argument("--variation", default="", metavar="NAME", help="a sweep or reading instead of the cell")
    parser.add_argument(
        "--archive", type=Path, default=Path("reference"), help="folder of the archive (default: reference)"
    )
    parser.add_argument("--data", type=Path, default=Path("data"), help="data folder (default: data)")
    parser.add_argument("--cores", type=int, default=1, help="cores to use (default: 1)")


def run(args: argparse.Namespace) -> int:
    """Compute the result and compare it."""
    # Here, since `hypercut --help` need not wait for pandas.
    from hypercut.results.reproduce import TOLERANCE, reproduce
    from hypercut.results.rows import key_of

    key = key_of(args.dataset, args.setting, args.algorithm, args.variation)
    difference, comparison = reproduce(args.archive, key, args.data, args.cores)
    agrees = difference <= TOLERANCE
    verdict = "equal" if not difference else "agrees" if agrees else "does not agree"
    print(f"{key}: {verdict}. Mean scores differ by up to {difference:.4f}; {TOLERANCE} is tolerated.")
    scores = comparison.results[["parameters", "a", "b"]]
    print(
        scores.set_axis(["NMI with", "archived", "computed"], axis=1).to_string(
            index=False, float_format="{:.4f}".format
        )
    )
    print(*comparison.origins(), sep="\n", end="")
    return 0 if agrees else 1
