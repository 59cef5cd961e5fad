"""What the graph of AK+NC says about a clustering sample by sample: soft membership and outliers."""

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
    """Memberships of n distinct samples in K clusters after one and two steps of a walk: sparse (n, K), rows sum to 1.

    Most samples have neighbours in one or two clusters, so the matrices take little memory for any K.
    """

    one_step: Any
    two_steps: Any


def memberships(graph: Graph, distinct: Distinct, labels: IntArray, n_clusters: int) -> Membership:
    """Return the distribution of the cluster that a random walk on the graph is in after one and after two steps.

    The walk leaves its sample with each step, for a copy of it or for another one, with a probability proportional to
    the weight of the edge. So a sample that was put into a cluster to which it has no edges is no member of it after
    one step. Against the known posterior of Gaussian mixtures, two steps have a smaller error than one or three: one
    counts too few neighbours, three blur the border. A sample without edges stays where it is.
    """
    # Among c copies, a share of 1/c of the weight of a sample with itself belongs to the same copy.
    staying = (graph.similarity.rough_diagonal / distinct.counts)[:, None]
    degrees = graph.similarity.degrees[:, None] - staying
    connected = degrees > NO_DEGREE

    def step(of: Array) -> Array:
        moved = np.maximum(graph.similarity.apply(of) - staying * of, 0)
        return np.where(connected, moved / np.where(connected, degrees, 1), of)

    parts: tuple[list[Any], list[Any]] = ([], [])
    for first in range(0, n_clusters, COLUMNS):
        of = (labels[:, None] == np.arange(first, min(first + COLUMNS, n_clusters))).astype(np.float64)
        for part in parts:
            of = step(of)
            part.append(sp.csr_array(of))
    one, two = (_unit_sum(sp.hstack(part, format="csr")) for part in parts)
    return Membership(one, two)


def _unit_sum(rows: Any) -> Any:
    """Return sparse rows divided by their sum, which rounding leaves near 1, in single precision."""
    rows.data /= np.repeat(rows.sum(axis=1), np.diff(rows.indptr))
    return rows.astype(np.float32)


def outlier_scores(graph: Graph) -> Array:
    """Return the local scale of each sample relative to the geometric mean of those of its neighbours' neighbours.

    This is a local outlier factor (Breunig et al., 2000) with the distance to the 7th neighbour for the density: about
    1 inside a cluster of any density, larger outside. The neighbours of an outlier are often outliers too, their
    neighbours seldom.
    """
    logarithms = np.log(graph.scales)
    around = logarithms[graph.neighbors].mean(axis=1)
    return np.exp(logarithms - around[graph.neighbors].mean(axis=1))
