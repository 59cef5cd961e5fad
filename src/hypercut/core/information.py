"""How much of a graph's structure a clustering of it has found."""

import numpy as np

from hypercut.core.samples import IntArray
from hypercut.core.similarity import Similarity


def neighbor_information(similarity: Similarity, labels: IntArray) -> float:
    """Return I(c; c′) / log K: how much the cluster of a neighbour tells of a sample's own, between 0 and 1.

    c and c′ are the clusters of the two ends of an edge drawn by its weight. K equally large clusters without any edge
    between them reach 1. Clusters that are cut through lose information, and so do unequal ones: a handful of
    samples split off costs little in a normalised cut, but tells nothing of the rest.
    """
    found, indicator = np.unique(labels, return_inverse=True)
    if len(found) < 2:
        return 0.0
    members = np.eye(len(found))[indicator]
    joint = members.T @ similarity.apply(members)
    joint /= joint.sum()
    ends = joint.sum(axis=1)
    independent = np.outer(ends, ends)
    present = joint > 0
    information = np.sum(joint[present] * np.log(joint[present] / independent[present]))
    return float(information / np.log(len(found)))
