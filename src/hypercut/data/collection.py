"""Raw samples with their labels, and the file that stores generated ones."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hypercut.errors import InputError

FILE_NAME = "collection.npz"


@dataclass(frozen=True)
class Collection:
    """The samples of a dataset before features are computed."""

    items: Sequence[np.ndarray]
    """n images, trajectories or vectors"""
    labels: np.ndarray
    """(n,), integers"""
    names: Sequence[str]
    """n names: the files of the samples, or their numbers"""
    digests: Sequence[str] | None = None
    """sha256 of each sample's file, for files that libraries decode to different values"""


def content_sha256(collection: Collection) -> str:
    """Return a checksum of the samples and their labels that is independent of their order and packing.

    Values are converted to little-endian float64, which represents those of all datasets exactly.
    """
    if collection.digests is None:
        contents = (_content(item) for item in collection.items)
    else:
        contents = (digest.encode() for digest in collection.digests)
    samples = (
        hashlib.sha256(f"{label}\n".encode() + content).digest()
        for label, content in zip(collection.labels.tolist(), contents, strict=True)
    )
    return hashlib.sha256(b"".join(sorted(samples))).hexdigest()


def _content(item: np.ndarray) -> bytes:
    values = np.asarray(item, dtype="<f8") + 0.0  # -0.0 becomes 0.0
    return f"{values.shape}\n".encode() + values.tobytes()


def subset(collection: Collection, positions: np.ndarray) -> Collection:
    """Return the samples at the given positions."""
    chosen = positions.tolist()
    return Collection(
        [collection.items[i] for i in chosen], collection.labels[positions], [collection.names[i] for i in chosen]
    )


def numbered(samples: Iterable[np.ndarray], labels: np.ndarray) -> Collection:
    """Return a collection whose samples are named by their position."""
    items = list(samples)
    return Collection(items, labels, [f"sample {i + 1}" for i in range(len(items))])


def save_collection(raw: Path, collection: Collection) -> None:
    """Write the items, which may differ only in their first dimension, to one file."""
    # Not compressed: noisy pictures shrink by a third at most, and compressing takes longer than drawing them.
    np.savez(
        raw / FILE_NAME,
        lengths=np.array([len(item) for item in collection.items]),
        values=np.concatenate(list(collection.items)),
        labels=collection.labels,
    )


def read_collection(raw: Path) -> Collection:
    """Read the file that :func:`save_collection` wrote."""
    path = raw / FILE_NAME
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            lengths, values, labels = archive["lengths"], archive["values"], archive["labels"]
    except Exception as error:  # a damaged archive can fail in any layer: zip, zlib, the array header
        raise InputError(f"{path}: not the samples that hypercut wrote: {error}. Get it again with --force.") from None
    return numbered(np.split(values, np.cumsum(lengths)[:-1]), labels)
