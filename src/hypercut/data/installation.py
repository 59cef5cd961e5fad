"""Putting new files of a dataset in the place of old ones: all of them or none, and nothing that is not hypercut's.

The new files are collected in a hidden folder beside the dataset's. Once that is complete it is renamed to ``ready``,
and from then on the change is carried out: if this process is killed, by the next one, which finds ``ready``. If a step
fails instead, the steps before it are undone. The manifest is taken away first and put in place last, so nobody takes
half of a change for a dataset.
"""

import contextlib
import fcntl
import itertools
import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from hypercut.data.manifest import FILE_NAME, checksum, read_manifest
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
    """Replace the files of the manifest in ``home`` with the new ones; change nothing if that fails."""
    _refuse_foreign(stage / "new", home / FILE_NAME, home)
    had_home = home.exists()
    begun: list[tuple[Path, Path]] = []
    try:
        for source, target in itertools.chain([(stage / "new", stage / "ready")], _moves(stage, home)):
            begun.append((source, target))
            _move(source, target)
    except OSError:
        _undo(begun, home)
        if not had_home:
            with contextlib.suppress(OSError):
                home.rmdir()
        raise


def finish_interrupted(stage: Path, home: Path) -> None:
    """Carry out what a killed process had begun to put in place, and clear away anything else that it left."""
    if _is_ready(stage):
        replaced = stage / "replaced" / FILE_NAME
        _refuse_foreign(stage / "ready", replaced if replaced.exists() else home / FILE_NAME, home)
        for source, target in _moves(stage, home):
            _move(source, target)
    _clear(stage)


def _is_ready(stage: Path) -> bool:
    return (stage / "ready" / FILE_NAME).exists()


def _moves(stage: Path, home: Path) -> Iterator[tuple[Path, Path]]:
    """The steps of the change, each to be done before the next is asked for.

    Every step may be the last one before a kill, and is left out where it was done before.
    """
    ready, replaced = stage / "ready", stage / "replaced"
    if not (replaced / FILE_NAME).exists() and (home / FILE_NAME).exists():
        yield home / FILE_NAME, replaced / FILE_NAME
    old, new = _inside(replaced / FILE_NAME), _inside(ready / FILE_NAME)
    for path in {**old, **new}:
        # A file that is no longer ready is the one in place.
        if (home / path).exists() and (path not in new or (ready / path).exists()):
            yield home / path, replaced / path
            if path not in new:
                _remove_empty_folders(home / path, home)
    for path in new:
        if (ready / path).exists():
            yield ready / path, home / path
    yield ready / FILE_NAME, home / FILE_NAME


def _undo(begun: list[tuple[Path, Path]], home: Path) -> None:
    """Take back the moves, of which the last one failed."""
    *done, (_, failed) = begun
    _remove_empty_folders(failed, home)
    try:
        for source, target in reversed(done):
            _move(target, source)
            _remove_empty_folders(target, home)
    except OSError as error:
        _log.warning("%s: could not undo the change (%s). The next `hypercut data get` will finish it.", home, error)


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
        if target.is_symlink():
            foreign.append(target)
        elif target.is_file():
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
