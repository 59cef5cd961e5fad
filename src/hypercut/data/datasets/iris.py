"""Iris: Fisher's flowers, as scikit-learn brings them."""

from importlib.metadata import version

from hypercut.data.collection import Collection, numbered
from hypercut.data.dataset import Dataset, as_vectors
from hypercut.data.sources import Made


def load() -> Collection:
    """Take the flowers from scikit-learn."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return numbered(X, y)


DATASET = Dataset(
    name="iris",
    title="Iris flowers, 4 lengths in cm",
    samples=150,
    features=4,
    classes=3,
    value_range=(0.1, 7.9),
    content_sha256="b3e5173fe98b613ae45014f60cac96e9336df3c2db0755ec9fc038dc0c4ed016",
    terms="CC BY 4.0 (UCI Machine Learning Repository)",
    sources=(Made(load, "real", "scikit-learn, load_iris", version("scikit-learn")),),
    describe=as_vectors,
)
