"""The claims of the paper, from ``claims.toml``."""

import tomllib
from dataclasses import dataclass
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

    @property
    def swept(self) -> tuple[list[str], frozenset[tuple[float, ...]]]:
        """The datasets of the paper's table or figure of the sweep, and the values of its parameters."""
        if self.sweep == "weights":
            return list(published.DATASETS), frozenset(published.WEIGHTS)
        datasets, values = published.sensitivity_figure(self.sweep)
        return datasets, frozenset((float(value),) for value in values)


@cache
def claims() -> dict[str, Claim]:
    """Return the claims by name, in the order of the paper."""
    text = files("hypercut.paper").joinpath("claims.toml").read_text(encoding="utf-8")
    found = {}
    for name, entry in tomllib.loads(text).items():
        facts: dict[str, Any] = {key: tuple(it) if isinstance(it, list) else it for key, it in entry.items()}
        found[name] = Claim(name, **facts)
    return found
