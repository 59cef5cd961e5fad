"""Clusters of new samples: the nearest training samples vote."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from hypercut.algorithms.ak_nc.graph import SIZES
from hypercut.algorithms.ak_nc.membership import Membership
from hypercut.algorithms.ak_nc.views import LinearMap
from hypercut.core.blocks import block_threads, map_row_blocks
from hypercut.core.neighbors import SCALE_NEIGHBOR, SPARE, TREE_FEATURES
from hypercut.core.samples import Array, IntArray, rounded

# Number of new samples that a thread processes at once.
BLOCK_ROWS = 4096

# A sample is a copy of a training sample at a distance of at most this, relative to the median distance from the mean:
# rounding in maps and in single precision leaves less between copies.
COPY = 1e-6

# Features are clipped at this many times the range of the training data beyond that range: the squares of larger
# distances might overflow, and the nearest training samples of such a sample have no meaning.
FAR = 2.0**20


@dataclass(frozen=True)
class Voters:
    """The distinct training samples in the chosen view, with their contributions to a vote.

    Features between ``low`` and ``high`` are divided by ``unit`` and mapped by ``maps``, one after the other.
    """

    low: Array
    high: Array
    unit: float
    maps: tuple[LinearMap, ...]
    samples: Array
    scales: Array
    counts: Array
    labels: IntArray
    membership: Membership

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the index, which is computed from the samples."""
        return {name: value for name, value in vars(self).items() if not isinstance(value, _Index)}

    def predict(self, X: Array) -> IntArray:
        """Return the cluster of each row: that of the training sample of which it is a copy, or the most probable."""
        index = self._index

        def find(rows: slice) -> IntArray:
            votes, copied = self._votes(X[rows], index)
            found = (votes @ self.membership.vote).toarray().argmax(axis=1)
            return np.where(copied >= 0, self.labels[copied], found)

        with block_threads():
            return np.concatenate(map_row_blocks(find, len(X), BLOCK_ROWS))

    def predict_proba(self, X: Array) -> Array:
        """Return the membership of each row: that of the training sample of which it is a copy, or by vote."""
        index = self._index
        probabilities = np.empty((len(X), self.membership.vote.shape[1]), dtype=np.float32)

        def fill(rows: slice) -> None:
            votes, copied = self._votes(X[rows], index)
            found = (votes @ self.membership.vote).toarray()
            is_copy = copied >= 0
            found[is_copy] = self.membership.walk[copied[is_copy]].toarray()
            probabilities[rows] = found

        with block_threads():
            map_row_blocks(fill, len(X), BLOCK_ROWS)
        return probabilities

    def _votes(self, X: Array, index: "_Index") -> tuple[Any, IntArray]:
        """Return the share of each training sample in the vote on each row, and the one that the row copies, or −1.

        Votes are the affinities exp(−d²/(σ_i σ_j)) of the graph, times the number of copies of the training sample.
        """
        nearest, distances = index.nearest(self._in_view(X))
        own = distances[:, min(SCALE_NEIGHBOR, distances.shape[1]) - 1]
        exponents = distances**2 / (own[:, None] * self.scales[nearest])
        # Relative to the largest: far from all training samples every affinity would be zero.
        weights = self.counts[nearest] * np.exp(exponents.min(axis=1, keepdims=True) - exponents)
        weights /= weights.sum(axis=1, keepdims=True)
        rows = np.arange(len(X) + 1) * nearest.shape[1]
        votes = sp.csr_array((weights.ravel(), nearest.ravel(), rows), shape=(len(X), len(self.samples)))
        return votes, np.where(distances[:, 0] <= index.copy, nearest[:, 0], -1)

    def _in_view(self, X: Array) -> Array:
        mapped = np.clip(X, self.low, self.high) / self.unit
        for step in self.maps:
            mapped = step(mapped)
        return mapped.astype(self.samples.dtype)

    @cached_property
    def _index(self) -> "_Index":
        return _Index(self.samples)


class _Index:
    """Search for the nearest training samples; ``copy`` is the largest distance at which a sample is a copy."""

    def __init__(self, samples: Array) -> None:
        self._samples = samples
        self._mean = samples.mean(axis=0, dtype=np.float64)
        centered = self._centered(samples)
        self.copy = COPY * float(np.median(np.linalg.norm(centered.astype(np.float64), axis=1)))
        self._search = NearestNeighbors(
            n_neighbors=min(max(SIZES) + SPARE, len(samples)),
            algorithm="kd_tree" if samples.shape[1] <= TREE_FEATURES else "brute",
        ).fit(centered)

    def nearest(self, X: Array) -> tuple[IntArray, Array]:
        """Return the nearest training samples of each row and their distances, nearest first, ties by index.

        The search computes distances by products, with rounding; the distances of its candidates are computed again.
        """
        candidates = np.sort(self._search.kneighbors(self._centered(X), return_distance=False), axis=1)
        squared = np.empty(candidates.shape)
        for column in range(candidates.shape[1]):
            difference = np.subtract(X, self._samples[candidates[:, column]], dtype=np.float64)
            squared[:, column] = np.einsum("ij,ij->i", difference, difference)
        order = np.argsort(rounded(squared), axis=1, kind="stable")[:, : max(SIZES)]
        return np.take_along_axis(candidates, order, axis=1), np.sqrt(np.take_along_axis(squared, order, axis=1))

    def _centered(self, X: Array) -> Array:
        return (X - self._mean).astype(self._samples.dtype, copy=False)


def limits(features: Array, unit: float) -> tuple[Array, Array]:
    """Return the limits at which features of new samples are clipped, given the training data divided by the unit."""
    low, high = features.min(axis=0).astype(np.float64), features.max(axis=0).astype(np.float64)
    margin = FAR * float((high - low).max())
    with np.errstate(over="ignore"):  # infinite limits clip nothing
        return unit * (low - margin), unit * (high + margin)
