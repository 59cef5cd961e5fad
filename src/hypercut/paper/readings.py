"""The readings of the paper, from ``readings.toml``: one named alternative to one of our decisions each."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from hypercut.paper.protocol import CLEAN

#: The kinds of readings that count for a verdict: not ``ours``.
COUNTED = ("text", "plausible")


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
    """An alternative to one decision."""

    name: str
    """in files and rows: "balance-degree\""""
    decision: str
    alternative: str
    kind: str
    """text, plausible or ours"""
    why: str
    """the reason for the kind"""
    algorithms: tuple[str, ...]
    """whose results it changes"""
    datasets: tuple[str, ...] = ()
    """the only ones on which it is run, with their parts; empty for all"""
    setting: str = CLEAN
    """the only one at which it is run, if it is not clean"""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """of these algorithms"""
    data: Mapping[str, str] = field(default_factory=dict)
    """options of the problem"""
    grid: str = ""
    """"weights" if the algorithms are run with each of the paper's pairs (α, β)"""
    sigma_of: str = ""
    """the algorithm at whose best σ the over-clusterings are made"""
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
    """Return the readings by name."""
    found = [
        Reading(f"{decision}-{name}", decision, algorithms=tuple(part["algorithms"]), **_with_tuples(entry))
        for decision, part in _file().items()
        for name, entry in part.items()
        if isinstance(entry, dict)
    ]
    return {reading.name: reading for reading in found}
