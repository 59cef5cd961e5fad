"""The folder of a report: built beside, then put in place as a whole, with all files in it that hypercut did not write.

Three folders stand side by side under way: ``report``, the new one ``.report.<pid>.part``, and for a moment the old one
``.report.<pid>.replaced``. Files of others are hard-linked into the new one before it takes its place, so that they are
in the old or the new folder at any time. A ``.part`` may be deleted at any time. A ``.replaced`` may not: after a kill
between the two renames it is all there is, and the next build puts it back.
"""

import filecmp
import glob
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hypercut.benchmark.report_files import MARKER, checksum, names, read_list, write_list
from hypercut.errors import InputError


@contextmanager
def replaced_folder(out: Path) -> Iterator[Path]:
    """Give a new folder to fill, and put it in the place of ``out`` on success.

    Whoever looks at ``out`` finds the old report, the new one, or for an instant none; never a half-written one. Files
    that hypercut did not write stay. One that is in the way of the new report, or one of hypercut's that was changed,
    is an error, and the old report stays as it is.
    """
    out = out.resolve()
    _recover(out)
    if out.exists() and not (out / MARKER).exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: expected a new or empty folder, or an earlier report. Choose another place.")
    own = read_list(out)
    _check_unchanged(out, own or {})
    out.parent.mkdir(parents=True, exist_ok=True)
    part, old = (out.with_name(f".{out.name}.{os.getpid()}.{what}") for what in ("part", "replaced"))
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    try:
        yield part
        built = list(names(part))
        write_list(part, built)
        if out.exists():
            _carry_over(out, part, built if own is None else own)
            out.rename(old)
        part.rename(out)
        if old.exists():
            _discard(old, out)
    finally:
        _tidy_up(out, part, old)


def _tidy_up(out: Path, part: Path, old: Path) -> None:
    if old.exists() and not out.exists():
        old.rename(out)
    shutil.rmtree(part, ignore_errors=True)


def _recover(out: Path) -> None:
    """Complete what a killed process has begun: put the old report back if there is no new one, else remove it."""
    left = out.parent.glob(f".{glob.escape(out.name)}.*.replaced")
    for old in sorted(left, key=lambda path: path.stat().st_mtime, reverse=True):
        writer = old.name.split(".")[-2]
        if not writer.isdigit() or _is_alive(int(writer)):
            continue
        if out.exists():
            _discard(old, out)
        else:
            old.rename(out)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        pass
    return True


def _check_unchanged(out: Path, own: Mapping[str, str]) -> None:
    for name, written in own.items():
        path = out / name
        if os.path.lexists(path) and checksum(path) != written:
            raise InputError(
                f"{path}: changed since hypercut wrote it, and a new report would replace it. Move it elsewhere, or "
                "delete it if the changes are not needed, and run again."
            )


def _carry_over(out: Path, part: Path, own: Collection[str]) -> None:
    """Link or copy what is not hypercut's own from the old report into the new one."""
    for name in [*_foreign_folders(out, own), *names(out)]:
        source, target = out / name, part / name
        if name in own:
            continue
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir() and not source.is_symlink():
                target.mkdir(exist_ok=True)
            else:
                _link(source, target)
        except (FileExistsError, NotADirectoryError):
            raise InputError(
                f"{source}: hypercut did not write this, and the new report needs its place. Move it elsewhere, and "
                "run again."
            ) from None


def _foreign_folders(out: Path, own: Collection[str]) -> Iterator[str]:
    """The folders, empty ones too, that have no file of hypercut in them."""
    used = {parent.as_posix() for name in own for parent in Path(name).parents}
    for parent, folders, _ in os.walk(out):
        for folder in folders:
            path = Path(parent, folder)
            if not path.is_symlink() and path.relative_to(out).as_posix() not in used:
                yield path.relative_to(out).as_posix()


def _link(source: Path, target: Path) -> None:
    if os.path.lexists(target):
        raise FileExistsError(target)
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # a file system without hard links, or a file of another user
        shutil.copy2(source, target, follow_symlinks=False)


def _discard(old: Path, out: Path) -> None:
    """Delete the old report. A file in it that is neither hypercut's nor in the new report is moved there."""
    own, new = read_list(old), read_list(out) or {}
    for name in list(names(old)):
        path, successor = old / name, out / name
        replaced = name in new if own is None else name in own and checksum(path) == own[name]
        if not replaced and not _is_same(path, successor):
            # Saved while the folders were swapped.
            while os.path.lexists(successor):
                successor = successor.with_name(f"{successor.name}.kept")
            successor.parent.mkdir(parents=True, exist_ok=True)
            path.rename(successor)
        else:
            path.unlink()
    # Only the list and empty folders are left.
    shutil.rmtree(old, ignore_errors=True)


def _is_same(one: Path, other: Path) -> bool:
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and one.readlink() == other.readlink()
    return other.is_file() and (one.samefile(other) or filecmp.cmp(one, other, shallow=False))
