"""A dataset that is a random subset of another has its data, and a name and random draws of its own."""

from pathlib import Path

import numpy as np
import pytest

from hypercut.data import datasets
from hypercut.data.datasets import resolve
from hypercut.data.features import Features
from hypercut.data.featurizing import featurize
from hypercut.data.store import acquire
from hypercut.errors import InputError
from hypercut.seeds import stream

IRIS90 = {"part_of": "iris", "subset": 90, "resample": True}


def made(root: Path, name: str, entry: dict[str, object]) -> Features:
    dataset, options = resolve(name, entry)
    acquire(dataset, root)
    return featurize(dataset, root, options)


def test_a_part_has_the_files_the_features_and_the_facts_of_the_whole(tmp_path: Path) -> None:
    whole, part = made(tmp_path, "iris", {}), made(tmp_path, "iris90", IRIS90)
    assert [path.name for path in tmp_path.iterdir()] == ["iris"]
    assert (part.X.tobytes(), part.y.tobytes()) == (whole.X.tobytes(), whole.y.tobytes())
    for fact in ("kind", "terms", "identity", "files_sha256"):
        assert part.provenance[fact] == whole.provenance[fact]
    assert part.provenance["dataset"] == "iris90"
    assert part.provenance["complete"]
    assert part.n_samples == 90
    yaleb, (faces, _) = datasets.get("yaleb"), resolve("faces", {"part_of": "yaleb", "subset": 373})
    assert (faces.stand_in, faces.sources, faces.describe) == (yaleb.stand_in, yaleb.sources, yaleb.describe)


def test_the_draws_of_a_part_depend_on_its_own_name_and_the_repeat(tmp_path: Path) -> None:
    part, other = made(tmp_path, "iris90", IRIS90), made(tmp_path, "other", IRIS90)
    for repeat in range(3):
        chosen = np.sort(stream("iris90", "subset", 0, "repeat", repeat).choice(150, 90, replace=False))
        np.testing.assert_array_equal(part.draw(repeat)[0], part.X[chosen])
    assert not np.array_equal(part.draw(0)[0], other.draw(0)[0])
    fixed = made(tmp_path, "iris90", {**IRIS90, "resample": False})
    np.testing.assert_array_equal(fixed.draw(0)[0], fixed.draw(1)[0])
    assert len(fixed.X) == 90


def test_a_part_takes_the_options_of_the_whole() -> None:
    dataset, options = resolve("few", {"part_of": "mnist", "subset": 50, "per_class": 20})
    assert (dataset.samples, options["per_class"], options["subset"]) == (50, 20, 50)


@pytest.mark.parametrize(
    ("name", "entry", "message"),
    [
        ("some", {"part_of": "nope", "subset": 5}, "Unknown dataset 'nope'. Available: corel"),
        ("some", {"part_of": "iris"}, r"dataset some: .*number of samples \(subset\)"),
        ("some", {"part_of": "iris", "subset": 1}, "option subset must be a whole number"),
        ("some", {"part_of": "iris", "subset": 5, "crop": True}, "unknown option 'crop'"),
        ("some", {"part_of": "iris", "subset": 5, "path": "my.csv"}, "unknown key 'part_of'"),
        ("usps", {"part_of": "iris", "subset": 5}, "a registered dataset has this name"),
        ("usps465", {}, r"Unknown dataset 'usps465'.*usps465: \{part_of: usps, subset: 465\}"),
    ],
)
def test_entries_that_describe_no_part(name: str, entry: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        resolve(name, entry)
