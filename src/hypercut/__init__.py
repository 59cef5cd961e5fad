"""Robust spectral clustering with context-aware hypergraphs: scikit-learn estimators and a benchmark.

>>> from hypercut import HypergraphClustering
>>> labels = HypergraphClustering(random_state=0).fit_predict([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
>>> (labels == labels[0]).tolist()
[True, True, True, False, False, False]
"""

from typing import TYPE_CHECKING, Any

__version__ = "1.0.0"

__all__ = [
    "CSC",
    "NRSC",
    "PKHSC",
    "PKOHSC",
    "PKONC",
    "POHSC",
    "RWDSM",
    "STSC",
    "HypergraphClustering",
    "__version__",
]

if TYPE_CHECKING:
    from hypercut.algorithms.ak_nc import HypergraphClustering
    from hypercut.algorithms.csc import CSC
    from hypercut.algorithms.nrsc import NRSC
    from hypercut.algorithms.pk_hsc import PKHSC
    from hypercut.algorithms.pko_hsc import PKOHSC
    from hypercut.algorithms.pko_nc import PKONC
    from hypercut.algorithms.po_hsc import POHSC
    from hypercut.algorithms.rwdsm import RWDSM
    from hypercut.algorithms.stsc import STSC
else:
    # Imported on first use: a command that clusters nothing need not load scikit-learn. An algorithm whose file was
    # added to hypercut/algorithms is found too.
    def __getattr__(name: str) -> Any:
        if name[:1].isupper():
            from hypercut.algorithms import _registry

            for facts in _registry.algorithms().values():
                if facts.class_name == name:
                    return _registry.load_class(facts.module, facts.name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
