"""The folder of a report is replaced as a whole; a foreign file in it is an error before anything changes."""

from pathlib import Path

import pytest

from hypercut.errors import InputError
from hypercut.report.folder import LIST, replaced_folder

FIRST = {"index.html": "one", "tables/a.csv": "1", "tables/gone.csv": "1"}
SECOND = {"index.html": "two", "tables/a.csv": "2", "figures/new.svg": "2"}


def build(out: Path, files: dict[str, str]) -> None:
    with replaced_folder(out) as folder:
        for name, text in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)


def contents(folder: Path) -> dict[str, str]:
    found = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}
    found.pop(LIST, None)
    return found


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A report."""
    build(tmp_path / "report", FIRST)
    return tmp_path / "report"


def test_a_report_replaces_the_one_before(out: Path) -> None:
    build(out, SECOND)
    assert contents(out) == SECOND
    assert [path.name for path in out.parent.iterdir()] == ["report"]


@pytest.mark.parametrize("name", ["notes.txt", "tables/mine.csv", "figures/new.svg", ".hidden"])
def test_a_file_of_a_user_is_an_error_before_anything_is_built(out: Path, name: str) -> None:
    (out / name).parent.mkdir(exist_ok=True)
    (out / name).write_text("mine")
    with pytest.raises(InputError, match=rf"report/{name}"), replaced_folder(out):
        pytest.fail("built")
    assert contents(out) == FIRST | {name: "mine"}


def test_a_folder_that_is_no_report_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(InputError, match="and 1 more: not written by hypercut"):
        build(tmp_path, SECOND)
    assert (tmp_path / "thesis.txt").exists()


def test_a_file_that_a_user_saved_meanwhile_is_an_error(out: Path) -> None:
    with pytest.raises(InputError, match=r"late\.txt"), replaced_folder(out):
        (out / "late.txt").write_text("mine")
    assert contents(out) == FIRST | {"late.txt": "mine"}


def test_an_interrupted_build_leaves_the_old_report(out: Path) -> None:
    def interrupted() -> None:
        with replaced_folder(out) as folder:
            (folder / "index.html").write_text("half of the n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert contents(out) == FIRST
    assert [path.name for path in out.parent.iterdir()] == ["report"]


def test_a_kill_leaves_the_old_or_the_new_report(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []

    def look(*_: object, **__: object) -> None:
        found.append(contents(out))

    monkeypatch.setattr("shutil.rmtree", look)  # deleting a folder is what takes time
    build(out, SECOND)
    assert all(files in (FIRST, SECOND) for files in found)
    assert contents(out) == SECOND
