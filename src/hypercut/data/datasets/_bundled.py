"""Datasets that scikit-learn bundles."""

from importlib.metadata import version

from hypercut.data.collection import Collection, numbered
from hypercut.data.sources import Generated


def bundled(loader: str) -> Generated:
    """Return the source that calls a loader of :mod:`sklearn.datasets`, such as ``load_iris``."""

    def load() -> Collection:
        import sklearn.datasets  # slow to import, and not needed to list datasets

        X, y = getattr(sklearn.datasets, loader)(return_X_y=True)
        return numbered(X, y)

    return Generated(load, "real", f"scikit-learn, {loader}", version("scikit-learn"))
