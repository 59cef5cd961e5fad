"""Why a clustering has no result: a status, one line for tables, and the end of the traceback.

On a timeout, for example, :mod:`hypercut.run.worker` kills the process and returns a :class:`Failure` with
``Status.TIMEOUT``, :mod:`hypercut.run.jobs` makes the row, and :mod:`hypercut.results.summary` counts it as 0 in every
metric.
"""

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """How a clustering ended. The last six are failures: labels and metrics are null."""

    OK = "ok"
    DEGENERATE = (
        "degenerate"  # the clusters are the components of a graph with at least K, or at most K distinct samples
    )
    NOT_CONVERGED = "not_converged"
    TRIVIAL = "trivial"
    FAILED = "failed"  # the algorithm raised an error
    INVALID = "invalid"  # labels are not a clustering (wrong length, not integers, one cluster), or scores impossible
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"  # the process died: it was killed, or compiled code crashed
    SKIPPED = "skipped"  # not run, after too many consecutive timeouts in the same job


FAILURES = frozenset({Status.FAILED, Status.INVALID, Status.TIMEOUT, Status.MEMORY, Status.CRASHED, Status.SKIPPED})

#: The least and the largest value of each metric of :func:`hypercut.metrics.evaluate`.
RANGES = {
    "nmi": (0.0, 1.0),
    "purity": (0.0, 1.0),
    "matched_accuracy": (0.0, 1.0),
    "ari": (-0.5, 1.0),
    "ami": (-1.0, 1.0),
}
#: By how much a value may be out of range.
ROUNDING = 1e-9

# An error may contain anything. These bounds keep the files of rows small.
MESSAGE_CHARACTERS = 500
TRACEBACK_LINES = 10
LINE_CHARACTERS = 300


@dataclass(frozen=True)
class Failure:
    """The reason why there is no result."""

    status: Status
    message: str
    traceback: str | None = None
    seconds: float | None = None  # wall time until a timeout

    def of(self, what: str) -> "Failure":
        """Return this failure for a clustering that needed ``what``: the message names ``what``; no time is kept."""
        return replace(self, message=f"{what}: {self.message}", seconds=None)

    def columns(self) -> dict[str, Any]:
        """Return the failure as columns of a row."""
        columns = {
            "status": self.status,
            "message": _storable(self.message),
            "traceback": self.traceback and _storable(self.traceback),
        }
        return columns if self.seconds is None else {**columns, "wall_seconds": self.seconds}


class FailureError(Exception):
    """Carries the failure of something that a clustering needs: its process, or an earlier step."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def failure_of(error: BaseException) -> Failure:
    """Return an error raised by a clustering as a failure."""
    status = Status.MEMORY if isinstance(error, MemoryError) else Status.FAILED
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # an error class may have a broken __str__
        lines = []
    message = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    text = "".join(traceback.format_exception(error))
    return Failure(status, message[:MESSAGE_CHARACTERS], shortened(text.splitlines()[-TRACEBACK_LINES:]))


def impossible_score(scores: Mapping[str, Any]) -> str:
    """Return what is wrong with the first metric whose value is impossible; an empty text if there is none."""
    for name, (low, high) in RANGES.items():
        value = scores.get(name)
        if not (isinstance(value, float) and low - ROUNDING <= value <= high + ROUNDING):
            return f"expected {name} from {low:g} to {high:g}, found {value}"
    return ""


def _storable(text: str) -> str:
    """Return a text that can be encoded in UTF-8: file names may contain any byte."""
    return text.encode("utf-8", "backslashreplace").decode()


def shortened(lines: list[str]) -> str:
    """Return the lines of a traceback as text, each shortened."""
    return "\n".join(line[:LINE_CHARACTERS] for line in lines)
