"""The over-clusterings of a problem, computed once for all algorithms that use them, and their file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from hypercut.errors import InputError
from hypercut.files import atomic_write
from hypercut.run.failures import Failure, FailureError, Status
from hypercut.run.problems import check_recipe

Labelings = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Overclusterings:
    """Both labelings of every repeat and σ. After a failure labels are −1 and the time is NaN."""

    n_overclusters: int
    sigma_factors: np.ndarray
    """the grid of σ/ρ"""
    labels: np.ndarray
    """(repeats, σ, 2, N); the other arrays are (repeats, σ)"""
    seconds: np.ndarray
    status: np.ndarray
    """``ok`` or the status of the failure"""
    message: np.ndarray
    traceback: np.ndarray

    def record(self, repeat: int, index: int, outcome: tuple[Labelings, float] | Failure) -> None:
        """Record the labelings and seconds of a repeat at the σ with this index, or the failure."""
        at = repeat, index
        if isinstance(outcome, Failure):
            self.status[at], self.message[at] = outcome.status, outcome.message
            self.traceback[at] = outcome.traceback or ""
        else:
            self.status[at] = Status.OK
            self.labels[at], self.seconds[at] = outcome

    def find(self, repeat: int, sigma_factor: float) -> tuple[Labelings, float] | FailureError | None:
        """Return the labelings and seconds of a repeat at σ/ρ, the recorded failure, or None if neither is there."""
        index = np.flatnonzero(self.sigma_factors == sigma_factor)
        if not len(index) or repeat >= len(self.labels):
            return None
        at = repeat, int(index[0])
        if self.status[at] != Status.OK:
            failure = Failure(Status(self.status[at]), str(self.message[at]), str(self.traceback[at]) or None)
            return FailureError(failure.of("over-clustering"))
        by_csc, by_yu_shi = self.labels[at].astype(np.intp)
        return (by_csc, by_yu_shi), float(self.seconds[at])


def empty_overclusterings(
    repeats: int, sigma_factors: Sequence[float], n_samples: int, n_overclusters: int
) -> Overclusterings:
    """Return over-clusterings in which nothing is recorded yet."""
    shape = (repeats, len(sigma_factors))
    return Overclusterings(
        n_overclusters,
        np.array(sigma_factors, dtype=np.float64),
        labels=np.full((*shape, 2, n_samples), -1, dtype=np.int32),
        seconds=np.full(shape, np.nan),
        status=np.full(shape, Status.SKIPPED, dtype=object),
        message=np.full(shape, "not run", dtype=object),
        traceback=np.full(shape, "", dtype=object),
    )


def save_overclusterings(path: Path, found: Overclusterings, recipe: Mapping[str, Any]) -> None:
    """Write over-clusterings with their recipe to a compressed ``.npz`` file, atomically."""
    arrays: dict[str, Any] = {field.name: np.asarray(getattr(found, field.name)) for field in fields(Overclusterings)}
    # In memory texts are objects, which could only be saved with pickle.
    texts = {name: array.astype(str) for name, array in arrays.items() if array.dtype == object}
    with atomic_write(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **{**arrays, **texts, "recipe": np.array(json.dumps(recipe, sort_keys=True))})


def load_overclusterings(path: Path, made_by: Mapping[str, Any] | None = None) -> Overclusterings:
    """Read a file of :func:`save_overclusterings`; raise an error unless its recipe is part of ``made_by``."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            check_recipe(path, json.loads(str(archive["recipe"])), made_by)
            arrays = {field.name: archive[field.name] for field in fields(Overclusterings)}
            return Overclusterings(**{**arrays, "n_overclusters": int(arrays["n_overclusters"])})
    except (MemoryError, InputError):
        raise
    except Exception as error:  # a damaged archive can fail in any layer: zip, zlib, the array header
        raise InputError(
            f"{path}: not a readable file of over-clusterings ({error!r}). Delete it and run again."
        ) from None
