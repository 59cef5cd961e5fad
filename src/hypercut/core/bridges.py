"""Bridges: the shortest edges that join the components of a graph of neighbours."""

from collections.abc import Callable

import numpy as np

from hypercut.core.blocks import map_row_blocks
from hypercut.core.samples import Array, IntArray

# Rows of distances to all samples that are computed at once take this many bytes, in each thread.
BLOCK_BYTES = 48 * 2**20

# From a component with more samples, only so many are searched, spread evenly over its rows. An exact search would take
# as long as that for all neighbours, and many samples of a large component are near its border.
SEARCHED = 20_000


def find_bridges(components: IntArray, squared: Callable[[IntArray], Array]) -> tuple[IntArray, Array]:
    """Return ends (L, 2) and squared lengths of the shortest tree that joins all components, by Borůvka's algorithm.

    In each round every component but the largest is joined to the nearest sample outside. ``squared`` returns squared
    distances of some samples (rows) to all.
    """
    components = np.unique(components, return_inverse=True)[1]
    found: list[tuple[int, int, float]] = []
    while components.any():
        for edge in _nearest_outside(components, squared):
            one, other = components[edge[0]], components[edge[1]]
            if one != other:
                found.append(edge)
                components[components == one] = other
        components = np.unique(components, return_inverse=True)[1]
    ends = np.array([edge[:2] for edge in found], dtype=np.intp).reshape(-1, 2)
    return ends, np.array([edge[2] for edge in found])


def _nearest_outside(components: IntArray, squared: Callable[[IntArray], Array]) -> list[tuple[int, int, float]]:
    """Return the shortest edge out of each component but the largest, shortest first."""
    n = len(components)
    sizes = np.bincount(components)
    rows = np.concatenate(
        [_spread(np.flatnonzero(components == one)) for one in range(len(sizes)) if one != sizes.argmax()]
    )

    def nearest(block: slice) -> tuple[IntArray, Array]:
        distances = squared(rows[block])
        distances[components[rows[block], None] == components] = np.inf
        found = distances.argmin(axis=1)
        return found, distances[np.arange(len(found)), found]

    parts = map_row_blocks(nearest, len(rows), max(16, BLOCK_BYTES // (8 * n)))
    ends, lengths = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.argsort(lengths, kind="stable")
    _, first = np.unique(components[rows[order]], return_index=True)
    shortest = order[np.sort(first)]
    return [(int(rows[at]), int(ends[at]), max(0.0, float(lengths[at]))) for at in shortest]


def _spread(members: IntArray) -> IntArray:
    return members[:: -(-len(members) // SEARCHED)]
