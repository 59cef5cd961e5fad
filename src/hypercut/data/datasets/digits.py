"""Digits: the small handwritten digits that scikit-learn brings along. Not in the paper."""

from importlib.metadata import version

from hypercut.data.collection import Collection, numbered
from hypercut.data.dataset import Dataset, as_vectors
from hypercut.data.sources import Made


def load() -> Collection:
    """Take the digits from scikit-learn."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return numbered(X, y)


DATASET = Dataset(
    name="digits",
    title="Optical digits (scikit-learn), 8×8 counts of ink",
    samples=1797,
    features=64,
    classes=10,
    value_range=(0, 16),
    content_sha256="4cf8b2ba2ef7be8d783c8c958a99eb11cbf583670192e893d47c5c5749ae8d15",
    terms="CC BY 4.0 (UCI Machine Learning Repository)",
    sources=(Made(load, "real", "scikit-learn, load_digits", version("scikit-learn")),),
    describe=as_vectors,
)
