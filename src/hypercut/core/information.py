"""The mutual information between the clusters at the two ends of an edge of a graph."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from hypercut.core.samples import Array, IntArray
from hypercut.core.similarity import Similarity, Sparse


@dataclass(frozen=True)
class EdgeEnds:
    """The joint distribution (K×K) of the clusters c and c′ at the ends of an edge drawn by its weight."""

    joint: Array

    @cached_property
    def share(self) -> Array:
        """The distribution of either end."""
        return np.asarray(self.joint.sum(axis=1))

    @property
    def nats(self) -> float:
        """I(c; c′) in nats, the mutual information of the clusters at the two ends of an edge; at most log K.

        K equally large clusters without any edge between them reach log K. Cutting through a cluster loses information,
        and so do unequal clusters: a normalised cut that splits off a few samples costs little, but carries no
        information about the other samples.
        """
        present = self.joint > 0
        independent = np.outer(self.share, self.share)
        return max(0.0, float(np.sum(self.joint[present] * np.log(self.joint[present] / independent[present]))))

    @property
    def information(self) -> float:
        """I(c; c′) / log K, between 0 and 1."""
        return self.nats / np.log(len(self.joint)) if len(self.joint) > 1 else 0.0


def edge_ends(similarity: Similarity, labels: IntArray) -> EdgeEnds:
    """Return the clusters at the ends of the edges of a graph."""
    found, indicator = np.unique(labels, return_inverse=True)
    if isinstance(similarity, Sparse):
        members = sp.csr_array((np.ones(len(labels)), indicator, np.arange(len(labels) + 1)), (len(labels), len(found)))
        joint = (members.T @ (similarity.matrix @ members)).toarray()
    else:
        members = np.eye(len(found))[indicator]
        joint = members.T @ similarity.apply(members)
    return EdgeEnds(joint / joint.sum())


def information_with_error(similarity: Sparse, labels: IntArray) -> tuple[float, float]:
    """Return I(c; c′) / log K and its standard error over samples.

    I is the mean of log p(c, c′)/(p(c) p(c′)) over edges. The edges of one sample are not independent. So the terms of
    its edges are summed, and the error is the standard error of the mean over samples. The variance of the shares p(c)
    is neglected.
    """
    ends = edge_ends(similarity, labels)
    n, own = len(labels), np.unique(labels, return_inverse=True)[1]
    if len(ends.joint) < 2:
        return 0.0, 0.0
    pointwise = np.zeros_like(ends.joint)
    np.log(ends.joint / np.outer(ends.share, ends.share), out=pointwise, where=ends.joint > 0)
    edges = similarity.matrix.tocoo()
    rows, columns = edges.coords
    weights = edges.data * (n / edges.data.sum())
    each = np.bincount(rows, weights * (pointwise[own[rows], own[columns]] - ends.nats), minlength=n)
    return ends.information, float(each.std() / np.sqrt(n) / np.log(len(ends.joint)))


def neighbor_ends(neighbors: IntArray, of: IntArray, labels: IntArray) -> EdgeEnds:
    """Return the clusters of a sample and of one of its neighbours.

    ``neighbors`` lists the neighbours of each distinct sample, ``of`` the position of each sample among the distinct
    ones. Copies of a sample may have different labels. Each copy counts fully as a sample; as a neighbour, c copies
    count 1/c each.
    """
    found, own = np.unique(labels, return_inverse=True)
    members = np.zeros((len(neighbors), len(found)))
    np.add.at(members, (of, own), 1.0)
    shares = members / members.sum(axis=1, keepdims=True)
    joint = np.sum([members.T @ shares[column] for column in neighbors.T], axis=0)
    return EdgeEnds((joint + joint.T) / (2 * joint.sum()))
