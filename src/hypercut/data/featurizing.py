"""Computing features from the raw files in the data folder, and checking these files."""

import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from hypercut.data.collection import Collection, subset
from hypercut.data.dataset import Dataset, random_positions
from hypercut.data.features import Features
from hypercut.data.sources import InPlace
from hypercut.data.store import DEFAULT_ROOT, Manifest, check_files
from hypercut.errors import InputError


def featurize(dataset: Dataset, root: Path = DEFAULT_ROOT, options: Mapping[str, Any] | None = None) -> Features:
    """Return the features of a dataset in the data folder, with the given options of the dataset."""
    chosen = dataset.chosen_options(options or {})
    manifest, collection = _read(dataset, Path(root))
    if dataset.apply is not None:
        collection = dataset.apply(collection, chosen)
    if chosen["subset"] is not None:
        everything = np.arange(len(collection.items))
        positions = random_positions(dataset.name, everything, chosen["subset"], chosen["seed"])
        if not chosen["resample"]:  # else each repeat draws a subset: Features.draw
            collection = subset(collection, positions)
    X = dataset.describe(collection.items)
    dataset.check_features(X)
    _, y = np.unique(collection.labels, return_inverse=True)
    # These are left out so that equal data give equal bytes, whichever files and code they came from.
    facts = {key: value for key, value in asdict(manifest).items() if key not in ("files", "code")}
    facts |= {"dataset": dataset.name, "title": dataset.title, "options": chosen}
    features = Features(X, y, {**facts, "files_sha256": manifest.fingerprint, "identity": manifest.identity})
    whole = chosen["subset"] is None if dataset.samples is None else features.n_samples == dataset.samples
    return replace(features, provenance={**features.provenance, "complete": whole})


def check(dataset: Dataset, root: Path = DEFAULT_ROOT) -> Manifest:
    """Return the manifest of a dataset after comparing its files with it and reading them."""
    return _read(dataset, Path(root))[0]


def _read(dataset: Dataset, root: Path) -> tuple[Manifest, Collection]:
    """Return the manifest and the samples; raise an error if the files differ from their records."""
    manifest = check_files(dataset.folder, root)
    for source in dataset.sources:
        if isinstance(source, InPlace):
            # Otherwise provenance would name other files than those that are read.
            differing = {file.path for file in manifest.files} ^ {os.path.abspath(path) for path in source.find()}
            if differing:
                raise InputError(
                    f"dataset {dataset.name} in {root}: the files to read differ from the recorded ones by "
                    f"{', '.join(sorted(differing)[:5])}. Record them again: hypercut data get {dataset.name} "
                    f"--root {root} --entry …; the workflow does so when it runs."
                )
    collection = dataset.collect(root / dataset.folder / "raw")
    mismatch = dataset.mismatch(collection) if manifest.kind == "real" else None
    if mismatch is not None:  # acquired before contents were compared
        raise InputError(
            f"dataset {dataset.name} in {root}: {mismatch} Get it again: "
            f"hypercut data get {dataset.name} --force --root {root}"
        )
    return manifest, collection
