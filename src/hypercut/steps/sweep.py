"""Cluster one problem with one algorithm over a range of its parameters."""

import argparse

from hypercut.steps._clustering import add_arguments, cluster
from hypercut.steps._program import json_argument, run_program

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument("--sweep", required=True, help="the name of the sweep")
    parser.add_argument("--combinations", type=json_argument, required=True, help="a JSON list of parameter sets")
    run_program(lambda args: cluster(args, args.combinations, args.sweep), parser)
