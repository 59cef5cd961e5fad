"""The folder of a report: built beside, then put in place as a whole."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypercut.errors import InputError

#: Tells that a folder is a report, all of it ours, and may be replaced.
MARKER = ".hypercut-report"


@contextmanager
def replaced_folder(out: Path) -> Iterator[Path]:
    """Give a new folder to fill, and put it in the place of ``out`` when all went well.

    Whoever looks at ``out`` finds the old report, the new one, or for an instant none; never a half-written one. A
    folder that holds anything but a report is refused: replacing it would delete what is in it.
    """
    out = out.resolve()
    if out.exists() and not (out / MARKER).exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: expected a new or empty folder, or an earlier report. Choose another place.")
    out.parent.mkdir(parents=True, exist_ok=True)
    part, old = (out.with_name(f".{out.name}.{os.getpid()}.{what}") for what in ("part", "old"))
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    try:
        (part / MARKER).touch()
        yield part
        if out.exists():
            out.rename(old)
        part.rename(out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
