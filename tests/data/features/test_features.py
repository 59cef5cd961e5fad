"""The file of features, and the subset of a repeat."""

from pathlib import Path

import numpy as np
import pytest

from hypercut.data import features as features_file
from hypercut.data.features import Features, load_features, save_features
from hypercut.errors import InputError

#: 60 samples that show their own position, in classes of 30, 20 and 10.
X = np.arange(60.0)[:, None]
Y = np.repeat([0, 1, 2], [30, 20, 10])


def resampled(size: int, name: str = "mine", seed: int = 0, y: np.ndarray = Y) -> Features:
    return Features(X, y, {"dataset": name, "options": {"subset": size, "seed": seed, "resample": True}})


def test_all_repeats_have_all_samples_unless_resampled() -> None:
    whole = Features(X, Y, {"dataset": "mine", "options": {"subset": None, "seed": 0, "resample": False}})
    for repeat in (0, 7):
        drawn, classes = whole.draw(repeat)
        np.testing.assert_array_equal(drawn, X)
        np.testing.assert_array_equal(classes, Y)
    assert whole.n_samples == 60


def test_each_repeat_has_a_subset_with_its_own_classes() -> None:
    features = resampled(25)
    draws = [features.draw(repeat) for repeat in range(10)]
    assert features.n_samples == 25
    for drawn, classes in draws:
        assert len(np.unique(drawn)) == 25  # without replacement
        np.testing.assert_array_equal(classes, Y[drawn[:, 0].astype(int)])
    assert len({tuple(drawn[:, 0]) for drawn, _ in draws}) == 10
    assert len({tuple(classes) for _, classes in draws}) > 1


def test_a_subset_depends_on_dataset_seed_and_repeat_only() -> None:
    first = resampled(25).draw(3)[0]
    np.testing.assert_array_equal(resampled(25).draw(3)[0], first)
    for other in (resampled(25, name="other"), resampled(25, seed=1)):
        assert not np.array_equal(other.draw(3)[0], first)


def test_subsets_without_all_classes_are_drawn_again() -> None:
    """Of six samples, 30 % of all draws lack the class of ten."""
    for repeat in range(50):
        assert set(resampled(6).draw(repeat)[1]) == {0, 1, 2}


def test_an_error_if_hardly_any_subset_has_all_classes() -> None:
    with pytest.raises(InputError, match="dataset mine: none of 100 random subsets of 20 samples has all classes"):
        resampled(20, y=np.arange(60)).draw(0)


def test_lack_of_memory_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_features(tmp_path / "f.npz", Features(X, Y, {}))

    def load(*_args: object, **_options: object) -> None:
        raise MemoryError

    monkeypatch.setattr(features_file.np, "load", load)
    with pytest.raises(MemoryError):
        load_features(tmp_path / "f.npz")
