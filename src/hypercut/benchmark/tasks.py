"""The messages from a job (:mod:`hypercut.benchmark.jobs`) to its worker process.

They are apart from both, so that the job's own process does not import scikit-learn.
"""

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
    uses: tuple[str, ...] = ()  # of the algorithm's class, as the workflow read it from the source


@dataclass(frozen=True)
class Method:
    """Attributes of an algorithm's class."""

    role: str = "algorithm"
    has_scale: bool = False


@dataclass(frozen=True)
class Task:
    """Request one clustering. ``factor`` is σ/ρ, or None for an algorithm without a scale."""

    repeat: int
    factor: float | None
    parameters: dict[str, Any] = field(default_factory=dict)
