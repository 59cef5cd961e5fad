"""Tell MLflow."""

import argparse
from pathlib import Path

from hypercut.files import write_json
from hypercut.steps._program import run_program

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="the folder of results")
    parser.add_argument("--out", type=Path)
    run_program(lambda args: write_json(args.out, {}), parser)
