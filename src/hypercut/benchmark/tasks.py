"""What a job asks of the process that clusters."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Job:
    """One algorithm on one problem."""

    problem: Path
    module: str
    name: str
    communities: Path | None = None
    uses: tuple[str, ...] = ()
    """what the workflow took the algorithm to use, having only read its source"""


@dataclass(frozen=True)
class Task:
    """One clustering. ``factor`` is σ/ρ, or None for an algorithm without a scale."""

    repeat: int
    factor: float | None
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Describe:
    """Asks what all rows have in common: facts about the problem."""


@dataclass(frozen=True)
class Load:
    """Asks for the algorithm: a :class:`Method`, or why it cannot be loaded."""


@dataclass(frozen=True)
class Method:
    """What the class of an algorithm says of it."""

    role: str = "algorithm"
    has_scale: bool = False


@dataclass(frozen=True)
class Score:
    """Asks for the label-free scores of labelings of one repeat, one labeling per scale."""

    repeat: int
    labelings: Sequence[Sequence[int]]
