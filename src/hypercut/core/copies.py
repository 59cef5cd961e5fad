"""Identical samples."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
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
    seen: dict[bytes, int] = {}
    # Adding 0.0 turns −0.0 into 0.0. Checksums replace the rows, which may be long.
    contents = (blake2b((row + 0.0).tobytes(), digest_size=16).digest() for row in X)
    of = np.fromiter((seen.setdefault(content, len(seen)) for content in contents), dtype=np.intp, count=len(X))
    return Distinct(np.unique(of, return_index=True)[1], of)


def distinct_by_distance(distances: NDArray[Any]) -> Distinct:
    """Return the distinct samples, given their distances or squared distances."""
    earliest = map_row_blocks(lambda rows: (distances[rows] == 0).argmax(axis=1), len(distances))
    return Distinct(*np.unique(np.concatenate(earliest), return_inverse=True))
