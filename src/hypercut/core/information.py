"""How much of a graph's structure a clustering of it has found."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hypercut.core.samples import Array, IntArray
from hypercut.core.similarity import Similarity

# Clusters of which no more of the weight leaves are separate.
LEAK = 0.005
# Parts that are smaller than this, relative to equal ones, are no clusters of their own: outliers, copies.
SUBSTANTIAL = 0.25


@dataclass(frozen=True)
class EdgeEnds:
    """The clusters c and c′ at the two ends of an edge drawn by its weight: their joint distribution, K×K."""

    joint: Array

    @cached_property
    def share(self) -> Array:
        """The distribution of either end."""
        return np.asarray(self.joint.sum(axis=1))

    @property
    def nats(self) -> float:
        """I(c; c′) in nats, the mutual information of the clusters at the two ends of an edge; at most log K.

        K equally large clusters without any edge between them reach log K. Clusters that are cut through lose
        information, and so do unequal ones: a handful of samples split off costs little in a normalised cut, but tells
        nothing of the rest.
        """
        present = self.joint > 0
        independent = np.outer(self.share, self.share)
        return max(0.0, float(np.sum(self.joint[present] * np.log(self.joint[present] / independent[present]))))

    @property
    def information(self) -> float:
        """I(c; c′) / log K, between 0 and 1."""
        return self.nats / np.log(len(self.joint)) if len(self.joint) > 1 else 0.0

    @property
    def separate(self) -> bool:
        """Whether hardly an edge leads from one cluster to another, and none is a mere splinter."""
        leaving = self.share - np.diag(self.joint)
        return bool((leaving <= LEAK * self.share).all() and self.share.min() >= SUBSTANTIAL / len(self.joint))


def edge_ends(similarity: Similarity, labels: IntArray) -> EdgeEnds:
    """Return what the edges of a graph tell of a clustering."""
    found, indicator = np.unique(labels, return_inverse=True)
    members = np.eye(len(found))[indicator]
    joint = members.T @ similarity.apply(members)
    return EdgeEnds(joint / joint.sum())


def neighbor_ends(neighbors: IntArray, of: IntArray, labels: IntArray) -> EdgeEnds:
    """Return what the neighbours of each sample tell of a clustering.

    ``neighbors`` are those of the distinct samples, and ``of`` says which of these each sample is. Copies of a sample
    may have different labels: each counts, and as a neighbour with its share.
    """
    found, own = np.unique(labels, return_inverse=True)
    members = np.zeros((len(neighbors), len(found)))
    np.add.at(members, (of, own), 1.0)
    shares = members / members.sum(axis=1, keepdims=True)
    joint = np.sum([members.T @ shares[column] for column in neighbors.T], axis=0)
    return EdgeEnds((joint + joint.T) / (2 * joint.sum()))
