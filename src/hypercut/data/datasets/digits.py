"""Digits: 8×8 handwritten digits bundled with scikit-learn. Not in the paper."""

from hypercut.data.dataset import Dataset, flattened
from hypercut.data.datasets._bundled import bundled

DATASET = Dataset(
    name="digits",
    title="Optical digits (scikit-learn), 8×8 counts of ink",
    samples=1797,
    features=64,
    classes=10,
    value_range=(0, 16),
    content_sha256="4cf8b2ba2ef7be8d783c8c958a99eb11cbf583670192e893d47c5c5749ae8d15",
    terms="CC BY 4.0 (UCI Machine Learning Repository)",
    sources=(bundled("load_digits"),),
    describe=flattened,
)
