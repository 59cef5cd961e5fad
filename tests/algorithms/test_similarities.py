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

LITERAL = {
    "CSC": lambda a, d2: reference.hollow(a),
    "NRSC": lambda a, d2: reference.warped(a),
    "RWDSM": lambda a, d2: reference.diffusion(a),
    "STSC": lambda a, d2: reference.local_kernel(d2),
}


@pytest.mark.parametrize("name", LITERAL)
@given(x=sample_sets(min_size=6), factor=st.sampled_from([0.2, 0.6, 2.0]))
def test_similarity(name, x, factor):  # those on hypergraphs: test_readings
    samples = Samples.from_features(x)
    sigma = factor * samples.mean_distance
    similarity = algorithms.get(name)(2).similarity(Hypergraphs(samples, sigma), 0)
    d2 = reference.squared_distances(x)
    expected = LITERAL[name](reference.kernel(d2, sigma), d2)
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
    """Store fewer than 4096 samples in single precision, as is done beyond 4096."""
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


@pytest.mark.parametrize("smooth", [False, True])
def test_nrsc_inverts_where_the_series_would_not_converge(smooth):
    """Two samples far from a smooth kernel: their eigenvalue −1 is not among the largest, but powers do not vanish."""
    x = np.vstack([np.random.default_rng(0).standard_normal((300, 6)), np.full((2, 6), 40.0) + np.eye(2, 6)])
    samples = Samples.from_features(x, dtype=np.float32)
    hypergraphs = Hypergraphs(samples, (1.0 if smooth else 0.1) * samples.mean_distance)
    assert hypergraphs.pairwise.smooth == smooth
    assert isinstance(algorithms.get("NRSC")(4).similarity(hypergraphs, 0), HollowCosine)
