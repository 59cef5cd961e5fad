"""Cluster one problem with one algorithm, at every repeat and scale."""

import argparse

from hypercut.steps._clustering import add_arguments, cluster
from hypercut.steps._program import json_argument, run_program

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument("--parameters", type=json_argument, default={}, help="of the algorithm, as JSON")
    run_program(lambda args: cluster(args, [args.parameters]), parser)
