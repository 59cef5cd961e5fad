"""Write the best scale of a cell, for readings whose communities are found at that scale."""

import argparse
from pathlib import Path

from hypercut.benchmark.rows import read_rows
from hypercut.benchmark.summary import best_scale
from hypercut.files import write_json
from hypercut.steps._program import run_program

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cell", type=Path, help="the rows of the cell")
    parser.add_argument("--out", type=Path, required=True)
    run_program(lambda args: write_json(args.out, best_scale(read_rows(args.cell))), parser)
