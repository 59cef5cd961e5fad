"""Arguments of the steps that run at every repeat and scale."""

import argparse
from pathlib import Path

from hypercut.benchmark.worker import Limits


def add_grid_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the problem, the scales, the repeats, the limits and the output."""
    parser.add_argument("problem", type=Path, help="the .npz file of the corrupt step")
    parser.add_argument("--factors", type=float, nargs="+", required=True, help="the scales σ/ρ")
    parser.add_argument("--repeats", type=int, required=True)
    parser.add_argument(
        "--time-limit", type=float, required=True, help="seconds for one clustering and its preparation"
    )
    parser.add_argument(
        "--give-up-after", type=int, default=3, help="skip the rest after this many consecutive timeouts (default 3)"
    )
    parser.add_argument("--out", type=Path, required=True)


def limits_of(args: argparse.Namespace) -> Limits:
    """Return the limits from the arguments."""
    return Limits(args.time_limit, args.give_up_after)
