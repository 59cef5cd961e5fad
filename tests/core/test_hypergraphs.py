"""The similarities against the loop-by-loop evaluation of the paper's equations."""

import numpy as np
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
    # Labels with gaps, singletons and one cluster of all.
    labeling = st.lists(st.integers(0, n), min_size=n, max_size=n).map(np.array)
    labelings = (data.draw(labeling), data.draw(labeling))
    d2, a = literal(x, factor)
    hypergraphs = fast(x, factor)
    affinities = [hypergraphs.hyperedge_affinity(labels) for labels in labelings]
    similarity = overclustering_similarity(labelings, affinities)
    expected = reference.overclustering(a, d2, labelings)
    np.testing.assert_allclose(similarity.dense(), expected, atol=1e-6)
    np.testing.assert_allclose(similarity.dense().diagonal(), 1)
    assert similarity.factor.shape[1] == sum(len(set(labels)) for labels in labelings)


def test_overclusterings_are_shared_and_depend_on_the_seed_alone():
    x = np.random.default_rng(0).standard_normal((50, 2))
    one, other = fast(x, 0.6), fast(x, 0.6)
    for number in (4, 6):
        for first, second in zip(one.overclusterings(number, 3), other.overclusterings(number, 3), strict=True):
            np.testing.assert_array_equal(first, second)
            assert len(set(first)) <= number
    assert one.overclusterings(4, 3) is one.overclusterings(4, 3)


@given(sample_sets(min_size=6))
def test_forming_and_applying_agree(x):
    hypergraphs = fast(x, 0.6)
    for similarity in (hypergraphs.pairwise, hypergraphs.pairwise.without_diagonal(), hypergraphs.overclustering(4, 0)):
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
