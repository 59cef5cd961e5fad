"""Soft membership and outlier scores of the samples, from the graph of AK+NC."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from hypercut.algorithms.ak_nc.graph import Graph
from hypercut.core.copies import Distinct
from hypercut.core.samples import Array, IntArray
from hypercut.core.similarity import NO_DEGREE

# Clusters whose memberships are computed at once: N×K numbers in double precision may not fit into memory.
COLUMNS = 8


@dataclass(frozen=True)
class Membership:
    """Memberships of n distinct samples in K clusters: sparse (n, K), rows sum to 1.

    ``walk`` has the probabilities of a random walk to be in each cluster after two steps. ``vote`` is what a sample
    contributes to the prediction of another one: the mean of its label and of these probabilities after one step. Most
    samples have neighbours in one or two clusters, so the matrices take little memory for any K.
    """

    walk: Any
    vote: Any


def memberships(graph: Graph, distinct: Distinct, labels: IntArray, n_clusters: int) -> Membership:
    """Return the memberships of the distinct samples by a random walk on the graph.

    Each step of the walk moves to another sample, or to a copy, with a probability proportional to the weight of the
    edge; at a sample without edges it stays. Compared with the posterior of Gaussian mixtures, two steps have a smaller
    error than one, which counts few neighbours, and agree with the labels more often than three. In a vote, the new
    sample has made the first step of its walk. The label counts as well, since after one step a walk has left a cluster
    of one sample.
    """
    # Among c copies, a share of 1/c of the weight of a sample with itself belongs to the same copy.
    staying = (graph.similarity.rough_diagonal / distinct.counts)[:, None]
    degrees = graph.similarity.degrees[:, None] - staying
    connected = degrees > NO_DEGREE

    def step(of: Array) -> Array:
        moved = np.maximum(graph.similarity.apply(of) - staying * of, 0)
        return np.where(connected, moved / np.where(connected, degrees, 1), of)

    walk, vote = [], []
    for first in range(0, n_clusters, COLUMNS):
        start = (labels[:, None] == np.arange(first, min(first + COLUMNS, n_clusters))).astype(np.float64)
        once = step(start)
        walk.append(sp.csr_array(step(once)))
        vote.append(sp.csr_array((start + once) / 2))
    return Membership(*(_unit_sum(sp.hstack(parts, format="csr")) for parts in (walk, vote)))


def _unit_sum(rows: Any) -> Any:
    """Return sparse rows divided by their sum, which rounding leaves near 1, in single precision."""
    rows.data /= np.repeat(rows.sum(axis=1), np.diff(rows.indptr))
    return rows.astype(np.float32)


def outlier_scores(graph: Graph) -> Array:
    """Return the local scale of each sample relative to the geometric mean of its neighbours' neighbours' scales.

    This is a local outlier factor (Breunig et al., 2000) with the distance to the 7th neighbour in place of the
    density: about 1 inside a cluster of any density, larger outside. The neighbours of an outlier are often outliers
    too, but their neighbours seldom are.
    """
    logarithms = np.log(graph.scales)
    around = logarithms[graph.neighbors].mean(axis=1)
    return np.exp(logarithms - around[graph.neighbors].mean(axis=1))
