"""The readings of the paper, from ``readings.toml``: one named alternative to one of our decisions each."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Any

from hypercut.paper.protocol import CLEAN

#: The kinds, the nearest to the paper first, and those that count for a verdict.
KINDS = ("text", "plausible", "ours")
COUNTED = ("text", "plausible")

#: Decisions whose readings are also combined, two at a time.
PAIRED = ("ratio", "balance", "labels", "features")


@dataclass(frozen=True)
class Decision:
    """A decision that the paper leaves open."""

    name: str
    title: str
    says: str
    default: str
    algorithms: tuple[str, ...]
    """whose results it changes"""


@dataclass(frozen=True)
class Reading:
    """An alternative to one decision, or to two."""

    name: str
    """in files and rows: "balance-degree", of a pair "balance-degree+features-unit\""""
    decisions: tuple[str, ...]
    alternative: str
    kind: str
    """text, plausible or ours"""
    why: str
    """the reason for the kind"""
    algorithms: tuple[str, ...]
    """whose results it changes; of a pair, those that both change: the others have the results of one or of none"""
    parts: tuple[str, ...] = ()
    """the two readings of a pair"""
    not_for: tuple[str, ...] = ()
    """claims that it makes meaningless"""
    setting: str = CLEAN
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """of these algorithms"""
    data: Mapping[str, str] = field(default_factory=dict)
    """options of the problem"""
    grid: str = ""
    """"weights" if the algorithms are run with each of the paper's pairs (α, β)"""
    scale_of: str = ""
    """the algorithm at whose best σ the communities are found"""
    select: str = ""
    """how σ is chosen from the rows of the cells; nothing is run"""

    @property
    def is_run(self) -> bool:
        """Whether it needs clusterings of its own."""
        return not self.select


@cache
def _file(name: str = "readings.toml") -> dict[str, Any]:
    return tomllib.loads(files("hypercut.paper").joinpath(name).read_text(encoding="utf-8"))


def weight_pairs() -> list[tuple[float, float]]:
    """Return the nine pairs (α, β) of Table 2; unlike ``published``, without pandas."""
    return [(alpha, beta) for alpha, beta in _file("published.toml")["weights"]["pairs"]]


@cache
def decisions() -> dict[str, Decision]:
    """Return the decisions by name."""
    facts = ("title", "says", "default")
    return {
        name: Decision(name, **{key: part[key] for key in facts}, algorithms=tuple(part["algorithms"]))
        for name, part in _file().items()
    }


def _with_tuples(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}


@cache
def readings() -> dict[str, Reading]:
    """Return the readings of one decision each, by name."""
    found = [
        Reading(f"{decision}-{name}", (decision,), algorithms=tuple(part["algorithms"]), **_with_tuples(entry))
        for decision, part in _file().items()
        for name, entry in part.items()
        if isinstance(entry, dict)
    ]
    return {reading.name: reading for reading in found}


def pairs(decisions: Iterable[str] = PAIRED) -> dict[str, Reading]:
    """Return the pairs of readings of different decisions, by name."""
    chosen = [reading for reading in readings().values() if reading.decisions[0] in decisions]
    both = [combined(first, second) for first, second in combinations(chosen, 2) if first.decisions != second.decisions]
    return {reading.name: reading for reading in both}


def combined(first: Reading, second: Reading) -> Reading:
    """Return two readings of different decisions as one."""
    return replace(
        first,
        name=f"{first.name}+{second.name}",
        decisions=(*first.decisions, *second.decisions),
        alternative=f"{first.alternative}; {second.alternative}",
        kind=max(first.kind, second.kind, key=KINDS.index),
        why="",
        algorithms=tuple(name for name in first.algorithms if name in second.algorithms),
        parts=(first.name, second.name),
        not_for=(*first.not_for, *second.not_for),
        parameters={**first.parameters, **second.parameters},
        data={**first.data, **second.data},
    )
