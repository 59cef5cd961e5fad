"""Why there is no result: a status, one line for tables, and the end of the traceback."""

import traceback
from dataclasses import dataclass, replace
from typing import Any

from hypercut.benchmark.rows import Status
from hypercut.benchmark.worker import Died, Skipped, TimedOut

# A method may put anything into its error. These bounds keep the files of rows small.
MESSAGE_CHARACTERS = 500
TRACEBACK_LINES = 10
LINE_CHARACTERS = 300


@dataclass(frozen=True)
class Failure:
    """What a row says instead of a result."""

    status: Status
    message: str
    traceback: str | None = None

    def of(self, what: str) -> "Failure":
        """Return the same failure, its message preceded by what failed."""
        return replace(self, message=f"{what}: {self.message}")

    def columns(self) -> dict[str, Any]:
        """Return it as columns of a row."""
        traceback = self.traceback and _storable(self.traceback)
        return {"status": self.status, "message": _storable(self.message), "traceback": traceback}


class EarlierFailureError(Exception):
    """Something that a clustering needs failed in an earlier step."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def failure_of(error: BaseException) -> Failure:
    """Describe an error that a clustering raised."""
    status = Status.MEMORY if isinstance(error, MemoryError) else Status.FAILED
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # an error of a method's own, which cannot say what it is
        lines = []
    message = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    text = "".join(traceback.format_exception(error))
    return Failure(status, message[:MESSAGE_CHARACTERS], _shortened(text.splitlines()[-TRACEBACK_LINES:]))


def failure_or_answer(answer: Any) -> Any:
    """Return what a worker answered, as a :class:`Failure` if it did not get to answer."""
    match answer:
        case Skipped():
            return Failure(Status.SKIPPED, str(answer))
        case TimedOut():
            return Failure(Status.TIMEOUT, str(answer))
        case Died():
            status = Status.MEMORY if answer.out_of_memory else Status.CRASHED
            # The innermost call stands first, unlike in the traceback of an error.
            stack = _shortened(answer.stack.splitlines()[:TRACEBACK_LINES])
            return Failure(status, str(answer), stack or None)
        case _:
            return answer


def _storable(text: str) -> str:
    """Return a text that UTF-8 can hold: file names may contain any byte."""
    return text.encode("utf-8", "backslashreplace").decode()


def _shortened(lines: list[str]) -> str:
    return "\n".join(line[:LINE_CHARACTERS] for line in lines)
