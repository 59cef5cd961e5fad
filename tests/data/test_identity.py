"""Results are compared with published numbers only if the content is that of the published dataset."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hypercut.data import datasets
from hypercut.data.collection import Collection, content_sha256, numbered, subset
from hypercut.data.datasets import corel
from hypercut.data.featurizing import featurize
from hypercut.data.store import acquire
from hypercut.errors import InputError
from tests.data.originals import ORIGINALS, corel_members, image_bytes, invented, tar_of, write_mirror


@pytest.mark.parametrize("name", ["iris", "digits"])
def test_what_a_library_brings_along_is_the_published_set(name: str) -> None:
    [source] = datasets.get(name).sources
    assert content_sha256(source.generate()) == datasets.get(name).content_sha256


@pytest.mark.parametrize("name", list(ORIGINALS))
def test_other_content_in_the_right_shape_is_an_error(name: str, tmp_path: Path) -> None:
    mirror = write_mirror(tmp_path / "mirror", name)
    with pytest.raises(InputError) as caught:
        acquire(datasets.get(name), tmp_path / "data", mirror=str(mirror))
    message = str(caught.value)
    assert str(mirror) in message
    assert re.search(rf"expected content sha256 {datasets.get(name).content_sha256}, found [0-9a-f]{{64}}", message)
    assert "on_mismatch: own" in message
    assert "--on-mismatch own" in message
    assert list((tmp_path / "data").iterdir()) == []


def test_other_content_is_accepted_as_own_only(tmp_path: Path) -> None:
    mirror = str(write_mirror(tmp_path / "mirror", "orl"))
    orl_ = datasets.get("orl")
    manifest = acquire(orl_, tmp_path / "data", mirror=mirror, on_mismatch="own")
    assert manifest.kind == "own"
    assert featurize(orl_, tmp_path / "data").provenance["kind"] == "own"
    assert manifest.terms != orl_.terms
    # Accepted data stay as long as they are accepted.
    assert acquire(orl_, tmp_path / "data", on_mismatch="own") == manifest
    with pytest.raises(InputError, match="expected content sha256"):
        acquire(orl_, tmp_path / "data", mirror=mirror)
    alone = replace(orl_, sources=orl_.sources[:1])
    with pytest.raises(InputError, match="only with on_mismatch: own"):
        acquire(alone, tmp_path / "data")
    assert acquire(orl_, tmp_path / "data", on_mismatch="own") == manifest
    assert acquire(invented("orl"), tmp_path / "data", mirror=mirror).kind == "real"
    assert acquire(datasets.get("iris"), tmp_path / "data", on_mismatch="own").kind == "real"


def test_a_set_that_was_taken_for_real_before_is_not_used(tmp_path: Path) -> None:
    """Data folders are older than the check."""
    mirror = str(write_mirror(tmp_path / "mirror", "orl"))
    assert acquire(invented("orl"), tmp_path / "data", mirror=mirror).kind == "real"
    with pytest.raises(InputError, match=r"(?s)expected content sha256.*hypercut data get orl --force"):
        featurize(datasets.get("orl"), tmp_path / "data")


# The fingerprint


def collection(rng: np.random.Generator) -> Collection:
    return numbered(rng.integers(0, 256, (6, 3, 4), dtype=np.uint8), np.arange(6) % 2)


def test_the_fingerprint_does_not_depend_on_order_or_type() -> None:
    first = collection(np.random.default_rng(0))
    shuffled = subset(first, np.array([3, 1, 5, 0, 2, 4]))
    floats = replace(first, items=[item.astype(float) for item in first.items], labels=first.labels.astype(np.uint8))
    signed = replace(floats, items=[np.where(item == 0, -0.0, item) for item in floats.items])
    assert len({content_sha256(each) for each in (first, shuffled, floats, signed)}) == 1


def test_the_fingerprint_depends_on_every_value_label_and_shape() -> None:
    first = collection(np.random.default_rng(0))
    pixel = [item.copy() for item in first.items]
    pixel[4][2, 1] ^= 1
    changed = [
        replace(first, items=pixel),
        replace(first, labels=first.labels[::-1].copy()),
        replace(first, items=[item.reshape(4, 3) for item in first.items]),
        subset(first, np.arange(5)),
    ]
    assert len({content_sha256(each) for each in (first, *changed)}) == 5


@pytest.mark.slow
def test_photographs_are_known_by_their_files_not_by_their_decoded_values(tmp_path: Path) -> None:
    """Another JPEG library may decode a value one off; another packing of the files is the same set."""
    members = corel_members()
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "test1.tar").write_bytes(tar_of(members))
    (tmp_path / "b" / "test1.tar").write_bytes(tar_of({"x/README": b"", **dict(reversed(members.items()))}))
    first, repacked = corel.read(tmp_path / "a"), corel.read(tmp_path / "b")
    decoded_otherwise = replace(first, items=[item ^ 1 for item in first.items])
    assert content_sha256(first) == content_sha256(repacked) == content_sha256(decoded_otherwise)
    other = {**members, "image.orig/7.jpg": image_bytes(np.zeros((256, 384, 3), dtype=np.uint8), "JPEG")}
    (tmp_path / "b" / "test1.tar").write_bytes(tar_of(other))
    assert content_sha256(corel.read(tmp_path / "b")) != content_sha256(first)
