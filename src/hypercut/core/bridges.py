"""Bridges: the shortest edges that join the components of a graph of neighbours."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import DisjointSet

from hypercut.core.blocks import map_row_blocks
from hypercut.core.samples import Array, IntArray

# Bytes of the rows of distances to all samples that a thread computes at once.
BLOCK_BYTES = 48 * 2**20

# The most pairs of samples that a round compares. If there are more, only some samples of each component are searched,
# spread evenly over its rows.
PAIRS = 2**30

# In that case this many of the shortest edges of each component are improved in this many steps. A step moves the inner
# end to the sample inside that is nearest to the outer end, then the outer end to the nearest sample outside.
IMPROVED = 4
STEPS = 3


def find_bridges(components: IntArray, squared: Callable[[IntArray], Array]) -> tuple[IntArray, Array]:
    """Return ends (L, 2) and squared lengths of the shortest tree that joins all components, by Borůvka's algorithm.

    In each round, every component except the largest is joined to the nearest sample outside. With many samples, the
    nearest one is approximate. ``squared`` returns the squared distances of some samples (rows) to all.
    """
    components = np.unique(components, return_inverse=True)[1]
    found: list[tuple[int, int, float]] = []
    while components.any():
        joined = DisjointSet(range(components.max() + 1))
        for edge in _nearest_outside(components, squared):
            if joined.merge(*components[list(edge[:2])].tolist()):
                found.append(edge)
        roots = np.array([joined[component] for component in range(components.max() + 1)])
        components = np.unique(roots[components], return_inverse=True)[1]
    ends = np.array([edge[:2] for edge in found], dtype=np.intp).reshape(-1, 2)
    return ends, np.array([edge[2] for edge in found])


def _nearest_outside(components: IntArray, squared: Callable[[IntArray], Array]) -> list[tuple[int, int, float]]:
    """Return the shortest edge out of each component except the largest, shortest first."""
    sizes = np.bincount(components)
    limit = max(1, PAIRS // (len(components) * len(sizes)))
    members = np.split(np.argsort(components, kind="stable"), np.cumsum(sizes)[:-1])
    rows = np.concatenate([_spread(members[one], limit) for one in range(len(sizes)) if one != sizes.argmax()])
    edges = Edges(rows, *_nearest(rows, components[rows], components, squared, inside=False))
    if np.delete(sizes, sizes.argmax()).max(initial=0) > limit:
        edges = edges.best(components, IMPROVED)
        own = components[edges.rows]
        for _ in range(STEPS):
            rows, _ = _nearest(edges.ends, own, components, squared, inside=True)
            edges = Edges(rows, *_nearest(rows, own, components, squared, inside=False))
    return edges.best(components, 1).tuples()


@dataclass(frozen=True)
class Edges:
    """Edges from samples ``rows`` of components to their ``ends`` outside, with squared lengths."""

    rows: IntArray
    ends: IntArray
    lengths: Array

    def best(self, components: IntArray, count: int) -> "Edges":
        """Return at most ``count`` edges of each component, shortest first."""
        order = np.argsort(self.lengths, kind="stable")
        own = components[self.rows[order]]
        grouped = np.argsort(own, kind="stable")
        starts = np.searchsorted(own[grouped], own[grouped])
        kept = order[np.sort(grouped[np.arange(len(own)) - starts < count])]
        return Edges(self.rows[kept], self.ends[kept], self.lengths[kept])

    def tuples(self) -> list[tuple[int, int, float]]:
        """Return the edges as tuples; a length that rounding made negative becomes 0."""
        lengths = np.maximum(self.lengths, 0.0)
        return list(zip(self.rows.tolist(), self.ends.tolist(), lengths.tolist(), strict=True))


def _nearest(
    rows: IntArray, own: IntArray, components: IntArray, squared: Callable[[IntArray], Array], *, inside: bool
) -> tuple[IntArray, Array]:
    """Return for each row the nearest sample inside or outside its component ``own``, and the squared distance."""

    def nearest(block: slice) -> tuple[IntArray, Array]:
        distances = squared(rows[block])
        distances[(own[block, None] == components) != inside] = np.inf
        found = distances.argmin(axis=1)
        return found, distances[np.arange(len(found)), found]

    parts = map_row_blocks(nearest, len(rows), max(16, BLOCK_BYTES // (8 * len(components))))
    ends, lengths = (np.concatenate(each) for each in zip(*parts, strict=True))
    return ends, lengths


def _spread(members: IntArray, limit: int) -> IntArray:
    return members[:: -(-len(members) // limit)]
