"""Problems: the repeats of a dataset under a setting, possibly scaled by a reading, and their file."""

from pathlib import Path

import numpy as np
import pytest

from hypercut.data.corruption import corrupt
from hypercut.data.scaling import unit, zscore
from hypercut.errors import InputError
from hypercut.run.problems import load_problem, make_problem
from tests.run import blobs

FEATURES = blobs.Features(
    np.random.default_rng(0).normal(2.0, [1.0, 10.0], size=(40, 2)), np.arange(40) % 2, blobs.PROVENANCE
)
X = FEATURES.X


def test_a_problem_is_the_same_after_saving_and_loading(saved: Path) -> None:
    problem, loaded = blobs.blobs(), load_problem(saved, {**blobs.MADE, "cluster": {}})
    np.testing.assert_array_equal(loaded.draws, problem.draws)
    assert (loaded.dataset, loaded.setting, loaded.level) == ("blobs", "noise-L2", 0.4)
    assert loaded.provenance == blobs.PROVENANCE
    assert loaded.seed(0) == problem.seed(0) != problem.seed(1)
    assert not np.array_equal(loaded.draw(0), loaded.draw(1))


def test_a_problem_of_another_recipe_or_damaged_is_refused(saved: Path) -> None:
    with pytest.raises(InputError, match="other code or options"):
        load_problem(saved, {**blobs.MADE, "corrupt": {"level": 0.6, "code": "c0"}})
    saved.write_bytes(b"PK\x03\x04 nonsense")
    with pytest.raises(InputError, match="not a readable problem"):
        load_problem(saved)


def test_a_clean_problem_has_one_draw_for_all_repeats() -> None:
    clean = blobs.blobs("clean", 0.0, draws=1)
    assert clean.draws.shape[0] == 1
    np.testing.assert_array_equal(clean.draw(6), clean.draw(0))
    assert clean.seed(0) != clean.seed(6)


def test_the_subset_of_a_repeat_is_corrupted_as_if_it_were_the_dataset() -> None:
    features = blobs.resampled()
    problem = make_problem("blobs", features, setting="noise-L2", level=0.4, draws=3)
    clean = make_problem("blobs", features, setting="clean", level=0.0, draws=3)
    for repeat in range(3):
        drawn, y = features.draw(repeat)
        np.testing.assert_array_equal(clean.draw(repeat), drawn)
        np.testing.assert_array_equal(problem.draw(repeat), corrupt(drawn, "noise-L2", dataset="blobs", repeat=repeat))
        np.testing.assert_array_equal(problem.classes(repeat), y)


def draws(setting: str, level: float, **options: str) -> np.ndarray:
    return make_problem("mine", FEATURES, setting=setting, level=level, draws=2, **options).draws


def test_features_are_scaled_before_the_noise_which_has_the_same_draws() -> None:
    plain, scaled = draws("noise-L5", 1.0), draws("noise-L5", 1.0, scaling="zscore")
    np.testing.assert_allclose(scaled - zscore(X), (plain - X) / X.std(axis=0))
    np.testing.assert_allclose(draws("noise-L5", 1.0, scale="absolute") - X, (plain - X) / X.std(axis=0))
    np.testing.assert_array_equal(draws("clean", 0.0, scaling="unit"), [unit(X)] * 2)
    assert not np.allclose(plain[0], plain[1])
