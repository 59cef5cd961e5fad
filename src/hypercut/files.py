"""Writing files so that nobody ever sees half of one."""

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypercut.errors import InputError

_DISK_TROUBLE = {
    errno.ENOSPC: "the disk is full. Free some space",
    errno.EDQUOT: "the disk quota is used up. Free some space",
    errno.EROFS: "the disk is read-only. Make it writable",
    errno.EACCES: "writing there is not permitted. Change the permissions",
    errno.ENOTDIR: "there is a file where a folder should be. Remove it",
    errno.EEXIST: "there is a file where a folder should be. Remove it",
    errno.ENOENT: "no such file or folder, and none can be made there. Check the path",
}


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Give the name of a file beside ``path`` to write to; it takes its place when all went well, and goes when not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_json(path: Path, content: Any) -> None:
    """Write JSON for people to read."""
    with atomic_write(path) as part:
        part.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def canonical_json(content: Any) -> str:
    """Return JSON on one line, the same for equal content."""
    return json.dumps(content, sort_keys=True, ensure_ascii=False)


@contextmanager
def plain_disk_errors(folder: Path) -> Iterator[None]:
    """Explain an error in writing below a folder in plain words."""
    try:
        yield
    except OSError as error:
        trouble = _DISK_TROUBLE.get(error.errno or 0)
        if trouble is None:
            raise
        raise InputError(f"{error.filename or folder}: {trouble}, or choose another folder than {folder}.") from None
