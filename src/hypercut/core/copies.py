"""Which samples are identical."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercut.core.blocks import map_row_blocks


@dataclass(frozen=True)
class Distinct:
    """The distinct samples: ``first`` has their indices, ``of[i]`` is the position of sample i among them."""

    first: NDArray[np.intp]
    of: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """The number of copies of each distinct sample."""
        return np.bincount(self.of).astype(np.float64)


def distinct_rows(X: NDArray[Any]) -> Distinct:
    """Return the distinct rows, in order of appearance."""
    found = _equal_keys(np.concatenate(map_row_blocks(lambda rows: _checksums(X[rows]), len(X))))
    repeated = np.setdiff1d(np.arange(len(X)), found.first)
    if (X[repeated] == X[found.first[found.of[repeated]]]).all():
        return found
    # Some different rows have the same checksum: compare the rows themselves. Adding 0.0 turns −0.0 into 0.0.
    rows = np.ascontiguousarray(X + 0.0)
    return _equal_keys(rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1])))[:, 0])


def _equal_keys(keys: NDArray[Any]) -> Distinct:
    _, first, of = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return Distinct(first[order], np.argsort(order)[of])


def _checksums(rows: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number per row, the same for equal rows: the sum of its mixed bits, modulo 2^64."""
    factors = np.random.default_rng(0).integers(2**63, size=rows.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(
        1
    )
    bits = (rows + rows.dtype.type(0)).view(f"u{rows.itemsize}").astype(np.uint64)
    for shift in (32, 29):  # round numbers differ in leading bits only, and products move bits up
        bits ^= bits >> np.uint64(shift)
        bits *= factors
    return bits.sum(axis=1, dtype=np.uint64)


def distinct_by_distance(distances: NDArray[Any]) -> Distinct:
    """Return the distinct samples, given their distances or squared distances."""
    earliest = map_row_blocks(lambda rows: (distances[rows] == 0).argmax(axis=1), len(distances))
    return Distinct(*np.unique(np.concatenate(earliest), return_inverse=True))
