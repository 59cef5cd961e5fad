"""The information of a clustering about the edges of a graph, and its standard error."""

import numpy as np
import pytest
import scipy.sparse as sp

from hypercut.core.information import information_with_error
from hypercut.core.similarity import Sparse


def graph_of_blocks(rng, n, noise):
    """Return a graph of two blocks whose samples have a share ``noise`` of their edges in the other block."""
    labels = np.arange(n) % 2
    weights = rng.uniform(size=(n, n)) < np.where(labels[:, None] == labels, 20 / n, 20 * noise / n)
    weights = np.triu(weights, 1).astype(float)
    return Sparse(sp.csr_array(weights + weights.T + np.eye(n)), semidefinite=False), labels


def test_the_error_equals_the_equation_as_loops():
    similarity, labels = graph_of_blocks(np.random.default_rng(0), 30, 0.3)
    matrix = similarity.dense()
    n, total = len(matrix), matrix.sum()
    joint = np.array([[matrix[np.ix_(labels == a, labels == b)].sum() / total for b in range(2)] for a in range(2)])
    share = joint.sum(axis=1)
    nats = sum(joint[a, b] * np.log(joint[a, b] / (share[a] * share[b])) for a in range(2) for b in range(2))
    each = []
    for i in range(n):
        terms = [
            matrix[i, j] * (np.log(joint[labels[i], labels[j]] / (share[labels[i]] * share[labels[j]])) - nats)
            for j in range(n)
        ]
        each.append(sum(terms) * n / total)
    information, error = information_with_error(similarity, labels)
    assert information == pytest.approx(nats / np.log(2))
    assert error == pytest.approx(np.std(each) / np.sqrt(n) / np.log(2))


def test_separate_blocks_of_equal_weight_have_no_error():
    similarity = Sparse(sp.csr_array(np.kron(np.eye(2), np.ones((4, 4)))), semidefinite=True)
    assert information_with_error(similarity, np.repeat([0, 1], 4)) == pytest.approx((1, 0))
    assert information_with_error(similarity, np.zeros(8, dtype=int)) == (0.0, 0.0)
