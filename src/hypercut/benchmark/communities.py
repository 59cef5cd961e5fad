"""The file of over-clusterings: communities computed once for all algorithms that use them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from hypercut.benchmark.failures import Failure, FailureError
from hypercut.benchmark.provenance import Origin, attach
from hypercut.benchmark.rows import Status
from hypercut.errors import InputError
from hypercut.files import atomic_write

Labelings = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Communities:
    """Both labelings of every repeat and σ. After a failure labels are −1 and the time is NaN."""

    n_communities: int
    factors: np.ndarray  # (scales,)
    labels: np.ndarray  # (repeats, scales, 2, N)
    # The others are (repeats, scales).
    seconds: np.ndarray
    status: np.ndarray  # ``ok`` or the status of the failure
    message: np.ndarray  # of the failure, or empty
    traceback: np.ndarray  # of the failure, or empty

    def record(self, repeat: int, scale: int, outcome: tuple[Labelings, float] | Failure) -> None:
        """Record the labelings and seconds of a repeat at the scale with this index, or the failure."""
        at = repeat, scale
        if isinstance(outcome, Failure):
            self.status[at], self.message[at] = outcome.status, outcome.message
            self.traceback[at] = outcome.traceback or ""
        else:
            self.status[at] = Status.OK
            self.labels[at], self.seconds[at] = outcome

    def find(self, repeat: int, factor: float) -> tuple[Labelings, float] | FailureError | None:
        """Return the labelings and seconds of a repeat at σ/ρ, the earlier failure, or None if not in the file."""
        scale = np.flatnonzero(self.factors == factor)
        if not len(scale) or repeat >= len(self.labels):
            return None
        at = repeat, int(scale[0])
        if self.status[at] != Status.OK:
            failure = Failure(Status(self.status[at]), str(self.message[at]), str(self.traceback[at]) or None)
            return FailureError(failure.of("over-clustering"))
        by_csc, by_yu_shi = self.labels[at].astype(np.intp)
        return (by_csc, by_yu_shi), float(self.seconds[at])


def save_communities(path: Path, communities: Communities, origin: Origin) -> None:
    """Write to a compressed ``.npz`` file, atomically."""
    with atomic_write(path) as part:
        with part.open("wb") as file:
            arrays: dict[str, Any] = {
                field.name: np.asarray(getattr(communities, field.name)) for field in fields(Communities)
            }
            # In memory texts are objects, which could only be saved with pickle.
            texts = {name: array.astype(str) for name, array in arrays.items() if array.dtype == object}
            np.savez_compressed(file, **arrays | texts)
        attach(part, origin)


def load_communities(path: Path) -> Communities:
    """Read a file of :func:`save_communities`."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {field.name: archive[field.name] for field in fields(Communities)}
            return Communities(**{**arrays, "n_communities": int(arrays["n_communities"])})
    except MemoryError:
        raise
    except Exception as error:  # a damaged archive can fail in any layer: zip, zlib, the array header
        raise InputError(f"{path}: not a readable file of communities ({error!r}). Delete it and run again.") from None


def empty_communities(repeats: int, factors: Sequence[float], n_samples: int, n_communities: int) -> Communities:
    """Return communities in which nothing is recorded yet."""
    shape = (repeats, len(factors))
    return Communities(
        n_communities,
        np.array(factors, dtype=np.float64),
        labels=np.full((*shape, 2, n_samples), -1, dtype=np.int32),
        seconds=np.full(shape, np.nan),
        status=np.full(shape, Status.SKIPPED, dtype=object),
        message=np.full(shape, "not run", dtype=object),
        traceback=np.full(shape, "", dtype=object),
    )
