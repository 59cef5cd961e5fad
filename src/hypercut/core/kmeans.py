"""K-means from mutually orthogonal starts, as in Ng, Jordan and Weiss, and from the starts of k-means++."""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from hypercut.core.blocks import parallel_map
from hypercut.core.normalized_cut import unit_rows
from hypercut.core.samples import Array, IntArray
from hypercut.core.starts import random_rows

N_STARTS = 10


@dataclass(frozen=True)
class KMeansPartition:
    """The labels of the best start, with its inertia and number of iterations."""

    labels: IntArray
    inertia: float
    n_iter: int


def orthogonal_kmeans(rows: Array, k: int, rng: np.random.Generator, *, n_starts: int = N_STARTS) -> KMeansPartition:
    """Return the k-means partition with the smallest inertia from several orthogonal starts.

    The first centre of a start is a random row; each further one is the row whose largest |cos| to the centres chosen
    so far is smallest.
    """
    directions = unit_rows(rows)
    starts = random_rows(rows, n_starts, rng)
    return _best(lambda first: _lloyd(rows, k, init=rows[_orthogonal_centers(directions, k, first)]), starts)


def plain_kmeans(rows: Array, k: int, rng: np.random.Generator, *, n_starts: int = N_STARTS) -> KMeansPartition:
    """Return the k-means partition with the smallest inertia from several starts of k-means++."""
    seeds = rng.integers(2**31, size=n_starts).tolist()
    return _best(lambda seed: _lloyd(rows, k, random_state=seed), seeds)


def _best(fit: Callable[[int], KMeansPartition], starts: Iterable[int]) -> KMeansPartition:
    with warnings.catch_warnings():
        # If samples have copies, there may be fewer distinct rows than clusters, and fewer clusters are found.
        warnings.filterwarnings("ignore", category=ConvergenceWarning, message="Number of distinct clusters")
        found = parallel_map(fit, starts)
    return min(found, key=lambda partition: partition.inertia)


def _orthogonal_centers(directions: Array, k: int, first: int) -> IntArray:
    chosen = [first]
    overlap = np.where(directions.any(axis=1), 0.0, np.inf)  # a zero row has no direction
    np.maximum(overlap, np.abs(directions @ directions[first]), out=overlap)
    for _ in range(1, k):
        chosen.append(int(np.argmin(overlap)))
        np.maximum(overlap, np.abs(directions @ directions[chosen[-1]]), out=overlap)
    return np.array(chosen)


def _lloyd(rows: Array, k: int, *, init: Any = "k-means++", random_state: int = 0) -> KMeansPartition:
    fitted = KMeans(k, init=init, n_init=1, random_state=random_state).fit(rows)
    return KMeansPartition(fitted.labels_.astype(np.intp), float(fitted.inertia_), int(fitted.n_iter_))
