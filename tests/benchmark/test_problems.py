"""Problems whose data a reading changes."""

import numpy as np

from hypercut.benchmark.problems import make_problem
from hypercut.data.features.file import Features
from hypercut.data.scaling import unit, zscore

X = np.random.default_rng(0).normal(2.0, [1.0, 10.0], size=(40, 2))
FEATURES = Features(X, np.arange(40) % 2, {"kind": "own"})


def draws(setting: str, level: float, **options: str) -> np.ndarray:
    return make_problem("mine", FEATURES, setting=setting, level=level, draws=2, **options).draws


def test_features_are_scaled_before_the_noise_which_has_the_same_draws() -> None:
    plain, scaled = draws("noise-L5", 1.0), draws("noise-L5", 1.0, scaling="zscore")
    np.testing.assert_allclose(scaled - zscore(X), (plain - X) / X.std(axis=0))
    assert not np.allclose(plain[0], plain[1])


def test_clean_features_are_only_scaled() -> None:
    np.testing.assert_array_equal(draws("clean", 0.0, scaling="unit"), [unit(X)] * 2)


def test_another_unit_of_the_noise_has_the_same_draws() -> None:
    plain, absolute = draws("noise-L5", 1.0), draws("noise-L5", 1.0, scale="absolute")
    np.testing.assert_allclose(absolute - X, (plain - X) / X.std(axis=0))
