"""Writing files atomically, and explaining why a file cannot be written."""

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypercut.errors import InputError

_WRITE_ERRORS = {
    errno.ENOSPC: "the disk is full. Free some space",
    errno.EDQUOT: "the disk quota is used up. Free some space",
    errno.EROFS: "the disk is read-only. Make it writable",
    errno.EACCES: "permission denied. Change the permissions",
    errno.ENOTDIR: "there is a file where a folder should be. Remove it",
    errno.EEXIST: "there is a file where a folder should be. Remove it",
    errno.ENOENT: "no such file or folder, and it cannot be created. Check the path",
}


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; it is renamed to ``path`` on success and deleted on failure."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_json(path: Path, content: Any) -> None:
    """Write indented JSON atomically."""
    with atomic_write(path) as part:
        part.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def canonical_json(content: Any) -> str:
    """Return JSON on one line, identical for equal content."""
    return json.dumps(content, sort_keys=True, ensure_ascii=False)


@contextmanager
def explain_write_errors(folder: Path) -> Iterator[None]:
    """Turn an operating system error on writing below ``folder`` into an InputError that says what to do."""
    try:
        yield
    except OSError as error:
        explanation = _WRITE_ERRORS.get(error.errno or 0)
        if explanation is None:
            raise
        raise InputError(
            f"{error.filename or folder}: {explanation}, or choose another folder than {folder}."
        ) from None
