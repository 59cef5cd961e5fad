"""Corel: Wang's thousand photographs of ten subjects."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hypercut.data.archives import decoded_image, require_members, tar_members
from hypercut.data.collection import Collection
from hypercut.data.dataset import Dataset
from hypercut.data.features.gist import gist_features
from hypercut.data.sources import Generated, Mirror, OriginalFile, PublicUrl
from hypercut.data.standins import VERSION, scenes

SUBJECTS, PHOTOGRAPHS = 10, 100
SIZES = [(384, 256), (256, 384)]

ARCHIVE = OriginalFile("test1.tar", "http://wang.ist.psu.edu/~jwang/test1.tar")


def read(raw: Path) -> Collection:
    """Read the photographs; the hundreds digit of their number is the subject."""
    archive = raw / ARCHIVE.name
    found = tar_members(archive, r"image\.orig/\d+\.jpg")
    names = [f"image.orig/{number}.jpg" for number in range(SUBJECTS * PHOTOGRAPHS)]
    require_members(archive, found, names)
    images = [decoded_image(found[name], f"{archive}: {name}", SIZES) for name in names]
    # JPEG libraries differ by one in some decoded values, so the dataset is identified by its files. Repacking the
    # archive does not change them.
    digests = [hashlib.sha256(found[name]).hexdigest() for name in names]
    return Collection(images, np.repeat(np.arange(SUBJECTS), PHOTOGRAPHS), names, digests)


def apply(collection: Collection, options: Mapping[str, Any]) -> Collection:
    """Crop each photograph to its central square if ``crop``; otherwise GIST squeezes it into a square."""
    if not options["crop"]:
        return collection
    return replace(collection, items=[_central_square(image) for image in collection.items])


def _central_square(image: np.ndarray) -> np.ndarray:
    height, width = image.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    return image[top : top + side, left : left + side]


DATASET = Dataset(
    name="corel",
    title="Corel photographs, 960 GIST values",
    samples=1000,
    features=960,
    classes=10,
    value_range=(0, 2),
    content_sha256="c8a7e0fb76e5bcf49cf319abcc30356f0327bc27e41e646fb9a7337e6b337000",
    terms="copyright Corel; for research only, citing Li and Wang (2003) and Wang, Li and Wiederhold (2001)",
    sources=(Mirror((ARCHIVE.name,)), PublicUrl((ARCHIVE,))),
    read=read,
    describe=gist_features,
    options={"crop": True},
    apply=apply,
    stand_in=Generated(scenes, "stand-in", "generator of ten families of textures", VERSION),
)
