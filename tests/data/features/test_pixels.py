"""Pixel features."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hypercut.data.features.pixels import pixel_features


def test_row_by_row_in_the_unit_interval() -> None:
    picture = np.zeros((64, 64), dtype=np.uint8)
    picture[:32] = 255
    X = pixel_features([picture])
    assert X.shape == (1, 1024)
    assert X.dtype == np.float32
    np.testing.assert_array_equal(X[0, :480], 1)
    np.testing.assert_array_equal(X[0, -480:], 0)


@given(arrays(np.uint8, (32, 32)))
def test_a_picture_of_the_right_size_is_left_alone(picture: np.ndarray) -> None:
    np.testing.assert_array_equal(pixel_features([picture])[0], picture.ravel().astype(np.float32) / np.float32(255))


def test_shrinking_averages_instead_of_skipping() -> None:
    chequered = (np.indices((128, 128)).sum(axis=0) % 2 * 255).astype(np.uint8)
    np.testing.assert_allclose(pixel_features([chequered]), 0.5, atol=0.01)


@given(st.integers(1, 255))
def test_colour_becomes_grey(value: int) -> None:
    X = pixel_features([np.full((40, 50, 3), value, dtype=np.uint8)])
    assert X.shape == (1, 32 * 32)
    np.testing.assert_allclose(X, value / 255, atol=1e-6)
