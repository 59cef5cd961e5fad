"""The diagnostics of a cut, against loops over the entries of S."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercut.algorithms.pko_hsc import context_similarity
from hypercut.core.diagnostics import criterion, diagnostics, low_degree_mass, trace_ratio
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.core.similarity import Dense
from tests import reference
from tests.strategies import sample_sets


def literal_criterion(s, labels):
    """Return g(X) with the sums of eq:intra-inter."""
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


def test_the_criterion_of_a_partition_is_the_mean_of_the_trace_ratios_of_its_clusters():
    s = np.random.default_rng(0).uniform(0.1, 1, (12, 12))
    similarity, labels = Dense(s + s.T), np.arange(12) % 3
    columns = np.eye(3)[labels] / 2  # clusters of four
    assert criterion(similarity, labels) == pytest.approx(
        np.mean([trace_ratio(similarity, c[:, None]) for c in columns.T])
    )


def test_a_cluster_without_edges_to_others_has_an_infinite_criterion():
    blocks = np.kron(np.eye(2), np.ones((3, 3)))
    assert criterion(Dense(blocks), np.repeat([0, 1], 3)) == np.inf
    assert criterion(Dense(blocks), [0, 0, 1, 1, 1, 0]) == pytest.approx(np.mean([5 / 4, 5 / 4]))


def test_the_mass_on_vertices_of_low_degree():
    s = np.ones((40, 40))
    s[[3, 17]] = s[:, [3, 17]] = 0.1  # two of forty are 5 %
    basis = np.zeros((40, 2))
    basis[3, 0] = 1
    basis[[5, 17], 1] = np.sqrt([0.75, 0.25])
    assert low_degree_mass(Dense(s), basis) == pytest.approx(1.25 / 2)
