"""Extended Yale B, cropped: 38 people under 64 lights."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hypercut.data.archives import decoded_image, zip_members
from hypercut.data.collection import Collection, subset
from hypercut.data.dataset import Dataset
from hypercut.data.features.pixels import pixel_features
from hypercut.data.sources import Generated, Mirror, OriginalFile, PublicUrl
from hypercut.data.standins import VERSION, heads
from hypercut.errors import InputError

PEOPLE, LIGHTS = 38, 64
SIZE = (168, 192)

ARCHIVE = OriginalFile("CroppedYale.zip", "http://vision.ucsd.edu/extyaleb/CroppedYaleBZip/CroppedYale.zip")
# The ambient pictures (yaleB01_P00_Ambient.pgm) have no light direction and do not belong to the dataset.
PICTURE = r"yaleB\d\d_P00A[-+]\d+E[-+]\d+\.pgm(?:\.bad)?"


def read(raw: Path) -> Collection:
    """Read the pictures, including the 18 bad ones."""
    archive = raw / ARCHIVE.name
    found = dict(sorted(zip_members(archive, PICTURE).items()))
    if len(found) != PEOPLE * LIGHTS:
        raise InputError(
            f"{archive}: expected {PEOPLE * LIGHTS} pictures yaleB??_P00A*.pgm and *.pgm.bad, found {len(found)}. "
            "Fetch it again."
        )
    people = np.array([int(name[5:7]) for name in found])
    images = [decoded_image(content, f"{archive}: {name}", [SIZE]) for name, content in found.items()]
    return Collection(images, people, list(found))


def apply(collection: Collection, options: Mapping[str, Any]) -> Collection:
    """Leave out the bad pictures unless ``include_bad``."""
    keep = [options["include_bad"] or not name.endswith(".bad") for name in collection.names]
    return subset(collection, np.flatnonzero(keep))


DATASET = Dataset(
    name="yaleb",
    title="Extended Yale B faces (cropped), 32×32 grey pixels",
    samples=2432,
    features=1024,
    classes=38,
    value_range=(0, 1),
    content_sha256="e275dbaa8f51ae7a997a21e75e5f7e95237ca1519942ec9cb575e954d48ce613",
    terms="free for research; publications must acknowledge the Extended Yale Face Database B",
    sources=(Mirror((ARCHIVE.name,)), PublicUrl((ARCHIVE,))),
    read=read,
    describe=pixel_features,
    options={"include_bad": True},
    apply=apply,
    stand_in=Generated(heads, "stand-in", "generator of random smooth heads under 64 lights", VERSION),
)
