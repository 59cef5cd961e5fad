"""Errors of the operating system, explained."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

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


@contextlib.contextmanager
def plain_disk_errors(folder: Path) -> Iterator[None]:
    """Explain an error in writing below a folder in plain words."""
    try:
        yield
    except OSError as error:
        trouble = _DISK_TROUBLE.get(error.errno or 0)
        if trouble is None:
            raise
        raise InputError(f"{error.filename or folder}: {trouble}, or choose another folder than {folder}.") from None
