"""The data folder: ``<root>/<dataset>/raw/…`` beside a ``manifest.json`` that says what the files are.

A dataset is there when its manifest is. It is put together in a hidden folder and renamed into place as a whole, by one
process at a time, so nobody ever sees half of it.
"""

import contextlib
import errno
import fcntl
import hashlib
import json
import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hypercut.datasets._base import GENERATED_TERMS, Dataset, random_positions
from hypercut.datasets._collection import FILE_NAME, Collection, read_collection, subset
from hypercut.datasets._download import Unavailable
from hypercut.datasets._sources import Delivery, Kind, checksum
from hypercut.errors import InputError
from hypercut.files import written_whole

MIRROR_VARIABLE = "HYPERCUT_DATA_MIRROR"
DEFAULT_ROOT = Path("data")

OnMissing = Literal["fail", "standin"]

_log = logging.getLogger(__name__)


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


@dataclass(frozen=True)
class Features:
    """A dataset ready for clustering."""

    X: np.ndarray
    """(N, features), float32; a user's own table in float64"""
    y: np.ndarray
    """(N,), classes numbered from 0"""
    provenance: dict[str, Any]
    """what the data are and where they came from; ``kind`` is real, stand-in, generated or own"""


def acquire(
    dataset: Dataset,
    root: Path = DEFAULT_ROOT,
    *,
    mirror: str | None = None,
    on_missing: OnMissing = "fail",
    force: bool = False,
) -> Manifest:
    """Make sure that a dataset is in the data folder, and return its manifest.

    What is there stays, unless ``force`` is given or it is a stand-in that a source can now replace. When no source can
    deliver, ``on_missing="standin"`` generates the dataset's stand-in, if it has one; a real set that is there never
    makes way for it. The environment variable HYPERCUT_DATA_MIRROR overrides ``mirror``.
    """
    mirror = os.environ.get(MIRROR_VARIABLE) or mirror
    root = Path(root)
    with _plain_disk_errors(root):
        root.mkdir(parents=True, exist_ok=True)
        with _locked(root / f".{dataset.name}.lock", dataset.name):
            _undo_replacement(root / f".{dataset.name}.part" / "replaced", root / dataset.name)
            present = _intact_manifest(dataset.name, root)
            real = present is not None and present.kind in ("real", "generated")
            if present is not None and real and not force:
                return present
            with _staging(root / f".{dataset.name}.part") as stage:
                try:
                    delivery = _ask_sources(dataset, stage / "new" / "raw", mirror)
                except Unavailable as reasons:
                    if on_missing == "fail" or dataset.stand_in is None:
                        raise InputError(_advice(dataset, reasons)) from None
                    if real:
                        raise InputError(
                            f"dataset {dataset.name}: no source could deliver it again; what is in {root} was left "
                            f"as it is.\n{reasons}\nTo use it, leave out --force. For a stand-in instead, remove "
                            f"{root / dataset.name} first."
                        ) from None
                    if present is not None and not force:
                        return present
                    _log.warning("%s: no source can deliver it, generating a stand-in", dataset.name)
                    delivery = dataset.stand_in.fetch(dataset.name, _emptied(stage / "new" / "raw"), mirror)
                _verify(dataset, delivery, stage / "new" / "raw")
                manifest = _write_manifest(dataset, delivery, stage / "new")
                home = root / dataset.name
                if home.exists():
                    home.rename(stage / "replaced")
                (stage / "new").rename(home)
    return manifest


def _undo_replacement(replaced: Path, home: Path) -> None:
    """Put the old files back if a fetch was killed between taking them away and putting the new ones there."""
    if replaced.exists() and not home.exists():
        replaced.rename(home)


def featurize(dataset: Dataset, root: Path = DEFAULT_ROOT, options: Mapping[str, Any] | None = None) -> Features:
    """Compute the features of a dataset that is in the data folder; ``options`` are the dataset's own."""
    chosen = dataset.chosen_options(options or {})
    manifest = find_manifest(dataset.name, Path(root))
    if manifest is None:
        raise InputError(
            f"dataset {dataset.name} is not in {root}. Fetch it first: hypercut data get {dataset.name} --root {root}"
        )
    collection = _read(dataset, Path(root) / dataset.name / "raw")
    dataset.check_collection(collection)
    if dataset.apply is not None:
        collection = dataset.apply(collection, chosen)
    if chosen["subset"] is not None:
        everything = np.arange(len(collection.items))
        collection = subset(collection, random_positions(dataset.name, everything, chosen["subset"], chosen["seed"]))
    X = dataset.describe(collection.items)
    dataset.check_features(X)
    _, y = np.unique(collection.labels, return_inverse=True)
    # When they were fetched is no property of the features: the same data give the same bytes at any time.
    facts = {key: value for key, value in asdict(manifest).items() if key not in ("files", "acquired")}
    complete = dataset.is_complete(len(X), chosen)
    provenance = {**facts, "title": dataset.title, "options": chosen, "complete": complete}
    return Features(X, y, {**provenance, "files_sha256": manifest.fingerprint})


def check(dataset: Dataset, root: Path = DEFAULT_ROOT) -> Manifest:
    """Compare what is in the data folder with its manifest, and read it; complain about what differs."""
    manifest = check_files(dataset.name, root)
    dataset.check_collection(_read(dataset, Path(root) / dataset.name / "raw"))
    return manifest


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


def present(root: Path = DEFAULT_ROOT) -> list[str]:
    """The names of the datasets that are in the data folder, a user's own among them."""
    return sorted(path.parent.name for path in Path(root).glob("[!.]*/manifest.json"))


def find_manifest(name: str, root: Path) -> Manifest | None:
    """The manifest of a dataset, or None if the dataset is not there."""
    path = Path(root) / name / "manifest.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Manifest(**{**content, "files": tuple(FileRecord(**file) for file in content["files"])})
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path}: expected a manifest that hypercut wrote, but: {error!r}. Remove the file.") from None


def save_features(path: Path, features: Features) -> None:
    """Write features to an ``.npz`` file: all of it, or nothing."""
    with _plain_disk_errors(Path(path).parent), written_whole(Path(path)) as part, part.open("wb") as file:
        np.savez(file, X=features.X, y=features.y, provenance=np.array(json.dumps(features.provenance)))


def load_features(path: Path) -> Features:
    """Read what :func:`save_features` wrote."""
    with np.load(path, allow_pickle=False) as archive:
        return Features(archive["X"], archive["y"], json.loads(str(archive["provenance"])))


def _read(dataset: Dataset, raw: Path) -> Collection:
    """What was made here is kept as hypercut keeps it; files from elsewhere are read as the dataset says."""
    return read_collection(raw) if (raw / FILE_NAME).exists() else dataset.read(raw)


def _ask_sources(dataset: Dataset, raw: Path, mirror: str | None) -> Delivery:
    """Let the first source that can fill the folder; if none can, :class:`Unavailable` has all their reasons."""
    reasons = []
    for source in dataset.sources:
        try:
            _log.info("%s: trying %s", dataset.name, source.label)
            return source.fetch(dataset.name, _emptied(raw), mirror)
        except Unavailable as reason:
            _log.info("%s: %s: %s", dataset.name, source.label, reason)
            reasons.append(f"  - {source.label}: {reason}")
    raise Unavailable("\n".join(reasons))


def _emptied(folder: Path) -> Path:
    """The folder, without what a source may have left there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _advice(dataset: Dataset, reasons: Unavailable) -> str:
    lines = [f"dataset {dataset.name}: no source could deliver it.", str(reasons)]
    lines.append(
        f"Get the files by other means, put them into a folder as {dataset.name}/<file name>, and name that folder: "
        f"data.mirror in the config, --mirror, or {MIRROR_VARIABLE}."
    )
    if dataset.stand_in is not None:
        lines.append(
            "Or let a generated stand-in take its place, marked as such: on_missing: standin in the config, or"
        )
        lines.append("--on-missing standin.")
    return "\n".join(lines)


def _verify(dataset: Dataset, delivery: Delivery, raw: Path) -> None:
    """Read what was delivered; a complaint names its source, since the folder it is in will be gone."""
    try:
        dataset.check_collection(_read(dataset, raw))
    except InputError as error:
        raise InputError(f"dataset {dataset.name} from {delivery.source}: {error}".replace(f"{raw}/", "")) from None


def _write_manifest(dataset: Dataset, delivery: Delivery, folder: Path) -> Manifest:
    inside = sorted(path for path in (folder / "raw").rglob("*") if path.is_file())
    records = [
        FileRecord(path.relative_to(folder).as_posix(), path.stat().st_size, checksum(path)) for path in inside
    ] + [FileRecord(str(path.absolute()), path.stat().st_size, checksum(path)) for path in delivery.outside]
    manifest = Manifest(
        dataset=dataset.name,
        kind=delivery.kind,
        source=delivery.source,
        version=delivery.version,
        terms=GENERATED_TERMS if delivery.kind in ("generated", "stand-in") else dataset.terms,
        acquired=datetime.now(UTC).isoformat(timespec="seconds"),
        files=tuple(records),
    )
    text = json.dumps(asdict(manifest), indent=1, ensure_ascii=False)
    (folder / "manifest.json").write_text(text + "\n", encoding="utf-8")
    return manifest


def _intact_manifest(name: str, root: Path) -> Manifest | None:
    """The manifest, if every file has the size it says; contents are for :func:`check`."""
    manifest = find_manifest(name, root)
    if manifest is None:
        return None
    files = [(root / name / file.path, file.bytes) for file in manifest.files]
    return manifest if all(path.is_file() and path.stat().st_size == size for path, size in files) else None


@contextlib.contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """A folder to work in, empty at first (a killed process may have left its own) and gone at the end."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _locked(path: Path, name: str) -> Iterator[None]:
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
def _plain_disk_errors(folder: Path) -> Iterator[None]:
    """Say in plain words what the operating system has against writing below a folder."""
    try:
        yield
    except OSError as error:
        trouble = _DISK_TROUBLE.get(error.errno or 0)
        if trouble is None:
            raise
        raise InputError(f"{error.filename or folder}: {trouble}, or choose another folder than {folder}.") from None
