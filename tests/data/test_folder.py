"""The data folder is the user's: what hypercut did not put there it neither removes nor overwrites."""

import contextlib
import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hypercut.data import datasets
from hypercut.data import installation as _installation
from hypercut.data.acquisition import acquire
from hypercut.data.datasets import Dataset, resolve
from hypercut.data.featurizing import check, featurize
from hypercut.data.manifest import Manifest, find_manifest
from hypercut.data.sources import Generated
from hypercut.errors import InputError
from tests.data.originals import ORIGINALS, invented, orl, write_mirror


def alone(name: str) -> Dataset:
    """A dataset that comes from a mirror or not at all."""
    dataset = invented(name)
    return replace(dataset, sources=dataset.sources[:1])


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# Foreign files


@pytest.mark.parametrize("force", [False, True])
def test_a_users_files_beside_a_dataset_stay(tmp_path: Path, force: bool) -> None:
    home = tmp_path / "data" / "orl"
    (home / "papers").mkdir(parents=True)
    (home / "notes.txt").write_text("mine")
    (home / "papers" / "samaria.pdf").write_text("mine too")
    mirror = str(write_mirror(tmp_path / "mirror", "orl"))
    for _ in range(2):
        acquire(alone("orl"), tmp_path / "data", mirror=mirror, force=force)
        assert (home / "notes.txt").read_text() == "mine"
        assert (home / "papers" / "samaria.pdf").read_text() == "mine too"
    assert find_manifest("orl", tmp_path / "data").kind == "real"


def test_a_stand_in_that_gives_way_takes_no_file_along(tmp_path: Path) -> None:
    home = tmp_path / "data" / "yaleb"
    acquire(alone("yaleb"), tmp_path / "data", on_missing="standin")
    (home / "notes.txt").write_text("mine")
    manifest = acquire(alone("yaleb"), tmp_path / "data", mirror=str(write_mirror(tmp_path / "mirror", "yaleb")))
    assert manifest.kind == "real"
    assert contents(home).keys() == {"notes.txt", "manifest.json", "raw/CroppedYale.zip"}


@pytest.mark.parametrize("place", ["att_faces.zip", "raw/att_faces.zip"])
def test_originals_in_the_folder_of_the_dataset_are_used(tmp_path: Path, place: str) -> None:
    home = tmp_path / "data" / "orl"
    (home / place).parent.mkdir(parents=True)
    (home / place).write_bytes(orl()["att_faces.zip"])
    manifest = acquire(alone("orl"), tmp_path / "data")
    assert manifest.kind == "real"
    assert str((home / place).parent) in manifest.source
    assert (home / place).read_bytes() == orl()["att_faces.zip"]
    check(invented("orl"), tmp_path / "data")


def test_originals_in_the_folder_replace_a_stand_in(tmp_path: Path) -> None:
    acquire(alone("yaleb"), tmp_path / "data", on_missing="standin")
    (tmp_path / "data" / "yaleb" / "CroppedYale.zip").write_bytes(ORIGINALS["yaleb"]()["CroppedYale.zip"])
    assert acquire(alone("yaleb"), tmp_path / "data", on_missing="standin").kind == "real"


@pytest.mark.parametrize("in_the_way", ["raw/att_faces.zip", "raw/att_faces.zip/inside", "raw"])
def test_a_foreign_file_in_the_way_is_an_error(tmp_path: Path, in_the_way: str) -> None:
    path = tmp_path / "data" / "orl" / in_the_way
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    mirror = str(write_mirror(tmp_path / "mirror", "orl"))
    before = contents(tmp_path / "data")
    with pytest.raises(InputError) as caught:
        acquire(alone("orl"), tmp_path / "data", mirror=mirror)
    assert str(tmp_path / "data" / "orl" / "raw") in str(caught.value)
    assert "did not put it there" in str(caught.value)
    assert "ove" in str(caught.value)
    assert contents(tmp_path / "data") == before


@pytest.mark.parametrize(
    ("leads_to", "listed"),
    [("the same file", True), ("nothing", True), ("the same file", False), ("another file", False), ("nothing", False)],
)
def test_a_link_in_the_way_is_an_error(tmp_path: Path, leads_to: str, listed: bool) -> None:
    """hypercut puts no links there, so it is the user's, whatever it leads to."""
    mirror = str(write_mirror(tmp_path / "mirror", "orl"))
    link, target = tmp_path / "data" / "orl" / "raw" / "att_faces.zip", tmp_path / "target.zip"
    if listed:
        acquire(alone("orl"), tmp_path / "data", mirror=mirror)
        link.unlink()
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target)
    if leads_to != "nothing":
        target.write_bytes(orl()["att_faces.zip"] if leads_to == "the same file" else b"mine")
    with pytest.raises(InputError, match=r"att_faces\.zip: in the way of new files"):
        acquire(alone("orl"), tmp_path / "data", mirror=mirror, force=True)
    assert link.readlink() == target


def test_a_lost_manifest_is_made_again_over_the_same_files(tmp_path: Path) -> None:
    mirror = str(write_mirror(tmp_path / "mirror", "orl"))
    first = acquire(alone("orl"), tmp_path / "data", mirror=mirror)
    (tmp_path / "data" / "orl" / "manifest.json").unlink()
    assert acquire(alone("orl"), tmp_path / "data", mirror=mirror).files == first.files


def test_unlisted_files_among_the_raw_ones_are_not_read(tmp_path: Path) -> None:
    """A reader takes what it finds, such as an archive before single pictures: it must find recorded files only."""
    acquire(datasets.get("iris"), tmp_path)
    (tmp_path / "iris" / "raw" / ".hidden").touch()
    featurize(datasets.get("iris"), tmp_path)
    (tmp_path / "iris" / "raw" / "more.npz").write_text("mine")
    with pytest.raises(InputError, match=r"raw/more\.npz: not in the manifest.*Move it"):
        featurize(datasets.get("iris"), tmp_path)


# Files that changed


def longer(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("change", [longer, flipped])
@pytest.mark.parametrize("force", [False, True])
def test_a_changed_file_is_neither_used_nor_replaced(
    tmp_path: Path, change: Callable[[Path], None], force: bool
) -> None:
    mirror = str(write_mirror(tmp_path / "mirror", "yaleb"))
    acquire(alone("yaleb"), tmp_path / "data", mirror=mirror)
    path = tmp_path / "data" / "yaleb" / "raw" / "CroppedYale.zip"
    change(path)
    before = contents(tmp_path / "data")
    for source in (mirror, None):
        with pytest.raises(InputError) as caught:
            acquire(alone("yaleb"), tmp_path / "data", mirror=source, on_missing="standin", force=force)
        assert str(path) in str(caught.value)
        assert "changed since" in str(caught.value)
        assert "delete" in str(caught.value)
        assert contents(tmp_path / "data") == before
    with pytest.raises(InputError, match=r"CroppedYale\.zip: changed since.*expected .*, found"):
        featurize(invented("yaleb"), tmp_path / "data")
    path.unlink()
    acquire(alone("yaleb"), tmp_path / "data", mirror=mirror)
    check(invented("yaleb"), tmp_path / "data")


def test_a_real_set_that_lost_a_file_does_not_become_a_stand_in(tmp_path: Path) -> None:
    acquire(alone("yaleb"), tmp_path / "data", mirror=str(write_mirror(tmp_path / "mirror", "yaleb")))
    (tmp_path / "data" / "yaleb" / "raw" / "CroppedYale.zip").unlink()
    with pytest.raises(InputError, match=r"(?s)CroppedYale\.zip.*missing.*manifest\.json"):
        acquire(alone("yaleb"), tmp_path / "data", on_missing="standin")
    (tmp_path / "data" / "yaleb" / "manifest.json").unlink()
    assert acquire(alone("yaleb"), tmp_path / "data", on_missing="standin").kind == "stand-in"


def test_own_files_that_changed_are_noticed(tmp_path: Path) -> None:
    table = tmp_path / "my.csv"
    table.write_text("a,b,kind\n1,2,x\n3,4,y\n5,6,x\n")
    mine, _ = resolve("mine", {"path": str(table), "label_column": "kind"})
    acquire(mine, tmp_path / "data")
    first = featurize(mine, tmp_path / "data")
    for text in ("a,b,kind\n1,2,x\n3,4,y\n5,7,x\n", "a,b,kind\n1,2,x\n3,4,y\n5,6,x\n7,8,y\n"):
        table.write_text(text)
        with pytest.raises(InputError, match=r"my\.csv: changed since.*expected.*found.*hypercut data get mine"):
            featurize(mine, tmp_path / "data")
    acquire(mine, tmp_path / "data")
    assert featurize(mine, tmp_path / "data").provenance["files_sha256"] != first.provenance["files_sha256"]


# Old or new, never half


def swaps() -> tuple[Dataset, Dataset]:
    """Two versions of a dataset, with different files."""
    iris = replace(datasets.get("iris"), content_sha256=None, classes=None)

    def relabelled() -> object:
        collection = iris.sources[0].generate()
        return replace(collection, labels=collection.labels[::-1].copy())

    return iris, replace(iris, sources=(Generated(relabelled, "real", "second", "2"),))


class Killed(BaseException):
    """What nothing catches."""


@pytest.mark.parametrize("after", range(6))
@pytest.mark.parametrize("cleans_up", [True, False], ids=["interrupted", "killed"])
def test_a_kill_leaves_the_old_or_the_new_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int, cleans_up: bool
) -> None:
    old, new = swaps()
    first = acquire(old, tmp_path)
    (tmp_path / "iris" / "notes.txt").write_text("mine")
    moved: list[Path] = []
    move = _installation._move

    def move_or_die(source: Path, target: Path) -> None:
        if len(moved) == after:
            raise Killed
        moved.append(target)
        move(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(_installation, "_move", move_or_die)
        if not cleans_up:
            patched.setattr(_installation, "_clear", lambda folder: None)
        with contextlib.suppress(Killed):
            acquire(new, tmp_path, force=True)
    assert len(moved) == min(after, 5)
    found = acquire(old, tmp_path)
    check(old, tmp_path)
    assert found.version == (first.version if after == 0 else "2")
    assert (tmp_path / "iris" / "notes.txt").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["iris"]


def not_permitted_after(moves: int) -> Callable[[Path, Path], None]:
    """A replacement for ``_move`` that does so many moves, then fails once, then works again.

    Permissions do not bind root, so a test cannot rely on them.
    """
    targets: list[Path] = []
    move = _installation._move

    def move_or_fail(source: Path, target: Path) -> None:
        targets.append(target)
        if len(targets) == moves + 1:
            raise PermissionError(errno.EACCES, "Permission denied", str(target))
        move(source, target)

    return move_or_fail


@pytest.mark.parametrize(
    ("before", "moves"),
    [
        (before, moves)
        for before, needed in (("old", 5), ("none", 3), ("no manifest", 4), ("other files", 5))
        for moves in range(needed)
    ],
)
def test_a_command_that_fails_changes_nothing_then_or_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, moves: int
) -> None:
    old, new = swaps()
    home = tmp_path / "iris"
    if before != "none":
        acquire(old, tmp_path)
        (home / "notes.txt").write_text("mine")
    if before == "no manifest":
        (home / "manifest.json").unlink()
        new = old
    if before == "other files":
        rename_listed(home, "raw/collection.npz", "raw/s1/old.npz")
    kept = contents(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(_installation, "_move", not_permitted_after(moves))
        with pytest.raises(InputError, match="permission denied"):
            acquire(new, tmp_path, force=True)
    assert contents(tmp_path) == kept
    assert {path.name for path in tmp_path.iterdir()} == ({"iris"} if before != "none" else set())
    _installation.finish_interrupted(tmp_path / ".iris.part", home)
    assert contents(tmp_path) == kept


def test_a_failed_command_that_cannot_be_undone_is_finished_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = swaps()
    acquire(old, tmp_path)
    targets: list[Path] = []
    move = _installation._move

    def move_or_fail(source: Path, target: Path) -> None:
        targets.append(target)
        if len(targets) > 3:
            raise PermissionError(errno.EACCES, "Permission denied", str(target))
        move(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(_installation, "_move", move_or_fail)
        with pytest.raises(InputError, match="permission denied"):
            acquire(new, tmp_path, force=True)
    assert acquire(old, tmp_path).version == "2"
    check(old, tmp_path)


def test_a_file_in_the_place_of_the_datasets_folder(tmp_path: Path) -> None:
    (tmp_path / "iris").write_text("mine")
    with pytest.raises(InputError, match=r"iris.*file where a folder should be"):
        acquire(datasets.get("iris"), tmp_path)
    assert contents(tmp_path) == {"iris": b"mine"}


def rename_listed(home: Path, old: str, new: str) -> None:
    """Give a file of the manifest another path."""
    content = json.loads((home / "manifest.json").read_text())
    [file] = [file for file in content["files"] if file["path"] == old]
    file["path"] = new
    (home / new).parent.mkdir(parents=True)
    os.rename(home / old, home / new)
    (home / "manifest.json").write_text(json.dumps(content))


def test_empty_folders_of_the_old_files_go(tmp_path: Path) -> None:
    mirror = str(write_mirror(tmp_path / "mirror", "orl"))
    home = tmp_path / "data" / "orl"
    acquire(alone("orl"), tmp_path / "data", mirror=mirror)
    rename_listed(home, "raw/att_faces.zip", "raw/s1/old.zip")
    acquire(alone("orl"), tmp_path / "data", mirror=mirror, force=True)
    assert {path.name for path in (home / "raw").iterdir()} == {"att_faces.zip"}


# Which code made generated data


def generated(calls: list[int]) -> Dataset:
    iris = datasets.get("iris")

    def make() -> object:
        calls.append(1)
        return iris.sources[0].generate()

    return replace(iris, content_sha256=None, sources=(Generated(make, "generated", "generator", "1"),))


def test_generated_data_record_the_code_and_follow_it(tmp_path: Path) -> None:
    calls: list[int] = []
    dataset = generated(calls)
    assert acquire(dataset, tmp_path, code="abc").code == "abc"
    assert acquire(dataset, tmp_path, code="abc").code == "abc"
    assert acquire(dataset, tmp_path).code == "abc"
    assert len(calls) == 1
    assert acquire(dataset, tmp_path, code="def").code == "def"
    assert len(calls) == 2
    assert find_manifest("iris", tmp_path).code == "def"


def test_stand_ins_record_the_code_and_follow_it(tmp_path: Path) -> None:
    calls: list[int] = []
    [made] = generated(calls).sources
    dataset = replace(datasets.get("iris"), sources=(), stand_in=replace(made, kind="stand-in"))
    for code, made_so_far in (("abc", 1), ("abc", 1), ("", 1), ("def", 2)):
        assert acquire(dataset, tmp_path, on_missing="standin", code=code).code == (code or "abc")
        assert len(calls) == made_so_far


@pytest.mark.slow
def test_the_step_generates_again_unless_the_code_is_known_to_be_the_same(tmp_path: Path) -> None:
    def made_anew(code: str) -> bool:
        arguments = ["traj", "--module", "hypercut.data.datasets.traj", "--root", str(tmp_path), "--code", code]
        command = [sys.executable, "-m", "hypercut.steps.acquire", *arguments]
        file = tmp_path / "traj" / "raw" / "collection.npz"
        before = file.stat().st_ino if file.exists() else None
        subprocess.run([*command, "--on-missing", "fail", "--on-mismatch", "fail"], check=True)
        return file.stat().st_ino != before

    assert [made_anew(code) for code in ("abc", "abc", "def", "")] == [True, False, True, True]


def test_real_data_record_no_code(tmp_path: Path) -> None:
    assert acquire(datasets.get("iris"), tmp_path, code="abc").code == ""


def test_a_manifest_of_before_has_no_code(tmp_path: Path) -> None:
    acquire(datasets.get("iris"), tmp_path)
    path = tmp_path / "iris" / "manifest.json"
    content = json.loads(path.read_text())
    del content["code"]
    path.write_text(json.dumps(content))
    manifest = find_manifest("iris", tmp_path)
    assert isinstance(manifest, Manifest)
    assert manifest.code == ""
