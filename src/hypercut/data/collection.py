"""Raw samples with their labels, and the file in which samples made on this machine are kept."""

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
    """n names, so that a message can point at a sample"""
    digests: Sequence[str] | None = None
    """sha256 of each sample's file, where libraries differ in the values that they decode from it"""


def content_sha256(collection: Collection) -> str:
    """A checksum of the samples and their labels, which depends neither on their order nor on how they were packed.

    Values are taken as little-endian float64, which holds all that datasets are made of exactly.
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
    values = np.asarray(item, dtype="<f8") + 0.0  # makes -0.0 a 0.0
    return f"{values.shape}\n".encode() + values.tobytes()


def subset(collection: Collection, positions: np.ndarray) -> Collection:
    """The samples at some positions."""
    chosen = positions.tolist()
    return Collection(
        [collection.items[i] for i in chosen], collection.labels[positions], [collection.names[i] for i in chosen]
    )


def numbered(samples: Iterable[np.ndarray], labels: np.ndarray) -> Collection:
    """A collection whose samples are named by their position."""
    items = list(samples)
    return Collection(items, labels, [f"sample {i + 1}" for i in range(len(items))])


def save_collection(raw: Path, collection: Collection) -> None:
    """Keep the items, which may differ in their first dimension only, in one file."""
    # Not compressed: grainy pictures gain a third at most, and it takes longer than drawing them.
    np.savez(
        raw / FILE_NAME,
        lengths=np.array([len(item) for item in collection.items]),
        values=np.concatenate(list(collection.items)),
        labels=collection.labels,
    )


def read_collection(raw: Path) -> Collection:
    """Read what :func:`save_collection` kept."""
    path = raw / FILE_NAME
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            lengths, values, labels = archive["lengths"], archive["values"], archive["labels"]
    except Exception as error:  # a damaged archive can fail in any layer: zip, zlib, the array header
        raise InputError(
            f"{path}: expected the samples that hypercut wrote there, but: {error}. Get it again with --force."
        ) from None
    return numbered(np.split(values, np.cumsum(lengths)[:-1]), labels)
