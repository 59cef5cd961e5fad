"""The clustering algorithms, one file each: scikit-learn estimators over the shared core.

A file of this package that defines a class with a ``name`` is an algorithm. It is registered automatically: for
``hypercut cluster``, ``from hypercut import …``, the benchmark and every test of ``tests/algorithms``. Most algorithms
derive from :class:`SpectralEstimator`. Files whose name starts with an underscore are shared by algorithms;
``baselines`` has the methods to compare with.

The package may import ``core``, ``paper`` and the modules at the root of hypercut.
"""

import difflib
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hypercut.algorithms import _registry
from hypercut.errors import InputError

#: Names that an algorithm's file needs → their modules. They are imported on first use, since they load scikit-learn,
#: which is not needed to list the algorithms.
EXPORTS = {
    "Clustering": "hypercut.algorithms._base",
    "Estimator": "hypercut.algorithms._types",
    "SpectralEstimator": "hypercut.algorithms._spectral",
    "normalized_cut": "hypercut.algorithms.pko_nc",
}

if TYPE_CHECKING:
    from hypercut.algorithms._base import Clustering
    from hypercut.algorithms._spectral import SpectralEstimator
    from hypercut.algorithms._types import Estimator
    from hypercut.algorithms.pko_nc import normalized_cut
else:

    def __getattr__(name: str) -> Any:
        if name in EXPORTS:
            return getattr(import_module(EXPORTS[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Clustering",
    "Estimator",
    "SpectralEstimator",
    "get",
    "names",
    "normalized_cut",
    "registry",
]


@cache
def registry() -> "dict[str, type[Estimator]]":
    """Return every algorithm by its name, in the order of their files."""
    return {name: get(name) for name in names()}


def names() -> list[str]:
    """Return the names of all algorithms, in the order of their files.

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
