"""``hypercut discard``: delete results, so that they are computed again."""

import argparse
from pathlib import Path

HELP = "delete failed, stale or old results, to compute them again"
DESCRIPTION = """\
Delete result files, so that the next run of the benchmark computes them again. "make retry" discards the files with
failed clusterings and runs the benchmark.
"""

#: Names of :meth:`hypercut.results.state.State.files`, and their help.
CHOICES = {
    "failed": "files with failed clusterings",
    "stale": "files computed with other code, data or configuration",
    "other_versions": "files computed with versions of Python or libraries other than the installed ones",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("results", type=Path, nargs="?", default="results", help="results folder (default: results)")
    chosen = parser.add_argument_group("what to discard").add_mutually_exclusive_group(required=True)
    for what, files in CHOICES.items():
        chosen.add_argument(f"--{what.replace('_', '-')}", dest="what", action="store_const", const=what, help=files)
    parser.add_argument("--dry-run", action="store_true", help="list the files without deleting them")


def run(args: argparse.Namespace) -> int:
    """Delete the chosen files, or list them."""
    # Here, since `hypercut --help` need not wait for pandas.
    from hypercut.benchmark.design import load_benchmark
    from hypercut.results.state import inspect_state

    state = inspect_state(args.results, load_benchmark(args.results))
    files = state.files(args.what)
    for file in files:
        print(file)
        if not args.dry_run:
            file.unlink(missing_ok=True)
    count = "1 file" if len(files) == 1 else f"{len(files)} files"
    outcome = "would be deleted." if args.dry_run else "deleted. Run the benchmark to compute them again."
    print(f"{count} {outcome}" if files else "Nothing to discard.")
    return 0
