"""The folder of a report: replaced as a whole by a new one, which keeps all files that hypercut did not write.

The new report is built in ``.report.<pid>.part`` next to ``report``. Then ``report`` is renamed to
``.report.<pid>.replaced``, the new folder to ``report``, and the old one is deleted. Foreign files are hard-linked into
the new folder before, so that they exist at any time. A ``.part`` may be deleted at any time, a ``.replaced`` may not:
after a kill between the two renames it is the only report, and the next build restores it.
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
    """Yield a new folder to fill, and replace ``out`` by it on success.

    At any time ``out`` is the old report, the new one or, for an instant, absent; it is never incomplete. Files that
    hypercut did not write are kept. If one of them is in the way of the new report, or a file of the old report was
    edited, this raises an error and leaves the old report unchanged.
    """
    out = out.resolve()
    _recover(out)
    if out.exists() and not (out / MARKER).exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} is neither a new or empty folder nor an earlier report. Choose another folder.")
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
    """Finish the replacement of a killed process: restore the old report if there is no new one, else delete it."""
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
    except PermissionError:  # another user's process
        pass
    return True


def _check_unchanged(out: Path, own: Mapping[str, str]) -> None:
    for name, written in own.items():
        path = out / name
        if os.path.lexists(path) and checksum(path) != written:
            raise InputError(
                f"{path} was changed since hypercut wrote it, and the new report would replace it. Move it elsewhere, "
                "or delete it if you do not need the changes, and run again."
            )


def _carry_over(out: Path, part: Path, own: Collection[str]) -> None:
    """Link or copy everything that hypercut did not write from the old report into the new one."""

    def written_by_hypercut(folder: str, found: list[str]) -> set[str]:
        names = {name: Path(folder, name).relative_to(out) for name in found}
        ours = {name for name, relative in names.items() if relative.as_posix() in (*own, MARKER)}
        for name in names.keys() - ours:
            source, target = out / names[name], part / names[name]
            if os.path.lexists(target) and not (_is_folder(source) and _is_folder(target)):
                raise InputError(
                    f"{source} is in the way of the new report, and hypercut did not write it. Move it elsewhere and "
                    "run again."
                )
        return ours

    shutil.copytree(out, part, True, written_by_hypercut, _link, dirs_exist_ok=True)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # a file system without hard links, or a file of another user
        shutil.copy2(source, target, follow_symlinks=False)


def _discard(old: Path, out: Path) -> None:
    """Delete the old report; move files that are neither written by hypercut nor in the new report to the new one."""
    own, new = read_list(old), read_list(out) or {}
    for name in list(names(old)):
        path, successor = old / name, out / name
        replaced = name in new if own is None else name in own and checksum(path) == own[name]
        if not replaced and not _is_same(path, successor):
            # A user saved it while the folders were swapped.
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
