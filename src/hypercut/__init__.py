"""Robust spectral clustering with context-aware hypergraphs: estimators and a benchmark.

Every algorithm of :mod:`hypercut.algorithms` can be imported from here: ``from hypercut import PKOHSC``.
"""

from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # The algorithms are found when one is asked for: a command that clusters nothing need not load scikit-learn. Python
    # asks here for submodules too (from hypercut import datasets), and those are in lower case.
    if name[:1].isupper():
        from hypercut.algorithms import registry

        try:
            algorithms = registry()
        except AttributeError as error:  # which Python would take for "there is no such name"
            raise ImportError(f"an algorithm of {__name__} cannot be imported: {error}") from error
        for algorithm in algorithms.values():
            if algorithm.__name__ == name:
                return algorithm
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    from hypercut.algorithms import registry

    return sorted([*globals(), *(algorithm.__name__ for algorithm in registry().values())])
