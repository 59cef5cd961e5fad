"""The diagnostics of a cut, against loops over the entries of S."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercut.algorithms.pko_hsc import context_similarity
from hypercut.core.diagnostics import diagnostics
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.core.similarity import Dense
from tests import reference
from tests.strategies import sample_sets


def literal_criterion(s, labels):
    """Return g(X) by the sums of eq:intra-inter."""
    n, ratios = len(s), []
    for cluster in set(labels):
        members = [i for i in range(n) if labels[i] == cluster]
        within = sum(s[i][j] for i in members for j in members)
        between = sum(s[i][j] for i in members for j in range(n) if labels[j] != cluster)
        ratios.append(within / between)
    return sum(ratios) / len(ratios)


@given(sample_sets(min_size=6), st.integers(0, 1000))
def test_criterion_and_trace_ratio_by_loops(x, seed):
    samples = Samples.from_features(x)
    hypergraphs = Hypergraphs(samples, 0.8 * samples.mean_distance)
    similarity = context_similarity(hypergraphs, 0.4, 0.4, n_overclusters=4)
    dense, rng = similarity.dense(), np.random.default_rng(seed)
    labels = np.append(rng.integers(3, size=len(x) - 3), [0, 1, 2])
    truth = labels[rng.permutation(len(x))]
    vectors = rng.standard_normal((len(x), 3))  # not orthonormal, like those of the normalised cut
    found = diagnostics(similarity, vectors, labels, truth)
    assert found["criterion"] == pytest.approx(literal_criterion(dense, labels.tolist()), rel=1e-6)
    assert found["criterion_truth"] == pytest.approx(literal_criterion(dense, truth.tolist()), rel=1e-6)
    basis = np.linalg.svd(vectors, full_matrices=False)[0]
    assert found["trace_ratio"] == pytest.approx(reference.trace_ratio(dense, basis), rel=1e-6)


def test_a_cluster_without_edges_to_others_has_an_infinite_criterion():
    similarity, components = Dense(np.kron(np.eye(2), np.ones((3, 3)))), np.repeat([0, 1], 3)
    vectors = np.eye(2)[components]
    found = diagnostics(similarity, vectors, components, [0, 0, 1, 1, 1, 0])
    assert found["criterion"] == found["trace_ratio"] == np.inf
    assert found["criterion_truth"] == pytest.approx(5 / 4)  # of nine edges, five are within and four between


def test_the_mass_on_vertices_of_low_degree():
    s = np.ones((40, 40))
    s[[3, 17]] = s[:, [3, 17]] = 0.1  # two of forty are 5 %
    basis = np.zeros((40, 2))
    basis[3, 0] = 1
    basis[[5, 17], 1] = np.sqrt([0.75, 0.25])
    found = diagnostics(Dense(s), basis, np.arange(40) % 2, np.arange(40) % 4)
    assert found["low_degree_mass"] == pytest.approx(1.25 / 2)
