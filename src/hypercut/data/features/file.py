"""The file of a dataset's features, between the steps: all that later steps know of the data.

Separate from :mod:`hypercut.data.datasets`, so that what reads features does not depend on how they were made.
"""

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from hypercut.errors import InputError
from hypercut.files import atomic_write, canonical_json, plain_disk_errors


@dataclass(frozen=True)
class Features:
    """A dataset ready for clustering."""

    X: np.ndarray
    """(N, features), float32; a user's own table in float64"""
    y: np.ndarray
    """(N,), classes numbered from 0"""
    provenance: dict[str, Any]
    """what the data are and where they came from; ``kind`` is real, stand-in, generated or own"""


def identified(features: Features, recipe: Mapping[str, Any]) -> Features:
    """Return the features with the recipe they were made by (raw files, options, code) and its fingerprint."""
    fingerprint = sha256(canonical_json(dict(recipe)).encode()).hexdigest()
    return replace(features, provenance={**features.provenance, "recipe": dict(recipe), "fingerprint": fingerprint})


def save_features(path: Path, features: Features) -> None:
    """Write features to an ``.npz`` file: all of it, or nothing."""
    with plain_disk_errors(Path(path).parent), atomic_write(Path(path)) as part, part.open("wb") as file:
        np.savez(file, X=features.X, y=features.y, provenance=np.array(json.dumps(features.provenance)))


def load_features(path: Path) -> Features:
    """Read what :func:`save_features` wrote."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return Features(archive["X"], archive["y"], json.loads(str(archive["provenance"])))
    except Exception as error:  # a damaged archive can fail in any layer: zip, zlib, the array header
        raise InputError(
            f"{path}: expected features that hypercut wrote, but: {error!r}. "
            "Delete the file and run the benchmark again: it is computed anew."
        ) from None


def is_features(path: Path) -> bool:
    """Whether a file is one that :func:`save_features` wrote."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return set(archive.files) == {"X", "y", "provenance"} and "files_sha256" in json.loads(
                str(archive["provenance"])
            )
    except (OSError, ValueError, EOFError, TypeError, AttributeError, zipfile.BadZipFile):
        return False
