"""The paper's experimental protocol: settings, levels, the σ grid, weights and the sizes of hyperedges.

A *setting* is ``clean``, or a corruption and one of its levels: ``noise-L1`` … ``noise-L10``, ``outlier-L1`` …
``outlier-L3``.
"""

from collections.abc import Mapping
from types import MappingProxyType

CLEAN = "clean"
"""level L0 of every corruption"""

LEVELS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "noise": MappingProxyType({f"L{i}": round(0.2 * i, 1) for i in range(1, 11)}),
        "outlier": MappingProxyType({f"L{i}": round(0.2 * i, 1) for i in range(1, 4)}),
    }
)
"""corruption → name of a level → its strength"""

SIGMA_FACTORS = tuple(round(0.2 * step, 1) for step in range(1, 16))
"""σ/ρ = 0.2 λ for λ = 1 … 15, with ρ the mean distance between samples"""

ALPHA, BETA = 0.4, 0.4
"""default weights of the pairwise and the kNN hypergraph; the over-clustering hypergraph has 1 − α − β"""

WEIGHTS: Mapping[str, tuple[float, float]] = MappingProxyType(
    dict.fromkeys(("orl", "yaleb", "traj"), (0.6, 0.2))
    | dict.fromkeys(("usps", "mnist", "iris", "corel"), (ALPHA, BETA))
)
"""(α, β) of each of the paper's datasets"""

NEIGHBORS = 3
"""k: neighbours in a hyperedge of the kNN hypergraph"""

COMMUNITIES_PER_CLUSTER = 2
"""an over-clustering has 2K communities"""

SIMILARITY_DATASET = "orl"
"""the dataset whose similarity matrices the paper shows"""

RECONSTRUCTIONS = frozenset({"NRSC", "RWDSM"})
"""algorithms rebuilt from the paper's description, since the full texts of their own papers were not available"""


def settings() -> list[str]:
    """Return every setting, ``clean`` first."""
    return [CLEAN, *(f"{corruption}-{level}" for corruption, levels in LEVELS.items() for level in levels)]


def kind_of(setting: str) -> str:
    """Return ``clean``, ``noise`` or ``outlier``."""
    return setting.partition("-")[0]
