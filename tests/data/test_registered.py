"""The options, readers and generators of single datasets."""

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.io import savemat
from scipy.ndimage import gaussian_filter

from hypercut.data import datasets
from hypercut.data.collection import Collection, numbered, read_collection, save_collection
from hypercut.data.dataset import random_positions
from hypercut.data.datasets import corel, resolve, traj
from hypercut.data.datasets import orl as orl_module
from hypercut.data.datasets import usps as usps_module
from hypercut.data.features.dft import dft_features
from hypercut.data.featurizing import featurize
from hypercut.data.standins import heads, scenes
from hypercut.data.store import acquire
from hypercut.errors import InputError
from tests.data.originals import invented, mnist, orl, usps, write_mirror, yaleb


def raw_folder(tmp_path: Path, files: dict[str, bytes]) -> Path:
    return write_mirror(tmp_path, "raw", files) / "raw"


def fetched(name: str, files: dict[str, bytes], tmp_path: Path) -> Path:
    mirror = write_mirror(tmp_path / "mirror", name, files)
    acquire(invented(name), tmp_path / "data", mirror=str(mirror))
    return tmp_path / "data"


# Options


def test_yaleb_without_the_bad_pictures(tmp_path: Path) -> None:
    root = fetched("yaleb", yaleb(), tmp_path)
    dataset = invented("yaleb")
    assert len(featurize(dataset, root).X) == 2432
    good = featurize(dataset, root, {"include_bad": False})
    assert len(good.X) == 2414
    assert good.provenance["options"]["include_bad"] is False
    assert not good.provenance["complete"]
    assert len(featurize(dataset, root, {"subset": 100}).X) == 100


def test_usps_subset(tmp_path: Path) -> None:
    root = fetched("usps", usps(), tmp_path)
    dataset = invented("usps")
    first, again, other = (featurize(dataset, root, {"subset": 465, "seed": seed}).X.tobytes() for seed in (0, 0, 1))
    assert len(first) == 465 * 256 * 4
    assert first == again
    assert first != other


def test_mnist_subset_is_balanced_and_fixed(tmp_path: Path) -> None:
    root = fetched("mnist", mnist(), tmp_path)
    dataset = invented("mnist")
    default = featurize(dataset, root)
    np.testing.assert_array_equal(np.bincount(default.y), [200] * 10)
    np.testing.assert_array_equal(featurize(dataset, root).X, default.X)
    small = featurize(dataset, root, {"per_class": 3, "seed": 5})
    np.testing.assert_array_equal(np.bincount(small.y), [3] * 10)
    with pytest.raises(InputError, match="cannot choose 90000"):
        featurize(dataset, root, {"per_class": 90000})


@given(st.integers(1, 60), st.integers(0, 3), st.data())
def test_random_positions_are_a_set_of_the_positions(size: int, seed: int, data: st.DataObject) -> None:
    positions = np.arange(60) * 7
    chosen = random_positions("toy", positions, size, seed)
    assert len(set(chosen.tolist())) == size
    assert set(chosen.tolist()) <= set(positions.tolist())
    np.testing.assert_array_equal(chosen, random_positions("toy", positions, size, seed))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("orl", {"include_bad": True}, "its options are: subset, seed"),
        ("usps", {"size": 10}, "its options are: subset, seed"),
        ("mnist", {"size": 10}, "its options are: subset, seed, resample, per_class"),
        ("usps", {"subset": "10"}, "option subset must be a whole number of at least 2, found '10'"),
        ("usps", {"subset": -1}, "option subset"),
        ("usps", {"seed": None}, "option seed"),
        ("usps", {"resample": True}, r"resample draws a subset in each repeat. Specify its size \(subset\)"),
        ("mnist", {"per_class": True}, "option per_class"),
        ("yaleb", {"include_bad": 0}, "option include_bad must be true or false, found 0"),
    ],
)
def test_options_that_do_not_fit(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        resolve(name, options)


def test_corel_photographs_are_cropped_or_squeezed() -> None:
    picture = np.zeros((256, 384, 3), dtype=np.uint8)
    picture[:, 64:320] = 200
    collection = numbered([picture, picture.transpose(1, 0, 2)], np.array([0, 1]))
    for square in corel.apply(collection, {"crop": True}).items:
        assert square.shape == (256, 256, 3)
        assert (square == 200).all()
    assert corel.apply(collection, {"crop": False}) is collection


# Readers


def test_orl_is_the_same_from_archive_and_folder(tmp_path: Path) -> None:
    archive = orl_module.read(raw_folder(tmp_path / "a", orl()))
    for name, item in zip(archive.names, archive.items, strict=True):
        path = tmp_path / "b" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        height, width = item.shape
        path.write_bytes(b"P5\n%d %d\n255\n" % (width, height) + item.tobytes())
    (tmp_path / "b" / "s10" / "target.jpg").write_bytes(b"not one of them")
    folder = orl_module.read(tmp_path / "b")
    np.testing.assert_array_equal(folder.items, archive.items)
    np.testing.assert_array_equal(folder.labels, archive.labels)
    assert archive.names[9] == "s1/10.pgm"


def test_usps_is_the_same_from_both_sources(tmp_path: Path) -> None:
    """A blurred and shuffled copy of the digits gives the same values in the same order."""
    original = usps_module.read(raw_folder(tmp_path / "libsvm", usps()))
    images = np.stack(original.items)
    order = np.random.default_rng(0).permutation(len(images))
    blurred = gaussian_filter(images[order], sigma=(0, 0.75, 0.75), mode="constant").reshape(len(images), -1) * 2 - 1
    labels = np.where(np.arange(10)[:, np.newaxis] == original.labels[order], 1, -1)
    (tmp_path / "package").mkdir()
    savemat(
        tmp_path / "package" / "usps_resampled.mat",
        {
            "train_patterns": blurred[:4649].T,
            "test_patterns": blurred[4649:].T,
            "train_labels": labels[:, :4649],
            "test_labels": labels[:, 4649:],
        },
    )
    package = usps_module.read(tmp_path / "package")
    np.testing.assert_array_equal(np.stack(package.items), images)
    np.testing.assert_array_equal(package.labels, original.labels)


@pytest.mark.parametrize("content", [b"", b"rubbish" * 100])
def test_damaged_matlab_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "usps_resampled.mat").write_bytes(content)
    with pytest.raises(InputError, match=r"usps_resampled\.mat: expected a MATLAB file"):
        usps_module.read(tmp_path)


@given(
    st.lists(
        arrays(np.float32, st.tuples(st.integers(1, 6), st.just(2)), elements=st.floats(0, 1, width=32)), min_size=1
    )
)
def test_collections_survive_the_file(tmp_path_factory: pytest.TempPathFactory, items: list[np.ndarray]) -> None:
    folder = tmp_path_factory.mktemp("collection")
    save_collection(folder, numbered(items, np.arange(len(items))))
    back = read_collection(folder)
    assert len(back.items) == len(items)
    for left, right in zip(back.items, items, strict=True):
        np.testing.assert_array_equal(left, right)
    np.testing.assert_array_equal(back.labels, np.arange(len(items)))


def test_contents_are_checked(tmp_path: Path) -> None:
    iris = datasets.get("iris")
    for changes, message in (
        ({"samples": 151}, "expected 151 samples, found 150"),
        ({"classes": 4}, "expected 4 classes, found 3"),
    ):
        with pytest.raises(InputError, match=message):
            acquire(replace(iris, **changes), tmp_path)
        assert list(tmp_path.iterdir()) == []
    acquire(iris, tmp_path)
    for changes, message in (
        ({"features": 5}, "expected 5 features, found 4"),
        ({"value_range": (0, 5)}, "expected values from 0 to 5, found 0.1 to 7.9"),
        ({"describe": lambda items: np.full((150, 4), np.nan)}, "NaN"),
    ):
        with pytest.raises(InputError, match=message):
            featurize(replace(iris, **changes), tmp_path)


# Generators


def digest(collection: Collection) -> str:
    return hashlib.sha256(b"".join(item.tobytes() for item in collection.items)).hexdigest()


def nearest_neighbour_accuracy(X: np.ndarray, y: np.ndarray) -> float:
    squares = (X**2).sum(axis=1)
    distances = squares[:, np.newaxis] + squares - 2 * X @ X.T
    np.fill_diagonal(distances, np.inf)
    return float((y[distances.argmin(axis=1)] == y).mean())


@pytest.fixture(scope="module")
def trajectories() -> Collection:
    return traj.generate()


def test_trajectories(trajectories: Collection) -> None:
    assert len(traj.FAMILIES) == 50
    assert {item.shape[1] for item in trajectories.items} == {2}
    lengths = [len(item) for item in trajectories.items]
    assert min(lengths) >= 40
    assert max(lengths) <= 200
    assert len(set(lengths)) > 100
    # The classes are neither trivial nor impossible to separate.
    assert 0.93 <= nearest_neighbour_accuracy(dft_features(trajectories.items), trajectories.labels) <= 0.995
    assert digest(traj.generate()) == digest(trajectories)


def test_stand_ins_are_always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hypercut.data.standins.PHOTOGRAPHS", 3)
    monkeypatch.setattr("hypercut.data.standins.PEOPLE", 3)
    for make, size in ((heads, 3 * 64), (scenes, 30)):
        collection = make()
        assert len({picture.tobytes() for picture in collection.items}) == size
        assert {picture.ndim for picture in collection.items} == {2 if make is heads else 3}
        assert digest(make()) == digest(collection)
