"""The manifest of a dataset: which files ``<root>/<dataset>/raw/…`` holds, and where they came from.

A dataset is present when its manifest is.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from hypercut.data.sources import Kind
from hypercut.errors import InputError

DEFAULT_ROOT = Path("data")
FILE_NAME = "manifest.json"


@dataclass(frozen=True)
class FileRecord:
    """One raw file. The path is relative to the dataset's folder, or absolute for a user's file."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The files of a dataset on disk and their provenance."""

    dataset: str
    kind: Kind
    source: str
    version: str
    terms: str
    acquired: str
    files: tuple[FileRecord, ...]
    code: str = ""
    """fingerprint of the code that generated the samples, for generated data and stand-ins"""
    content: str = ""
    """checksum of the decoded samples and labels, for a published dataset"""

    @property
    def fingerprint(self) -> str:
        """A checksum over all files."""
        return hashlib.sha256("".join(f"{file.path} {file.sha256}\n" for file in self.files).encode()).hexdigest()

    @property
    def identity(self) -> str:
        """The checksum of the content for a published dataset, however it was packed; otherwise of the files."""
        return self.content or self.fingerprint

    @property
    def inside(self) -> tuple[FileRecord, ...]:
        """The files in the dataset's folder, all written by hypercut."""
        return tuple(file for file in self.files if not Path(file.path).is_absolute())


def find_manifest(name: str, root: Path) -> Manifest | None:
    """Return the manifest of a dataset, or None if the dataset is not present."""
    try:
        return read_manifest(Path(root) / name / FILE_NAME)
    except (FileNotFoundError, NotADirectoryError):
        return None


def read_manifest(path: Path) -> Manifest:
    """Read a manifest."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        manifest = Manifest(**{**content, "files": tuple(FileRecord(**file) for file in content["files"])})
        if any(".." in Path(file.path).parts for file in manifest.files):
            raise ValueError("it lists files outside its folder")
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"{path}: not a manifest that hypercut wrote: {error!r}. Move it away and get the dataset again."
        ) from None
    return manifest


def present(root: Path = DEFAULT_ROOT) -> list[str]:
    """Return the names of the datasets in the data folder, including the user's own."""
    return sorted(path.parent.name for path in Path(root).glob(f"[!.]*/{FILE_NAME}"))


def check_files(name: str, root: Path = DEFAULT_ROOT) -> Manifest:
    """Return the manifest of a dataset after comparing its files with it, without reading samples."""
    home = Path(root) / name
    manifest = find_manifest(name, Path(root))
    if manifest is None:
        raise InputError(f"dataset {name} is not in {root}. Fetch it first: {_get(home)}")
    for path in missing_files(manifest, home):
        raise InputError(f"{path}: listed in {home / FILE_NAME}, but missing. Run: {_get(home)}")
    refuse_changed(manifest.files, home)
    listed = {home / file.path for file in manifest.inside}
    for path in sorted((home / "raw").rglob("*")):
        # Readers look files up by name, so they must find recorded ones only.
        if path.is_file() and path not in listed and not path.name.startswith("."):
            raise InputError(f"{path}: not in the manifest, but would be read with the data. Move it elsewhere.")
    return manifest


def missing_files(manifest: Manifest, home: Path) -> list[Path]:
    """Return the listed files that do not exist."""
    return [home / file.path for file in manifest.files if not (home / file.path).is_file()]


def refuse_changed(files: tuple[FileRecord, ...], home: Path) -> None:
    """Raise an error if an existing file differs from its record."""
    for file in files:
        path = home / file.path
        if not path.is_file() or (found := record(path, file.path)) == file:
            continue
        if Path(file.path).is_absolute():
            advice = f"Record it again: {_get(home)} with its --entry; the workflow does so when it runs."
        else:
            advice = f"hypercut neither uses nor replaces it. Restore it, or delete it and run: {_get(home)}"
        raise InputError(
            f"{path}: changed since it was acquired: expected {file.bytes} bytes with sha256 {file.sha256}, found "
            f"{found.bytes} with {found.sha256}. {advice}"
        )


def record(path: Path, name: str) -> FileRecord:
    """Return the record of a file under the given name."""
    return FileRecord(name, path.stat().st_size, checksum(path))


def _get(home: Path) -> str:
    return f"hypercut data get {home.name} --root {home.parent}"


def checksum(path: Path, algorithm: str = "sha256") -> str:
    """Return the hex digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()
