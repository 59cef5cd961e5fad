"""The step ``track``: sync the results to MLflow.

``python -m hypercut.steps.track RESULTS --out FILE [--uri URI] [--prefix PREFIX] [--headline FILE] [--rebuild]``
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from hypercut.errors import InputError
from hypercut.files import write_json
from hypercut.steps._program import run_program
from hypercut.tracking.store import tracking_uri


def run(args: argparse.Namespace) -> None:
    """Sync the results, and write a report of the sync on success."""
    from hypercut.tracking.sync import sync  # imports pandas

    uri = tracking_uri(args.results, args.uri)
    headline = read_headline(args.headline) if args.headline else None
    report = sync(args.results, uri, prefix=args.prefix, headline=headline, rebuild=args.rebuild)
    write_json(args.out, asdict(report))
    print(report)


def read_headline(path: Path) -> dict[str, float]:
    """Read the figures of the report."""
    try:
        return {str(name): float(value) for name, value in json.loads(path.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: not a readable JSON object of numbers ({error}). Build the report again.") from None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m hypercut.steps.track", description="Sync results to MLflow.")
    parser.add_argument("results", type=Path, metavar="RESULTS", help="folder of the results, with run.json")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="where to write the report of the sync (JSON)"
    )
    parser.add_argument("--uri", help="the MLflow store (default: MLFLOW_TRACKING_URI, else RESULTS/mlflow.db)")
    parser.add_argument("--prefix", default="hypercut", help="the first part of the experiments' names (%(default)s)")
    parser.add_argument("--headline", type=Path, metavar="FILE", help="figures of the report: JSON, name → number")
    parser.add_argument("--rebuild", action="store_true", help="write all runs anew from the result files")
    run_program(run, parser)
