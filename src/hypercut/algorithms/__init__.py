"""The clustering algorithms, one file each: scikit-learn estimators over the shared core.

A file of this package that defines a subclass of :class:`Estimator` with a ``name`` is an algorithm. It is registered
automatically: for ``hypercut cluster``, ``from hypercut import …``, the benchmark and every test of
``tests/algorithms``. Files whose name starts with an underscore are shared by algorithms.

May import ``core``, ``paper`` and the modules at the package's root.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

from hypercut.algorithms import _registry
from hypercut.errors import InputError

if TYPE_CHECKING:
    from hypercut.algorithms._base import Clustering, Estimator
    from hypercut.algorithms._spectral import SpectralEstimator
else:
    # Imported on first use: they load scikit-learn, which listing the algorithms does not need.
    def __getattr__(name: str) -> Any:
        if name in ("Clustering", "Estimator", "SpectralEstimator"):
            from hypercut.algorithms import _spectral

            return getattr(_spectral, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Clustering", "Estimator", "SpectralEstimator", "get", "names", "registry"]


@cache
def registry() -> "dict[str, type[Estimator]]":
    """Return every algorithm by its name, in the order of their files.

    Examples
    --------
    >>> from hypercut.algorithms import registry
    >>> [name for name, algorithm in registry().items() if not algorithm.has_scale]
    ['AK+NC', 'STSC']
    """
    return {name: get(name) for name in names()}


def names() -> list[str]:
    """Return the names of all algorithms, in the order of their files.

    Examples
    --------
    >>> from hypercut.algorithms import names
    >>> names()[:3]
    ['AK+NC', 'CSC', 'NRSC']
    """
    return list(_registry.algorithms())


def get(name: str) -> "type[Estimator]":
    """Return the estimator class of an algorithm.

    Parameters
    ----------
    name : str
        The name in tables, e.g. ``PKO+HSC``; see :func:`names`. An unknown name raises :class:`InputError`.

    Examples
    --------
    >>> from hypercut.algorithms import get
    >>> get("PKO+HSC").__name__
    'PKOHSC'
    """
    available = _registry.algorithms()
    if name not in available:
        raise InputError(f"Unknown algorithm {name!r}. Available: {', '.join(available)}.")
    return _registry.load_class(available[name].module, name)
