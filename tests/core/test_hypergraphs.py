"""The similarities against the loop-by-loop evaluation of the paper's equations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercut.core.hypergraphs import Hypergraphs, overclustering_similarity
from hypercut.core.samples import Samples
from tests import reference
from tests.strategies import sample_sets

factors = st.sampled_from([0.2, 0.6, 1.0, 3.0])


def literal(x, factor):
    d2 = reference.squared_distances(x)
    sigma = factor * reference.mean_distance(d2)
    return d2, reference.kernel(d2, sigma)


def fast(x, factor):
    samples = Samples.from_features(x)
    return Hypergraphs(samples, factor * samples.mean_distance)


@given(sample_sets(), factors)
def test_pairwise_similarity_is_the_kernel(x, factor):
    _, a = literal(x, factor)
    pairwise = fast(x, factor).pairwise
    np.testing.assert_allclose(pairwise.dense(), a, atol=1e-9)
    np.testing.assert_allclose(pairwise.without_diagonal().dense(), reference.hollow(a), atol=1e-9)
    np.testing.assert_allclose(pairwise.degrees, a.sum(axis=1))


@given(sample_sets(), factors, st.integers(1, 20))
def test_knn_similarity(x, factor, k):  # k ≥ N among them
    d2, a = literal(x, factor)
    expected = reference.knn(a, reference.hyperedges(d2, k))
    np.testing.assert_allclose(fast(x, factor).knn(k).dense(), expected, atol=1e-6)


@given(sample_sets(), factors, st.data())
def test_overclustering_similarity(x, factor, data):
    n = len(x)
    # Labels with gaps, singletons and one community of all.
    labeling = st.lists(st.integers(0, n), min_size=n, max_size=n).map(np.array)
    labelings = (data.draw(labeling), data.draw(labeling))
    d2, a = literal(x, factor)
    hypergraphs = fast(x, factor)
    affinities = [hypergraphs.community_affinity(labels) for labels in labelings]
    similarity = overclustering_similarity(labelings, affinities)
    expected = reference.overclustering(a, d2, labelings)
    np.testing.assert_allclose(similarity.dense(), expected, atol=1e-6)
    np.testing.assert_allclose(similarity.dense().diagonal(), 1)
    assert similarity.factor.shape[1] == sum(len(set(labels)) for labels in labelings)


@given(sample_sets(min_size=6), factors, st.sampled_from([(0.4, 0.4), (0.6, 0.2), (0.2, 0.0), (0.0, 0.2), (0.6, 0.4)]))
def test_combined_similarity(x, factor, weights):
    alpha, beta = weights
    hypergraphs = fast(x, factor)
    d2, a = literal(x, factor)
    combined = hypergraphs.combined(alpha, beta, k=3, n_communities=4, seed=0)
    expected = (
        alpha * a
        + beta * reference.knn(a, reference.hyperedges(d2, 3))
        + (1 - alpha - beta) * reference.overclustering(a, d2, hypergraphs.communities(4, 0))
    )
    np.testing.assert_allclose(combined.dense(), expected, atol=1e-6)
    np.testing.assert_allclose(combined.degrees, expected.sum(axis=1), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 60])
def test_all_similarities_of_sixty_samples(n):
    x = np.random.default_rng(n).standard_normal((n, 3))
    d2, a = literal(x, 0.6)
    hypergraphs = fast(x, 0.6)
    labelings = hypergraphs.communities(8, 0)
    np.testing.assert_allclose(hypergraphs.knn(3).dense(), reference.knn(a, reference.hyperedges(d2, 3)), atol=1e-6)
    expected = reference.overclustering(a, d2, labelings)
    np.testing.assert_allclose(hypergraphs.overclustering(8, 0).dense(), expected, atol=1e-6)


@given(sample_sets(min_size=6))
def test_cosine_similarities_are_symmetric_between_zero_and_one(x):
    hypergraphs = fast(x, 0.6)
    for similarity in (hypergraphs.knn(3), hypergraphs.overclustering(4, 0)):
        dense = similarity.dense()
        np.testing.assert_allclose(dense, dense.T)
        np.testing.assert_allclose(dense.diagonal(), 1)
        assert dense.min() >= 0
        assert dense.max() <= 1 + 1e-12


def test_communities_are_shared_and_depend_on_the_seed_alone():
    x = np.random.default_rng(0).standard_normal((50, 2))
    one, other = fast(x, 0.6), fast(x, 0.6)
    for number in (4, 6):
        for first, second in zip(one.communities(number, 3), other.communities(number, 3), strict=True):
            np.testing.assert_array_equal(first, second)
            assert len(set(first)) <= number
    assert one.communities(4, 3) is one.communities(4, 3)


def test_more_communities_than_samples():
    hypergraphs = fast(np.random.default_rng(0).standard_normal((7, 2)), 0.6)
    for labels in hypergraphs.communities(20, 0):
        assert len(labels) == 7


def test_weight_zero_makes_nothing():
    hypergraphs = fast(np.random.default_rng(0).standard_normal((10, 2)), 0.6)
    combined = hypergraphs.combined(0.6, 0.4, k=3, n_communities=4, seed=0)  # 1 − 0.6 − 0.4 is not exactly zero
    assert len(combined.terms) == 2
    assert not hypergraphs._communities


@given(sample_sets(min_size=6))
def test_forming_and_applying_agree(x):
    hypergraphs = fast(x, 0.6)
    combined = hypergraphs.combined(0.4, 0.4, k=3, n_communities=4, seed=0)
    for similarity in (hypergraphs.pairwise, hypergraphs.pairwise.without_diagonal(), combined):
        identity = np.eye(len(x))
        np.testing.assert_allclose(similarity.dense(), similarity.apply(identity), atol=1e-12)
        np.testing.assert_allclose(similarity.dense(), similarity.apply(identity, exact=False), atol=1e-12)


def test_released_memory_has_one_owner():
    samples = Samples.from_features(np.random.default_rng(0).standard_normal((9, 2)))
    first = Hypergraphs(samples, 1.0, memory=np.empty((9, 9)))
    second = Hypergraphs(samples, 2.0, memory=first.release())
    kernel = second.pairwise.matrix.copy()
    np.testing.assert_array_equal(first.pairwise.matrix, samples.kernel(1.0))
    np.testing.assert_array_equal(second.pairwise.matrix, kernel)
    assert second.release() is not None
    np.testing.assert_array_equal(second.pairwise.matrix, kernel)
