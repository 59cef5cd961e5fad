"""Scalings of features: the property of each, and the rows and columns that cannot be scaled."""

import numpy as np
import pytest

from hypercut.data.scaling import equalized, scaled, to_range, unit, zscore
from hypercut.errors import InputError

RNG = np.random.default_rng(0)
X = RNG.normal(3.0, [0.1, 1.0, 50.0], size=(200, 3))


def test_unit_rows_have_length_one_and_their_direction() -> None:
    found = unit(X)
    np.testing.assert_allclose((found**2).sum(axis=1), 1)
    np.testing.assert_allclose(found[:, 0] * X[:, 1], found[:, 1] * X[:, 0])


def test_a_row_of_zeros_stays() -> None:
    assert not unit(np.array([[0.0, 0.0], [0.0, 2.0]]))[0].any()


def test_the_range_is_0_to_1_in_each_feature() -> None:
    found = to_range(X)
    assert found.min(axis=0).tolist() == [0, 0, 0]
    assert found.max(axis=0).tolist() == [1, 1, 1]
    np.testing.assert_allclose(np.corrcoef(found[:, 2], X[:, 2])[0, 1], 1)


def test_zscores_have_mean_0_and_variance_1() -> None:
    found = zscore(X)
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(found.var(axis=0), 1)


@pytest.mark.parametrize("scaling", ["range", "zscore"])
def test_a_constant_feature_becomes_0(scaling: str) -> None:
    # The mean of 0.1, added up 200 times, is not exactly 0.1.
    constant = np.column_stack([X[:, 0], np.full(200, 0.1)])
    found = scaled(constant, scaling)
    assert (found[:, 1] == 0).all()
    assert found[:, 0].any()


@pytest.mark.parametrize("scaling", ["unit", "range", "zscore", "equalized"])
def test_the_precision_of_the_features_is_kept(scaling: str) -> None:
    single = X.astype(np.float32)
    assert scaled(single, scaling).dtype == np.float32
    np.testing.assert_allclose(scaled(single, scaling), scaled(single.astype(np.float64), scaling), atol=1e-6)


def test_equalized_values_are_shares_of_their_image() -> None:
    images = np.random.default_rng(1).integers(0, 6, (5, 30))  # many pixels are equally bright
    expected = [[sum(other <= value for other in image) / 30 for value in image] for image in images]
    np.testing.assert_allclose(equalized(images), expected)
    np.testing.assert_array_equal(equalized(images), equalized(images**3))  # only the order counts


def test_no_scaling_and_an_unknown_one() -> None:
    assert scaled(X, None) is X
    with pytest.raises(
        InputError, match="unknown scaling of features 'l2'; expected one of unit, range, zscore, equalized"
    ):
        scaled(X, "l2")
