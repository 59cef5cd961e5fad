"""The list of the files that hypercut wrote into a report folder. Other files there are the user's."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from hypercut.errors import InputError

MARKER = ".hypercut-report"
"""the file with the list; early versions of hypercut left it empty"""


def write_list(folder: Path, names: Sequence[str]) -> None:
    """Write the list of files, with their checksums, into the folder."""
    content = {"files": {name: checksum(folder / name) for name in names}}
    (folder / MARKER).write_text(json.dumps(content, indent=0) + "\n", encoding="utf-8")


def read_list(folder: Path) -> dict[str, str] | None:
    """Return name → SHA-256 of the files that hypercut wrote; None if there is no list."""
    marker = folder / MARKER
    try:
        text = marker.read_text(encoding="utf-8")
        return {str(name): str(value) for name, value in json.loads(text)["files"].items()} if text else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{marker} could not be read: {error}. It lists the files of the folder that hypercut wrote. "
            f"Move the folder {folder} elsewhere and run again."
        ) from None


def names(folder: Path) -> Iterator[str]:
    """Yield the files and links below a folder, relative to it, except the list. Does not follow links."""
    for path in sorted(folder.rglob("*")):
        if path != folder / MARKER and (path.is_symlink() or not path.is_dir()):
            yield path.relative_to(folder).as_posix()


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file; empty for anything else."""
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
