"""The claims of the paper, from ``claims.toml``."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from hypercut.paper import published


@dataclass(frozen=True)
class Claim:
    """A claim of the paper and its criterion, which does not depend on the outcome; ``claims.toml`` has the fields."""

    name: str
    title: str
    short: str
    source: str
    criterion: str
    kind: str
    experiments: tuple[str, ...] = ()
    competitors: tuple[str, ...] = tuple(published.COMPETITORS)
    confirmed: float = float("nan")
    contradicted: float = float("nan")
    sweep: str = ""
    parameters: tuple[str, ...] = ()
    needs: str = ""
    omitted: tuple[tuple[float, ...], ...] = ()
    variants: Mapping[str, "Claim"] = field(default_factory=dict)

    @property
    def is_sized(self) -> bool:
        """Whether the size of the datasets matters; the others are about time, or about ORL, which has one size."""
        return bool(self.experiments or self.sweep)

    @property
    def swept(self) -> tuple[list[str], frozenset[tuple[float, ...]]]:
        """The datasets of the paper's table or figure of the sweep, and the values of its parameters."""
        if self.sweep == "weights":
            return list(published.DATASETS), frozenset(published.WEIGHTS) - set(self.omitted)
        datasets, values = published.sensitivity_figure(self.sweep)
        return datasets, frozenset((float(value),) for value in values)


@cache
def claims() -> dict[str, Claim]:
    """Return the claims by name, in the order of the paper."""
    text = files("hypercut.paper").joinpath("claims.toml").read_text(encoding="utf-8")
    found = {}
    for name, entry in tomllib.loads(text).items():
        variants = entry.pop("variants", {})
        claim = Claim(name, **_with_tuples(entry))
        changed = {text: replace(claim, **_with_tuples(it)) for text, it in variants.items()}
        found[name] = replace(claim, variants=changed)
    return found


def _with_tuples(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _tuple(it) if isinstance(it, list) else it for key, it in entry.items()}


def _tuple(values: list[Any]) -> tuple[Any, ...]:
    return tuple(tuple(it) if isinstance(it, list) else it for it in values)
