"""The list of the files that hypercut wrote into a folder, kept in the folder: all others are somebody else's."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from hypercut.errors import InputError

MARKER = ".hypercut-report"
"""the file of the list; earlier versions of hypercut left it empty"""


def write_list(folder: Path, names: Sequence[str]) -> None:
    """Write the list of a folder's own files."""
    content = {"files": {name: checksum(folder / name) for name in names}}
    (folder / MARKER).write_text(json.dumps(content, indent=0) + "\n", encoding="utf-8")


def read_list(folder: Path) -> dict[str, str] | None:
    """Return name → SHA-256 of the files that hypercut wrote; None if no list says which they are."""
    marker = folder / MARKER
    try:
        text = marker.read_text(encoding="utf-8")
        return {str(name): str(value) for name, value in json.loads(text)["files"].items()} if text else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{marker} could not be read: {error}. It lists which files of the folder hypercut wrote. "
            f"Move the folder {folder} elsewhere, and run again."
        ) from None


def names(folder: Path) -> Iterator[str]:
    """The files and links below a folder, relative to it, without the list itself. Links are not followed."""
    for parent, folders, files in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        for name in sorted([*files, *links]):
            relative = Path(parent, name).relative_to(folder).as_posix()
            if relative != MARKER:
                yield relative


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file; nothing for what is no file."""
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
