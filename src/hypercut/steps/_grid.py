"""The arguments of steps that run at every repeat and scale."""

import argparse
from pathlib import Path


def add_grid_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of a step that runs at every repeat and scale."""
    parser.add_argument("problem", type=Path, help="the .npz file of the corrupt step")
    parser.add_argument("--factors", type=float, nargs="+", required=True, help="the scales σ/ρ")
    parser.add_argument("--repeats", type=int, required=True)
    parser.add_argument("--time-limit", type=float, required=True, help="seconds for a clustering and its preparation")
    parser.add_argument("--give-up-after", type=int, default=3, help="consecutive timeouts until the rest is skipped")
    parser.add_argument("--out", type=Path, required=True)
