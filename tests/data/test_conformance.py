"""What every registered dataset must fulfil."""

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hypercut.data import datasets
from hypercut.data.featurizing import check, featurize
from hypercut.data.sources import Generated, Mirror, Package, PublicUrl
from hypercut.data.store import MIRROR_VARIABLE, acquire
from hypercut.errors import InputError
from tests.data.originals import ORIGINALS, invented, write_mirror

NAMES = datasets.names()
STAND_INS = [name for name in NAMES if datasets.get(name).stand_in is not None]


def get_from_mirror(name: str, tmp_path: Path) -> Path:
    """Fetch a dataset whose files, if it has any, are in a mirror made here; return the data folder."""
    mirror = str(write_mirror(tmp_path / "mirror", name)) if name in ORIGINALS else None
    acquire(invented(name), tmp_path / "data", mirror=mirror)
    return tmp_path / "data"


def test_the_specified_datasets_are_registered() -> None:
    assert set(NAMES) == {"orl", "yaleb", "usps", "mnist", "iris", "traj", "corel", "digits", "libras"}
    assert set(STAND_INS) == {"yaleb", "corel"}


@pytest.mark.parametrize("name", NAMES)
def test_declaration(name: str) -> None:
    dataset = datasets.get(name)
    assert dataset.name == name
    assert 0 < dataset.classes < dataset.samples
    assert dataset.value_range[0] < dataset.value_range[1]
    kinds = [type(source) for source in dataset.sources]
    assert kinds == [Generated] or kinds == [kind for kind in (Mirror, Package, PublicUrl) if kind in kinds]
    if name == "traj":
        assert dataset.content_sha256 is None
    else:
        assert re.fullmatch(r"[0-9a-f]{64}", dataset.content_sha256)
    for source in dataset.sources:
        if isinstance(source, Package):
            assert re.fullmatch(r"[0-9a-f]{64}", source.sha256)
        if isinstance(source, PublicUrl):
            assert all(file.url.endswith(f"/{file.name}") for file in source.files)
            assert {file.name for file in source.files} == set(ORIGINALS[name]())


@pytest.mark.slow
@pytest.mark.usefixtures("_small_gist")
@pytest.mark.parametrize("name", NAMES)
def test_from_files_to_features(name: str, tmp_path: Path) -> None:
    root = get_from_mirror(name, tmp_path)
    dataset = invented(name)
    home = root / name
    assert list(root.iterdir()) == [home]

    manifest = json.loads((home / "manifest.json").read_text())
    assert manifest["dataset"] == name
    assert manifest["kind"] == ("generated" if name == "traj" else "real")
    assert manifest["source"]
    assert manifest["version"]
    assert manifest["terms"]
    on_disk = {path.relative_to(home).as_posix() for path in (home / "raw").rglob("*") if path.is_file()}
    assert {file["path"] for file in manifest["files"]} == on_disk
    for file in manifest["files"]:
        assert hashlib.sha256((home / file["path"]).read_bytes()).hexdigest() == file["sha256"]
    check(dataset, root)

    features = featurize(dataset, root)
    assert (features.n_samples, features.X.shape[1]) == (dataset.samples, dataset.features)
    assert features.provenance["complete"]
    assert features.provenance["dataset"] == name
    assert features.X.dtype == np.float32
    assert dataset.value_range[0] <= features.X.min() <= features.X.max() <= dataset.value_range[1]
    np.testing.assert_array_equal(np.unique(features.y), np.arange(dataset.classes))
    assert features.provenance["kind"] == manifest["kind"]
    assert features.provenance["options"] == dataset.chosen_options({})


@pytest.mark.slow
@pytest.mark.usefixtures("_small_gist")
@pytest.mark.parametrize("name", STAND_INS)
def test_stand_in(name: str, tmp_path: Path) -> None:
    dataset = datasets.get(name)
    alone = replace(dataset, sources=dataset.sources[:1])
    with pytest.raises(InputError, match=r"on_missing: standin") as caught:
        acquire(alone, tmp_path / "data")
    assert name in str(caught.value)
    assert MIRROR_VARIABLE in str(caught.value)
    assert list((tmp_path / "data").iterdir()) == []

    manifest = acquire(alone, tmp_path / "data", on_missing="standin")
    assert manifest.kind == "stand-in"
    assert manifest.terms != dataset.terms
    features = featurize(dataset, tmp_path / "data")
    assert features.provenance["kind"] == "stand-in"
    assert features.X.shape == (dataset.samples, dataset.features)
    np.testing.assert_array_equal(np.bincount(features.y), dataset.samples // dataset.classes)


def test_a_stand_in_gives_way_to_the_real_set(tmp_path: Path) -> None:
    dataset = invented("yaleb")
    alone = replace(dataset, sources=dataset.sources[:1])
    manifest = acquire(alone, tmp_path / "data", on_missing="standin")
    assert acquire(alone, tmp_path / "data", on_missing="standin") == manifest
    with pytest.raises(InputError, match="no source could deliver"):
        acquire(alone, tmp_path / "data")
    mirror = write_mirror(tmp_path / "mirror", "yaleb")
    assert acquire(alone, tmp_path / "data", mirror=str(mirror)).kind == "real"
    assert not (tmp_path / "data" / "yaleb" / "raw" / "collection.npz").exists()


@pytest.mark.parametrize("name", [name for name in NAMES if name not in STAND_INS])
def test_what_has_no_stand_in_fails_in_any_case(name: str, tmp_path: Path) -> None:
    nowhere = replace(datasets.get(name), sources=(Mirror(("some.file",)),))
    with pytest.raises(InputError, match=r"some\.file"):
        acquire(nowhere, tmp_path, on_missing="standin")
    assert list(tmp_path.iterdir()) == []
