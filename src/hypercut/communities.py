"""The communities of the over-clustering hypergraph, found once for all algorithms that use them, as a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hypercut.errors import InputError
from hypercut.files import written_whole
from hypercut.provenance import Origin, attach

#: Communities for each cluster, as the paper has it.
PER_CLUSTER = 2

Labelings = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Communities:
    """Both labelings of every repeat and σ. Where they could not be found, labels are −1 and the time is NaN."""

    n_communities: int
    factors: np.ndarray
    """(scales,)"""
    labels: np.ndarray
    """(repeats, scales, 2, N)"""
    seconds: np.ndarray
    """(repeats, scales)"""

    def find(self, repeat: int, factor: float) -> tuple[Labelings, float] | None:
        """Return the labelings of a repeat at a scale, and the seconds they took; None if there are none."""
        scale = np.flatnonzero(self.factors == factor)
        if not len(scale) or repeat >= len(self.labels) or np.isnan(self.seconds[repeat, scale[0]]):
            return None
        by_csc, by_yu_shi = self.labels[repeat, scale[0]].astype(np.intp)
        return (by_csc, by_yu_shi), float(self.seconds[repeat, scale[0]])


def save_communities(path: Path, communities: Communities, origin: Origin) -> None:
    """Write to a compressed ``.npz`` file: all of it, or nothing."""
    with written_whole(path) as part:
        with part.open("wb") as file:
            np.savez_compressed(
                file,
                n_communities=communities.n_communities,
                factors=communities.factors,
                labels=communities.labels,
                seconds=communities.seconds,
            )
        attach(part, origin)


def load_communities(path: Path) -> Communities:
    """Read what :func:`save_communities` wrote."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return Communities(int(archive["n_communities"]), archive["factors"], archive["labels"], archive["seconds"])
    except Exception as error:  # a damaged archive can fail in any layer: zip, zlib, the array header
        raise InputError(f"{path}: expected communities of hypercut's, but: {error!r}. Remove and rerun.") from None


def empty_communities(repeats: int, factors: Sequence[float], n_samples: int, n_communities: int) -> Communities:
    """Return a place for the communities, to be filled in."""
    shape = (repeats, len(factors))
    labels = np.full((*shape, 2, n_samples), -1, dtype=np.int32)
    return Communities(n_communities, np.array(factors, dtype=np.float64), labels, np.full(shape, np.nan))
