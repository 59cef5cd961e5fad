"""The clustering algorithms, one file each.

A file of this package that defines a subclass of :class:`Estimator` with a ``name`` is an algorithm: it is
found here by being there, and so by ``hypercut cluster``, by ``from hypercut import …`` and by every test of
``tests/algorithms``. Files whose name starts with an underscore are what algorithms share.
"""

import importlib
import inspect
import pkgutil
from functools import cache

from hypercut.algorithms._base import Clustering, Estimator
from hypercut.errors import InputError

__all__ = ["Clustering", "Estimator", "get", "names", "registry"]


@cache
def registry() -> dict[str, type[Estimator]]:
    """Return every algorithm by its name, in the order of their files."""
    found: dict[str, type[Estimator]] = {}
    for info in pkgutil.iter_modules(__path__):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{__name__}.{info.name}")
        algorithms = [
            member
            for _, member in inspect.getmembers(module, inspect.isclass)
            if member.__module__ == module.__name__ and issubclass(member, Estimator) and "name" in vars(member)
        ]
        if not algorithms:
            raise InputError(f"{module.__file__}: expected a subclass of Estimator with a name, found none.")
        for algorithm in algorithms:
            if algorithm.name in found:
                other = inspect.getsourcefile(found[algorithm.name])
                raise InputError(f"{module.__file__}: the name {algorithm.name!r} is taken by {other}. Choose another.")
            found[algorithm.name] = algorithm
    return found


def names() -> list[str]:
    """Return the names of all algorithms."""
    return list(registry())


def get(name: str) -> type[Estimator]:
    """Return the estimator class of an algorithm by its name, e.g. ``get("PKO+HSC")``."""
    if name not in registry():
        raise InputError(f"Unknown algorithm {name!r}. Available: {', '.join(names())}.")
    return registry()[name]
