"""The clustering algorithms, one file each: scikit-learn estimators over the shared core.

A file of this package that defines a subclass of :class:`Estimator` with a ``name`` is an algorithm. It is registered
automatically: for ``hypercut cluster``, ``from hypercut import …``, the benchmark and every test of
``tests/algorithms``. Files whose name starts with an underscore are shared by algorithms.

May import ``core``, ``paper`` and the modules at the package's root.
"""

import difflib
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hypercut.algorithms import _registry
from hypercut.errors import InputError

#: What algorithms are written with → its module. Imported on first use: these modules load scikit-learn, which listing
#: the algorithms does not need.
EXPORTS = {
    "Clustering": "hypercut.algorithms._base",
    "Estimator": "hypercut.algorithms._base",
    "normalized_cut": "hypercut.algorithms._base",
    "KernelEstimator": "hypercut.algorithms._spectral",
    "SpectralEstimator": "hypercut.algorithms._spectral",
}

if TYPE_CHECKING:
    from hypercut.algorithms._base import Clustering, Estimator, normalized_cut
    from hypercut.algorithms._spectral import KernelEstimator, SpectralEstimator
else:

    def __getattr__(name: str) -> Any:
        if name in EXPORTS:
            return getattr(import_module(EXPORTS[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Clustering",
    "Estimator",
    "KernelEstimator",
    "SpectralEstimator",
    "get",
    "names",
    "normalized_cut",
    "registry",
]


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
        guesses = difflib.get_close_matches(name, available, n=1)
        advice = f" Did you mean {guesses[0]!r}?" if guesses else ""
        raise InputError(f"Unknown algorithm {name!r}. Available: {', '.join(available)}.{advice}")
    return _registry.load_class(available[name].module, name)
