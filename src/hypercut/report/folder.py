"""The folder of a report belongs to hypercut: it is replaced as a whole, and holds no files of others."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypercut.errors import InputError

#: The file that lists the files of a report.
LIST = ".hypercut-report"


@contextmanager
def replaced_folder(out: Path) -> Iterator[Path]:
    """Yield a new folder to fill, beside ``out``, and replace ``out`` by it on success."""
    out = out.resolve()
    part, old = (out.with_name(f".{out.name}.{state}") for state in ("part", "old"))
    _check(out)
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        yield part
        (part / LIST).write_text(json.dumps({"files": _files(part)}, indent=0) + "\n", encoding="utf-8")
        _check(out)  # again: building takes a while
        shutil.rmtree(old, ignore_errors=True)
        if out.exists():
            out.rename(old)  # deleting takes a while, during which a kill would leave half a report
        part.rename(out)
    finally:
        for folder in (part, old):
            shutil.rmtree(folder, ignore_errors=True)


def _check(out: Path) -> None:
    """Raise an error if the folder has files that are not of a report."""
    if out.is_file():
        raise InputError(f"{out} is a file. Specify a folder for the report.")
    own = set()
    if (out / LIST).exists():
        own = {LIST, *json.loads((out / LIST).read_text(encoding="utf-8"))["files"]}
    foreign = [name for name in _files(out) if name not in own]
    if foreign:
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise InputError(
            f"{out / foreign[0]}{more}: not written by hypercut, which replaces the whole folder of a report. Move it "
            "elsewhere, or specify another folder for the report."
        )


def _files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
