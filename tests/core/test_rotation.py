import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from hypercut.core.rotation import align, cost_and_slope, givens_product, rotation_planes
from hypercut.metrics import ari


@pytest.mark.parametrize("k", range(2, 9))
def test_every_pair_of_axes_has_its_plane(k):
    pairs = {tuple(sorted(map(int, pair))) for plane in rotation_planes(k) for pair in zip(*plane, strict=True)}
    assert pairs == {(i, j) for i in range(k) for j in range(i + 1, k)}
    assert sum(len(plane[0]) for plane in rotation_planes(k)) == k * (k - 1) // 2


@given(st.integers(2, 7), st.integers(0, 1000))
def test_the_product_is_a_rotation_and_the_slope_its_derivative(k, seed):
    rng = np.random.default_rng(seed)
    planes = rotation_planes(k)
    angles = rng.uniform(-1, 1, (len(planes), len(planes[0][0])))
    rotation = givens_product(angles, planes)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(k), atol=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1)
    rows = rng.standard_normal((30, k))

    def literal_cost(flat):
        z = rows @ givens_product(flat.reshape(angles.shape), planes)
        return sum(z[i, j] ** 2 / max(z[i] ** 2) for i in range(30) for j in range(k)) / 30

    cost, slope = cost_and_slope(rows, rotation, angles, planes)
    assert cost == pytest.approx(literal_cost(angles.ravel()))
    np.testing.assert_allclose(slope.ravel(), approx_fprime(angles.ravel(), literal_cost), rtol=1e-3, atol=1e-4)


@given(st.integers(2, 6), st.integers(0, 100))
def test_the_cost_never_rises_and_nearby_axes_are_found(k, seed):
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(k), rng.integers(k, size=50)])
    planes = rotation_planes(k)
    tilt = givens_product(rng.uniform(-0.2, 0.2, (len(planes), len(planes[0][0]))), planes)
    found = align(np.eye(k)[labels] @ tilt)
    assert (np.diff(found.costs) <= 0).all()
    assert found.costs[-1] == pytest.approx(1, abs=1e-3)  # its smallest possible value
    assert ari(labels, found.labels) == 1


def test_zero_rows_count_nothing():
    vectors = np.vstack([np.zeros(2), np.eye(2), np.eye(2)])
    found = align(vectors)
    assert found.costs == [1.0]
    assert len(found.labels) == 5


def test_rows_that_equal_their_mirror_image_are_turned_all_the_same():
    """Here J is even in θ, so its slope at θ = 0 is zero."""
    vectors = np.array([[0.6, 0.8], [0.7, 0.7], [0.7, -0.7], [0.6, -0.8]])
    found = align(vectors)
    assert found.labels[0] == found.labels[1] != found.labels[2] == found.labels[3]
    assert (np.diff(found.costs) <= 0).all()
