"""DFT features: the defining sum, and the effect of the factor 1/n."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hypercut.data.features.dft import dft, dft_features
from hypercut.errors import InputError

trajectories = st.integers(9, 60).flatmap(
    lambda n: arrays(np.float64, (n, 2), elements=st.floats(-1e3, 1e3, allow_subnormal=False))
)


def direct(trajectory: np.ndarray) -> np.ndarray:
    n = len(trajectory)
    values = []
    for coordinate in trajectory.T:
        for f in range(5):
            X_f = sum(coordinate[t] * np.exp(-2j * np.pi * f * t / n) for t in range(n)) / n
            values += [X_f.real] if f == 0 else [X_f.real, X_f.imag]
    return np.array(values)


@given(trajectories)
def test_is_the_direct_sum(trajectory: np.ndarray) -> None:
    np.testing.assert_allclose(dft(trajectory), direct(trajectory), rtol=0, atol=1e-9)


@given(trajectories, st.floats(-100, 100), st.floats(-100, 100))
def test_a_shift_changes_only_the_means(trajectory: np.ndarray, dx: float, dy: float) -> None:
    difference = dft(trajectory + np.array([dx, dy])) - dft(trajectory)
    np.testing.assert_allclose(difference, [dx] + [0] * 8 + [dy] + [0] * 8, atol=1e-9)


def closed_curve(n: int) -> np.ndarray:
    t = 2 * np.pi * np.arange(n) / n
    return np.stack([np.cos(t) + 0.3 * np.sin(3 * t), 0.5 * np.sin(2 * t) + 0.1 * np.exp(np.cos(t))], axis=1)


def open_curve(n: int) -> np.ndarray:
    t = np.linspace(0, 1, n)
    return np.stack([t, np.sin(3 * t)], axis=1)


@pytest.mark.parametrize("curve", [closed_curve, open_curve])
@pytest.mark.parametrize("points", [75, 100, 399])
def test_resampling_a_smooth_curve_changes_little(curve: Callable[[int], np.ndarray], points: int) -> None:
    fine = dft(curve(200))
    assert np.linalg.norm(dft(curve(points)) - fine) < 0.02 * np.linalg.norm(fine)


def test_a_set_of_different_lengths() -> None:
    X = dft_features([np.zeros((9, 2)), np.ones((30, 2))])
    assert X.shape == (2, 18)
    assert X.dtype == np.float32
    np.testing.assert_array_equal(np.flatnonzero(X[1]), [0, 9])


@pytest.mark.parametrize("bad", [np.zeros((8, 2)), np.zeros((20, 3)), np.zeros(20)])
def test_what_is_no_trajectory(bad: np.ndarray) -> None:
    with pytest.raises(InputError, match="trajectory 2"):
        dft_features([np.zeros((9, 2)), bad])
