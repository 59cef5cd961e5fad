"""Iris: Fisher's flowers, bundled with scikit-learn."""

from hypercut.data.dataset import Dataset, flattened
from hypercut.data.datasets._bundled import bundled

DATASET = Dataset(
    name="iris",
    title="Iris flowers, 4 lengths in cm",
    samples=150,
    features=4,
    classes=3,
    value_range=(0.1, 7.9),
    content_sha256="b3e5173fe98b613ae45014f60cac96e9336df3c2db0755ec9fc038dc0c4ed016",
    terms="CC BY 4.0 (UCI Machine Learning Repository)",
    sources=(bundled("load_iris"),),
    describe=flattened,
)
