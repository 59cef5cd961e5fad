"""The messages between a clustering job and its worker process."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Job:
    """One algorithm on one problem, as the job describes it to its worker process."""

    recipe: Mapping[str, Any]
    problem: Path
    overclustering: Path | None = None


@dataclass(frozen=True)
class Method:
    """Attributes of an algorithm's class."""

    role: str = "algorithm"
    has_sigma: bool = False


@dataclass(frozen=True)
class Task:
    """Requests one clustering. ``sigma_factor`` is σ/ρ, or None for an algorithm without σ."""

    repeat: int
    sigma_factor: float | None
    parameters: dict[str, Any] = field(default_factory=dict)
