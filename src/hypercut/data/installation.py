"""Replacing the files of a dataset: all of them or none, and no file that hypercut did not put there.

New files are collected in a hidden *stage* folder next to the dataset's. When complete, ``stage/new`` is renamed to
``stage/ready``, which commits the change: if this process is killed, the next one finds ``ready`` and finishes. If a
move fails, the moves before it are undone. The manifest is moved away first and put in place last, so a half-finished
change is never taken for a dataset.
"""

import contextlib
import itertools
import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from hypercut.data.manifest import FILE_NAME, checksum, read_manifest
from hypercut.errors import InputError

_log = logging.getLogger(__name__)


@contextlib.contextmanager
def staging(stage: Path) -> Iterator[Path]:
    """Yield an empty folder for the new files, deleted afterwards unless it is ready to be put in place."""
    _clear(stage)
    (stage / "new").mkdir(parents=True)
    try:
        yield stage / "new"
    finally:
        if not _is_ready(stage):
            _clear(stage)


def put_in_place(stage: Path, home: Path) -> None:
    """Replace the files that the manifest in ``home`` lists by the new ones; on failure, change nothing."""
    _refuse_foreign(stage / "new", home / FILE_NAME, home)
    begun: list[tuple[Path, Path]] = []
    try:
        for source, target in itertools.chain([(stage / "new", stage / "ready")], _moves(stage, home)):
            begun.append((source, target))
            _move(source, target)
    except OSError:
        _undo(begun, home)
        raise


def finish_interrupted(stage: Path, home: Path) -> None:
    """Finish the change that a killed process had committed, and delete its other leftovers."""
    if _is_ready(stage):
        replaced = stage / "replaced" / FILE_NAME
        _refuse_foreign(stage / "ready", replaced if replaced.exists() else home / FILE_NAME, home)
        for source, target in _moves(stage, home):
            _move(source, target)
    _clear(stage)


def _is_ready(stage: Path) -> bool:
    return (stage / "ready" / FILE_NAME).exists()


def _moves(stage: Path, home: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the remaining moves of the change; each must be done before the next is requested.

    A kill may follow any move, so moves already done are left out.
    """
    ready, replaced = stage / "ready", stage / "replaced"
    if not (replaced / FILE_NAME).exists() and (home / FILE_NAME).exists():
        yield home / FILE_NAME, replaced / FILE_NAME
    old, new = _inside(replaced / FILE_NAME), _inside(ready / FILE_NAME)
    for path in {**old, **new}:
        # A new file that is no longer in ``ready`` is already in place.
        if (home / path).exists() and (path not in new or (ready / path).exists()):
            yield home / path, replaced / path
            if path not in new:
                _remove_empty_folders(home / path)
    for path in new:
        if (ready / path).exists():
            yield ready / path, home / path
    yield ready / FILE_NAME, home / FILE_NAME


def _undo(begun: list[tuple[Path, Path]], home: Path) -> None:
    """Undo the moves, of which the last one failed."""
    *done, (_, failed) = begun
    _remove_empty_folders(failed)
    try:
        for source, target in reversed(done):
            _move(target, source)
            _remove_empty_folders(target)
    except OSError as error:
        _log.warning("%s: could not undo the change (%s). The next `hypercut data get` finishes it.", home, error)


def _refuse_foreign(new: Path, old_manifest: Path, home: Path) -> None:
    """Raise an error if the change would touch a file that hypercut did not write, or that has changed since."""
    for folder in (home, home / "raw"):
        if folder.is_dir() and folder.stat().st_dev != new.stat().st_dev:
            raise InputError(
                f"{folder} is on another disk than {new.parent.parent}, but files are replaced by renaming. "
                "Move the whole data folder to one disk."
            )
    old, wanted = _inside(old_manifest), _inside(new / FILE_NAME)
    foreign = []
    for path in sorted({*old, *wanted}):
        target = home / path
        if target.is_symlink():
            foreign.append(target)
        elif target.is_file():
            if checksum(target) not in (old.get(path), wanted.get(path)):
                foreign.append(target)
        elif path in wanted:
            # There is a folder where the file must go, or a file where one of its parent folders must go.
            above = [folder for folder in target.parents if folder.is_relative_to(home) and folder != home]
            foreign += [target] if target.is_dir() else [folder for folder in above if folder.is_file()]
    if foreign:
        raise InputError(
            f"{', '.join(map(str, foreign))}: in the way of new files, and hypercut did not put it there. "
            "Move it away and run again."
        )


def _inside(manifest: Path) -> dict[str, str]:
    """Return path → checksum of the files inside the dataset's folder that a manifest, if there is one, lists."""
    if not manifest.exists():
        return {}
    return {file.path: file.sha256 for file in read_manifest(manifest).inside}


def _remove_empty_folders(path: Path) -> None:
    with contextlib.suppress(OSError):  # raised if the innermost folder is not empty
        os.removedirs(path.parent)  # never the data folder, since it holds the lock file and the stage


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    source.replace(target)


def _clear(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def locked(path: Path, name: str) -> Iterator[None]:
    """Hold a lock file, which is deleted afterwards; a process that dies releases its lock."""
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        _log.info("%s: waiting for another process that is fetching it", name)
        lock.acquire()
    try:
        yield
    finally:
        path.unlink(missing_ok=True)  # before the release: filelock sees that the file it waited for is gone
        lock.release()
