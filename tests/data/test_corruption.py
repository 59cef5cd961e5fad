"""Corruptions have the right strength, are the same in every process, and are independent between repeats."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercut.data.corruption import corrupt, noise, outlier
from hypercut.errors import InputError
from hypercut.paper.protocol import CLEAN, LEVELS, settings
from hypercut.seeds import stream

N = 4000
X = stream("test", "matrix").normal(loc=[3.0, -50.0, 0.0], scale=[0.1, 20.0, 1.0], size=(N, 3)).astype(np.float32)


def test_settings_are_those_of_the_paper() -> None:
    assert len(settings()) == 1 + 10 + 3
    assert list(LEVELS["noise"].values()) == [0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0]
    assert list(LEVELS["outlier"].values()) == [0.2, 0.4, 0.6]


def test_clean_is_the_same_matrix() -> None:
    clean = corrupt(X, CLEAN, dataset="orl", repeat=0)
    np.testing.assert_array_equal(clean, X)
    assert clean is not X


@pytest.mark.parametrize("distribution", ["gaussian", "uniform"])
@pytest.mark.parametrize(("level", "value"), LEVELS["noise"].items())
def test_noise_has_the_level_times_each_features_deviation(level: str, value: float, distribution: str) -> None:
    added = corrupt(X, f"noise-{level}", dataset="orl", repeat=1, distribution=distribution) - X
    s = X.std(axis=0)
    # Five standard errors: of a mean σ/√N, of a deviation at most σ/√(2N).
    assert (np.abs(added.mean(axis=0)) < 5 * value * s / np.sqrt(N)).all()
    np.testing.assert_allclose(added.std(axis=0), value * s, rtol=5 / np.sqrt(2 * N))


def test_the_two_distributions_differ() -> None:
    bounded = noise(X, 1.0, stream("u"), scale="absolute", distribution="uniform") - X
    unbounded = noise(X, 1.0, stream("g"), scale="absolute", distribution="gaussian") - X
    assert np.abs(bounded).max() < np.sqrt(3) + 1e-4
    assert np.abs(unbounded).max() > 2.5


@pytest.mark.parametrize(("scale", "expected"), [("global_std", X.std()), ("absolute", 1.0)])
def test_other_scales_are_the_same_for_every_feature(scale: str, expected: float) -> None:
    added = noise(X, 0.5, stream("scale"), scale=scale) - X
    np.testing.assert_allclose(added.std(axis=0), 0.5 * expected, rtol=5 / np.sqrt(2 * N))


def test_a_constant_feature_gets_no_noise() -> None:
    constant = np.full((10, 2), 7.0)
    np.testing.assert_array_equal(noise(constant, 2.0, stream("constant")), constant)


@pytest.mark.parametrize(("level", "value"), LEVELS["outlier"].items())
def test_outliers_lose_the_levels_fraction(level: str, value: float) -> None:
    lost = corrupt(X, f"outlier-{level}", dataset="orl", repeat=0) == 0
    assert abs(lost.mean() - value) < 5 * np.sqrt(value * (1 - value) / X.size)


@given(st.floats(0, 1), st.integers(0, 5))
def test_what_is_not_lost_is_untouched(level: float, seed: int) -> None:
    kept = outlier(X[:50], level, stream(seed))
    assert ((kept == 0) | (kept == X[:50])).all()


@pytest.mark.parametrize("setting", ["noise-L3", "outlier-L2"])
def test_another_process_draws_the_same_bytes(setting: str) -> None:
    program = (
        "import hashlib, sys, numpy as np; from hypercut.data.corruption import corrupt;"
        "X = np.linspace(0, 1, 600, dtype=np.float32).reshape(100, 6);"
        "print(hashlib.sha256(corrupt(X, sys.argv[1], dataset='orl', repeat=2).tobytes()).hexdigest())"
    )
    there = subprocess.run([sys.executable, "-c", program, setting], capture_output=True, text=True, check=True)
    here = corrupt(np.linspace(0, 1, 600, dtype=np.float32).reshape(100, 6), setting, dataset="orl", repeat=2)
    assert there.stdout.strip() == hashlib.sha256(here.tobytes()).hexdigest()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (("orl", "noise-L1", 0), ("orl", "noise-L1", 1)),
        (("orl", "noise-L1", 0), ("orl", "noise-L2", 0)),
        (("orl", "noise-L1", 0), ("usps", "noise-L1", 0)),
        (("orl", "noise-L1", 1), ("orl", "noise-L10", 0)),
    ],
)
def test_any_other_name_gives_an_independent_draw(left: tuple[str, str, int], right: tuple[str, str, int]) -> None:
    zeros = np.zeros((N, 3))
    draws = [
        corrupt(zeros, setting, dataset=dataset, repeat=repeat, scale="absolute").ravel()
        for dataset, setting, repeat in (left, right)
    ]
    assert abs(np.corrcoef(draws)[0, 1]) < 5 / np.sqrt(3 * N)


def test_outlier_repeats_are_independent() -> None:
    first, second = (corrupt(X, "outlier-L2", dataset="orl", repeat=repeat) == 0 for repeat in (0, 1))
    assert abs((first & second).mean() - 0.4**2) < 5 * np.sqrt(0.16 * 0.84 / X.size)


def test_streams_do_not_confuse_neighbouring_names() -> None:
    assert stream("a", "bc").integers(2**60) != stream("ab", "c").integers(2**60)


@pytest.mark.parametrize("setting", ["noise", "noise-L11", "outlier-L4", "blur-L1", ""])
def test_unknown_setting(setting: str) -> None:
    with pytest.raises(InputError, match="expected one of clean, noise-L1"):
        corrupt(X, setting, dataset="orl", repeat=0)


def test_unknown_scale_and_distribution() -> None:
    with pytest.raises(InputError, match="feature_std, global_std, absolute"):
        noise(X, 1.0, stream("s"), scale="std")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="gaussian, uniform"):
        noise(X, 1.0, stream("s"), distribution="normal")  # type: ignore[arg-type]
