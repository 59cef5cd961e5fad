"""hypercut neither removes nor overwrites files in the data folder that it did not write."""

import contextlib
import errno
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hypercut.data import datasets
from hypercut.data import store as _store
from hypercut.data.datasets import Dataset, resolve
from hypercut.data.featurizing import check, featurize
from hypercut.data.sources import Generated
from hypercut.data.store import acquire, find_manifest
from hypercut.errors import InputError
from tests.data.originals import invented, orl, write_mirror


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


def test_originals_in_the_folder_of_the_dataset_are_used(tmp_path: Path) -> None:
    original = write_mirror(tmp_path / "data", "orl") / "orl" / "att_faces.zip"
    manifest = acquire(alone("orl"), tmp_path / "data")
    assert manifest.kind == "real"
    assert manifest.source == f"mirror {tmp_path / 'data'}"
    assert original.read_bytes() == orl()["att_faces.zip"]
    check(invented("orl"), tmp_path / "data")


@pytest.mark.parametrize("in_the_way", ["raw/att_faces.zip", "raw/att_faces.zip/inside", "raw/notes.txt", "raw"])
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
    assert contents(tmp_path / "data") == before


@pytest.mark.parametrize(
    ("leads_to", "listed"),
    [("the same file", True), ("nothing", False), ("another file", False)],
)
def test_a_link_in_the_way_is_an_error(tmp_path: Path, leads_to: str, listed: bool) -> None:
    """hypercut creates no links, so a link belongs to the user, wherever it leads."""
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
    """Readers look files up by name, an archive before single pictures, so they must find only recorded files."""
    acquire(datasets.get("iris"), tmp_path)
    (tmp_path / "iris" / "raw" / ".hidden").touch()
    featurize(datasets.get("iris"), tmp_path)
    (tmp_path / "iris" / "raw" / "more.npz").write_text("mine")
    with pytest.raises(InputError, match=r"raw/more\.npz: not in the manifest.*Move it"):
        featurize(datasets.get("iris"), tmp_path)


# Files that changed


@pytest.mark.parametrize("force", [False, True])
def test_a_changed_file_is_neither_used_nor_replaced(tmp_path: Path, force: bool) -> None:
    mirror = str(write_mirror(tmp_path / "mirror", "yaleb"))
    acquire(alone("yaleb"), tmp_path / "data", mirror=mirror)
    path = tmp_path / "data" / "yaleb" / "raw" / "CroppedYale.zip"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
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


def test_a_real_set_does_not_become_a_stand_in(tmp_path: Path) -> None:
    before = acquire(alone("yaleb"), tmp_path / "data", mirror=str(write_mirror(tmp_path / "mirror", "yaleb")))
    assert acquire(alone("yaleb"), tmp_path / "data", on_missing="standin") == before
    with pytest.raises(InputError, match="left unchanged"):
        acquire(alone("yaleb"), tmp_path / "data", on_missing="standin", force=True)
    (tmp_path / "data" / "yaleb" / "raw" / "CroppedYale.zip").unlink()
    with pytest.raises(InputError, match=r"manifest\.json"):
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
    """An error that no code catches."""


def fail_after(monkeypatch: pytest.MonkeyPatch, steps: int, error: BaseException, cleans: bool = True) -> list[object]:
    """Let one of the renames and deletions fail; return the steps that were done."""
    done: list[object] = []

    def failing(step: Callable[..., object]) -> Callable[..., object]:
        def step_or_fail(*arguments: object, **options: object) -> object:
            if options:  # deletes what is left
                return step(*arguments, **options) if cleans else None
            if len(done) == steps:
                raise error
            done.append(arguments)
            return step(*arguments)

        return step_or_fail

    monkeypatch.setattr(Path, "rename", failing(Path.rename))
    monkeypatch.setattr(Path, "replace", failing(Path.replace))
    monkeypatch.setattr(_store.shutil, "rmtree", failing(_store.shutil.rmtree))
    return done


@pytest.mark.parametrize("after", range(5))
@pytest.mark.parametrize("before", ["old", "none"])
def test_a_killed_process_leaves_the_old_or_the_new_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: int
) -> None:
    old, new = swaps()
    first = acquire(old, tmp_path) if before == "old" else None
    (tmp_path / "iris").mkdir(exist_ok=True)
    (tmp_path / "iris" / "notes.txt").write_text("mine")
    with monkeypatch.context() as patched:
        done = fail_after(patched, after, Killed(), cleans=False)
        with contextlib.suppress(Killed):
            acquire(new, tmp_path, force=True)
        assert len(done) == min(after, 4 if before == "old" else 3)
        if len(done) in (2, 3) and before == "old":
            with pytest.raises(InputError, match=r"missing|changed since"):
                check(old, tmp_path)
    found = acquire(old, tmp_path)
    check(old, tmp_path)
    # Files are final once their manifest has been renamed.
    assert found.version == ("2" if after else first.version if first else old.sources[0].version)
    assert contents(tmp_path).keys() == {"iris/manifest.json", "iris/notes.txt", "iris/raw/collection.npz"}


@pytest.mark.parametrize("after", range(4))
def test_a_command_that_fails_changes_nothing_or_is_finished_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """Permissions do not bind root, so a test cannot rely on them."""
    old, new = swaps()
    acquire(old, tmp_path)
    kept = contents(tmp_path)
    with monkeypatch.context() as patched:
        fail_after(patched, after, PermissionError(errno.EACCES, "Permission denied"))
        with pytest.raises(InputError, match="permission denied"):
            acquire(new, tmp_path, force=True)
    assert after or contents(tmp_path) == kept
    assert acquire(old, tmp_path).version == ("2" if after else old.sources[0].version)
    check(old, tmp_path)


def test_a_file_in_the_place_of_the_datasets_folder(tmp_path: Path) -> None:
    (tmp_path / "iris").write_text("mine")
    with pytest.raises(InputError, match=r"iris.*file where a folder should be"):
        acquire(datasets.get("iris"), tmp_path)
    assert contents(tmp_path) == {"iris": b"mine"}


# Which code made generated data


def generated(calls: list[int]) -> Dataset:
    iris = datasets.get("iris")

    def make() -> object:
        calls.append(1)
        return iris.sources[0].generate()

    return replace(iris, content_sha256=None, sources=(Generated(make, "generated", "generator", "1"),))


@pytest.mark.parametrize("kind", ["generated", "stand-in", "real"])
def test_generated_data_follow_their_code(tmp_path: Path, kind: str) -> None:
    calls: list[int] = []
    made = replace(generated(calls).sources[0], kind=kind)
    sources = {"sources": (), "stand_in": made} if kind == "stand-in" else {"sources": (made,)}
    dataset = replace(generated(calls), **sources)
    for code, made_so_far in (("abc", 1), ("abc", 1), ("", 1), ("def", 1 if kind == "real" else 2)):
        recorded = "" if kind == "real" else code or "abc"
        assert acquire(dataset, tmp_path, on_missing="standin", code=code).code == recorded
        assert len(calls) == made_so_far
