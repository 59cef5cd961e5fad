"""Putting new files of a dataset in the place of old ones: all of them or none, and nothing that is not hypercut's.

The new files are collected in a hidden folder beside the dataset's. Once that is complete it is renamed to ``ready``,
and from then on the change is carried out: if this process is killed, by the next one, which finds ``ready``. The
manifest is taken away first and put in place last, so nobody takes half of a change for a dataset.
"""

import contextlib
import fcntl
import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from hypercut.datasets._manifest import FILE_NAME, checksum, read_manifest
from hypercut.errors import InputError

_log = logging.getLogger(__name__)


@contextlib.contextmanager
def staging(stage: Path) -> Iterator[Path]:
    """An empty folder for the new files, gone at the end unless it is ready to be put in place."""
    _clear(stage)
    (stage / "new").mkdir(parents=True)
    try:
        yield stage / "new"
    finally:
        if not _is_ready(stage):
            _clear(stage)


def put_in_place(stage: Path, home: Path) -> None:
    """Replace the files of the manifest in ``home`` with the new ones."""
    _refuse_foreign(stage / "new", home / FILE_NAME, home)
    _move(stage / "new", stage / "ready")
    _carry_out(stage, home)


def finish_interrupted(stage: Path, home: Path) -> None:
    """Carry out what a killed process had begun to put in place, and clear away anything else that it left."""
    if _is_ready(stage):
        replaced = stage / "replaced.json"
        _refuse_foreign(stage / "ready", replaced if replaced.exists() else home / FILE_NAME, home)
        _carry_out(stage, home)
    _clear(stage)


def _is_ready(stage: Path) -> bool:
    return (stage / "ready" / FILE_NAME).exists()


def _carry_out(stage: Path, home: Path) -> None:
    """Every step may be the last one before a kill, and is left out where it was done before."""
    ready, replaced = stage / "ready", stage / "replaced.json"
    if not replaced.exists() and (home / FILE_NAME).exists():
        _move(home / FILE_NAME, replaced)
    new = _inside(ready / FILE_NAME)
    for path in _inside(replaced):
        if path not in new:
            (home / path).unlink(missing_ok=True)
            _remove_empty_folders(home / path, home)
    for path in new:
        if (ready / path).exists():
            _move(ready / path, home / path)
    _move(ready / FILE_NAME, home / FILE_NAME)


def _refuse_foreign(new: Path, old_manifest: Path, home: Path) -> None:
    """Stop if the change would touch a file that hypercut did not put there, or not with this content."""
    for folder in (home, home / "raw"):
        if folder.is_dir() and folder.stat().st_dev != new.stat().st_dev:
            raise InputError(
                f"{folder}: is on another disk than {new.parent.parent}, and files are put in place by renaming. "
                "Move the whole data folder to that disk."
            )
    old, wanted = _inside(old_manifest), _inside(new / FILE_NAME)
    foreign = []
    for path in sorted({*old, *wanted}):
        target = home / path
        if target.is_file():
            if checksum(target) not in (old.get(path), wanted.get(path)):
                foreign.append(target)
        elif path in wanted:
            # A folder in the place of the file, or a file in the place of a folder that it is in.
            foreign += [target] if target.is_dir() else [folder for folder in _above(target, home) if folder.is_file()]
    if foreign:
        raise InputError(
            f"{', '.join(map(str, foreign))}: stands where new files must go, and hypercut did not put there what is "
            "there now. Move it away, then run again."
        )


def _inside(manifest: Path) -> dict[str, str]:
    """The checksums, by path, of the files below the dataset's folder that a manifest lists, if there is one."""
    if not manifest.exists():
        return {}
    return {file.path: file.sha256 for file in read_manifest(manifest).inside}


def _above(path: Path, home: Path) -> list[Path]:
    """The folders that a path is in, below the dataset's folder, innermost first."""
    return [parent for parent in path.parents if parent.is_relative_to(home) and parent != home]


def _remove_empty_folders(path: Path, home: Path) -> None:
    with contextlib.suppress(OSError):  # the first that is not empty
        for folder in _above(path, home):
            folder.rmdir()


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    source.replace(target)


def _clear(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def locked(path: Path, name: str) -> Iterator[None]:
    """Hold a lock file; the kernel frees it if the process dies, and it is removed at the end."""
    with contextlib.ExitStack() as stack:
        while True:
            handle = stack.enter_context(path.open("w"))
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                _log.info("%s: another process is fetching it, waiting", name)
                fcntl.flock(handle, fcntl.LOCK_EX)
            if _is_still(path, handle.fileno()):
                break
            stack.close()
        # Removed before it is freed: whoever gets it then sees that it is gone, and asks again.
        stack.callback(path.unlink)
        yield


def _is_still(path: Path, handle: int) -> bool:
    """Whether an open file is the one at the path now."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
