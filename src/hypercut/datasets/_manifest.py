"""The manifest of a dataset in the data folder: what ``<root>/<dataset>/raw/…`` holds, and where it came from.

A dataset is there when its manifest is.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from hypercut.datasets._sources import Kind
from hypercut.errors import InputError

DEFAULT_ROOT = Path("data")
FILE_NAME = "manifest.json"


@dataclass(frozen=True)
class FileRecord:
    """One raw file: its path (below the dataset's folder, or absolute for a user's own file), size and checksum."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What is on disk, and where it came from."""

    dataset: str
    kind: Kind
    source: str
    version: str
    terms: str
    acquired: str
    files: tuple[FileRecord, ...]

    @property
    def fingerprint(self) -> str:
        """One checksum for all files."""
        return hashlib.sha256("".join(f"{file.path} {file.sha256}\n" for file in self.files).encode()).hexdigest()


def find_manifest(name: str, root: Path) -> Manifest | None:
    """The manifest of a dataset, or None if the dataset is not there."""
    path = Path(root) / name / FILE_NAME
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Manifest(**{**content, "files": tuple(FileRecord(**file) for file in content["files"])})
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path}: expected a manifest that hypercut wrote, but: {error!r}. Remove the file.") from None


def present(root: Path = DEFAULT_ROOT) -> list[str]:
    """The names of the datasets that are in the data folder, a user's own among them."""
    return sorted(path.parent.name for path in Path(root).glob(f"[!.]*/{FILE_NAME}"))


def check_files(name: str, root: Path = DEFAULT_ROOT) -> Manifest:
    """Compare the files of a dataset with its manifest: all that can be done without knowing how to read them."""
    manifest = find_manifest(name, Path(root))
    if manifest is None:
        raise InputError(f"dataset {name} is not in {root}.")
    home = Path(root) / name
    for file in manifest.files:
        path = home / file.path
        if not path.is_file():
            raise InputError(f"{path}: is listed in the manifest, but missing. Get it again with --force.")
        found = checksum(path)
        if found != file.sha256:
            raise InputError(f"{path}: expected sha256 {file.sha256}, found {found}. Get it again with --force.")
    return manifest


def checksum(path: Path, algorithm: str = "sha256") -> str:
    """The hex digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()
