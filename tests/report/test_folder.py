"""The folder of a report: replaced as a whole, and nothing in it that hypercut did not write is lost."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from hypercut.errors import InputError
from hypercut.report import folder as module
from hypercut.report.folder import MARKER, replaced_folder

FIRST = {"index.html": "one", "tables/a.csv": "1", "tables/gone.csv": "1"}
SECOND = {"index.html": "two", "tables/a.csv": "2", "figures/new.svg": "2"}
DEAD = 2**22 + 1
"""the number of no process: above the largest that Linux gives"""


def build(out: Path, files: dict[str, str]) -> None:
    with replaced_folder(out) as folder:
        for name, text in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)


def contents(folder: Path) -> dict[str, str]:
    found = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}
    found.pop(MARKER, None)
    return found


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A report."""
    build(tmp_path / "report", FIRST)
    return tmp_path / "report"


def add(out: Path, *names: str) -> dict[str, str]:
    """Put files of a user into a report."""
    for name in names:
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text(f"mine: {name}")
    return {name: f"mine: {name}" for name in names}


def test_files_of_a_user_stay(out: Path) -> None:
    mine = add(out, "notes.txt", "tables/mine.csv", "own/draft.tex", ".hidden")
    (out / "empty").mkdir()
    (out / "link").symlink_to("notes.txt")
    (out / "folder").symlink_to("own")
    (out / "dangling").symlink_to("nowhere")
    inode = (out / "notes.txt").stat().st_ino
    build(out, SECOND)
    shutil.rmtree(out / "empty")
    assert os.readlink(out / "dangling") == "nowhere"
    assert os.readlink(out / "folder") == "own"
    assert contents(out) == SECOND | mine | {"link": mine["notes.txt"]}
    assert (out / "notes.txt").stat().st_ino == inode
    assert [path.name for path in out.parent.iterdir()] == ["report"]
    build(out, FIRST)
    assert mine.items() <= contents(out).items()


def test_a_file_system_without_hard_links(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    mine = add(out, "own/draft.tex")
    (out / "link").symlink_to("nowhere")
    monkeypatch.setattr(os, "link", refuse)
    build(out, SECOND)
    assert contents(out) == SECOND | mine
    assert os.readlink(out / "link") == "nowhere"


@pytest.mark.parametrize("name", ["figures/new.svg", "figures"])
def test_a_file_in_the_way_of_a_new_one_is_an_error(out: Path, name: str) -> None:
    mine = add(out, name)
    with pytest.raises(InputError, match=rf"report/{name} is in the way of the new report"):
        build(out, SECOND)
    assert contents(out) == FIRST | mine
    assert [path.name for path in out.parent.iterdir()] == ["report"]


def test_a_folder_in_the_way_of_a_new_file_is_an_error(out: Path) -> None:
    (out / "figures").mkdir()
    mine = add(out, "figures/new.svg/mine.txt")
    with pytest.raises(InputError, match=r"report/figures/new\.svg is in the way of the new report"):
        build(out, SECOND)
    assert contents(out) == FIRST | mine


def test_a_changed_file_is_an_error_before_anything_is_built(out: Path) -> None:
    mine = add(out, "tables/a.csv")
    with pytest.raises(InputError, match=r"tables/a\.csv was changed since hypercut wrote it"), replaced_folder(out):
        pytest.fail("built")
    assert contents(out) == FIRST | mine


def test_a_file_that_snakemake_removed_is_written_again(out: Path) -> None:
    (out / "index.html").unlink()
    build(out, SECOND)
    assert contents(out) == SECOND


def test_report_of_a_version_that_did_not_list_its_files(out: Path) -> None:
    mine = add(out, "notes.txt")
    (out / MARKER).write_text("")
    build(out, SECOND)
    assert contents(out) == SECOND | mine | {"tables/gone.csv": "1"}


def test_marker_that_cannot_be_read(out: Path) -> None:
    (out / MARKER).write_text("rubbish")
    with pytest.raises(InputError, match="could not be read"):
        build(out, SECOND)
    assert contents(out) == FIRST


class Killed(BaseException):
    """Stands for SIGKILL: nothing is tidied up after it."""


@pytest.mark.parametrize("dies_at", range(1, 10))
def test_a_kill_at_any_time_loses_nothing(out: Path, monkeypatch: pytest.MonkeyPatch, dies_at: int) -> None:
    """The old or the new report is there after the next build, and files of the user are there in any case."""
    mine = add(out, "notes.txt", "own/draft.tex")
    calls = 0

    def mortal(function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            nonlocal calls
            calls += 1
            if calls == dies_at:
                raise Killed
            return function(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: DEAD)
        patch.setattr(os, "link", mortal(os.link))
        patch.setattr(Path, "rename", mortal(Path.rename))
        patch.setattr(Path, "unlink", mortal(Path.unlink))
        patch.setattr(module, "_tidy_up", lambda *_: None)
        with pytest.raises(Killed):
            build(out, SECOND)
    # What the workflow does at the end of the run.
    for path in out.parent.glob(f".*.{DEAD}.*"):
        if path.suffix in (".part", ".old"):
            shutil.rmtree(path)
    if out.exists():
        assert contents(out) in (FIRST | mine, SECOND | mine)
    with pytest.raises(ZeroDivisionError), replaced_folder(out):
        raise ZeroDivisionError
    assert contents(out) in (FIRST | mine, SECOND | mine)
    assert [path.name for path in out.parent.iterdir()] == ["report"]


def test_a_file_saved_at_the_last_moment_stays(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at the old folder and its replacement."""
    mine, rename = add(out, "notes.txt"), Path.rename

    def late(self: Path, target: Path) -> Path:
        if self == out:
            add(out, "late.txt", "index.html")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", late)
    build(out, SECOND)
    late_files = {"late.txt": "mine: late.txt", "index.html.kept": "mine: index.html"}
    assert contents(out) == SECOND | mine | late_files


def test_a_swap_that_fails_leaves_the_old_report(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, rename = add(out, "notes.txt"), Path.rename

    def fail(self: Path, target: Path) -> Path:
        if self.suffix == ".part":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OSError, match="No space left"):
        build(out, SECOND)
    assert contents(out) == FIRST | mine
    assert [path.name for path in out.parent.iterdir()] == ["report"]


def test_the_folder_of_a_process_at_work_is_left_alone(out: Path) -> None:
    other = out.with_name(f".report.{os.getppid()}.replaced")
    shutil.copytree(out, other)
    build(out, SECOND)
    assert contents(other) == FIRST
