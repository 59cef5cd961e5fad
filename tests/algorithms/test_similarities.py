"""Each algorithm's similarity against the loop-by-loop evaluation of its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercut import algorithms
from hypercut.algorithms.nrsc import HollowCosine, HollowCosineSeries, warp
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.core.similarity import Dense
from tests import reference
from tests.strategies import sample_sets

ALPHA, BETA, GAMMA = 0.6, 0.3, 0.1


def literal(name, a, d2, labelings):
    knn = reference.knn(a, reference.hyperedges(d2, 3))
    communities = reference.overclustering(a, d2, labelings)
    match name:
        case "PKO+HSC" | "PKO+NC":
            return ALPHA * a + BETA * knn + GAMMA * communities
        case "PK+HSC":
            return (ALPHA * a + BETA * knn) / (ALPHA + BETA)
        case "PO+HSC":
            return (ALPHA * a + GAMMA * communities) / (ALPHA + GAMMA)
        case "CSC":
            return reference.hollow(a)
        case "NRSC":
            return reference.warped(a)
        case "RWDSM":
            return reference.diffusion(a)
        case "STSC":
            return reference.local_kernel(d2)


@pytest.mark.parametrize("name", ["PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC", "CSC", "NRSC", "RWDSM", "STSC"])
@given(x=sample_sets(min_size=6), factor=st.sampled_from([0.2, 0.6, 2.0]))
def test_similarity(name, x, factor):
    samples = Samples.from_features(x)
    sigma = factor * samples.mean_distance
    hypergraphs = Hypergraphs(samples, sigma)
    estimator = algorithms.get(name)(2)
    if "alpha" in estimator.get_params():
        estimator.set_params(alpha=ALPHA, beta=BETA)
    similarity = estimator.similarity(hypergraphs, 0)
    d2 = reference.squared_distances(x)
    expected = literal(name, reference.kernel(d2, sigma), d2, hypergraphs.communities(4, 0))
    np.testing.assert_allclose(similarity.dense(), expected, atol=1e-6)
    np.testing.assert_allclose(similarity.apply(np.eye(len(x))), expected, atol=1e-6)
    np.testing.assert_allclose(similarity.degrees, expected.sum(axis=1), atol=1e-6)


def test_the_estimate_of_the_diffusion_diagonal_is_a_lower_bound():
    x = np.random.default_rng(0).standard_normal((40, 2))
    samples = Samples.from_features(x)
    for factor, share in ((0.05, 0.9), (0.6, 0.0)):
        similarity = algorithms.get("RWDSM")(2).similarity(Hypergraphs(samples, factor * samples.mean_distance), 0)
        exact = similarity.dense().diagonal()
        assert (similarity.rough_diagonal <= exact + 1e-12).all()
        assert (similarity.rough_diagonal >= share * exact).all()


@pytest.mark.parametrize("factor", [0.6, 1.0, 3.0])
def test_the_series_of_nrsc_equals_the_inverse(factor):
    """Samples beyond 4096 are stored in single precision; here fewer are."""
    rng = np.random.default_rng(0)
    x = np.vstack([rng.standard_normal((150, 6)) + 2 * shift for shift in rng.standard_normal((4, 6))])
    samples = Samples.from_features(x, dtype=np.float32)
    hypergraphs = Hypergraphs(samples, factor * samples.mean_distance)
    assert hypergraphs.pairwise.smooth
    similarity = algorithms.get("NRSC")(4).similarity(hypergraphs, 0)
    assert isinstance(similarity, HollowCosineSeries)
    kernel = Dense(hypergraphs.pairwise.matrix.astype(np.float64))
    expected = HollowCosine(warp(kernel)).dense()  # test_similarity compares it with the equation
    vectors = rng.standard_normal((len(x), 3))
    scale = np.abs(expected).sum(axis=1).max()
    np.testing.assert_allclose(similarity.apply(vectors), expected @ vectors, atol=1e-6 * scale)
    np.testing.assert_allclose(similarity.degrees, expected.sum(axis=1), rtol=1e-5)
    np.testing.assert_allclose(similarity.dense(), expected, atol=1e-4)


def test_nrsc_inverts_where_the_kernel_is_not_smooth():
    x = np.random.default_rng(0).standard_normal((200, 6))
    samples = Samples.from_features(x, dtype=np.float32)
    similarity = algorithms.get("NRSC")(4).similarity(Hypergraphs(samples, 0.1 * samples.mean_distance), 0)
    assert isinstance(similarity, HollowCosine)


def test_nrsc_inverts_if_two_samples_are_far_from_a_smooth_kernel():
    """Their eigenvalue −1 is not among the largest, and powers of it do not vanish."""
    x = np.vstack([np.random.default_rng(0).standard_normal((300, 6)), np.full((2, 6), 40.0) + np.eye(2, 6)])
    samples = Samples.from_features(x, dtype=np.float32)
    hypergraphs = Hypergraphs(samples, samples.mean_distance)
    assert hypergraphs.pairwise.smooth
    similarity = algorithms.get("NRSC")(4).similarity(hypergraphs, 0)
    assert isinstance(similarity, HollowCosine)
