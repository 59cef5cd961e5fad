"""Write the configuration into the results folder."""

import argparse
from pathlib import Path

from hypercut.files import write_json
from hypercut.steps._program import json_argument, run_program

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=json_argument)
    parser.add_argument("--out", type=Path, required=True)
    run_program(lambda args: write_json(args.out, args.config), parser)
