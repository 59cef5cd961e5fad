"""The data folder: a dataset's raw files in ``<root>/<dataset>/raw``, and the manifest beside it of their provenance.

New files are collected in ``<root>/<dataset>/.new`` and checked. Once their manifest is written, they replace the old
ones: the old raw files are deleted, and the new files and the manifest are renamed. If the process is killed, the next
call does this. All other files in the folder of a dataset belong to the user and are never touched.
"""

import hashlib
import json
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from filelock import FileLock

from hypercut.data import MIRROR_VARIABLE
from hypercut.data.dataset import GENERATED_TERMS, OWN_TERMS, Dataset
from hypercut.data.sources import Delivery, Kind, Source, Unavailable
from hypercut.errors import InputError
from hypercut.files import explain_write_errors, write_json

DEFAULT_ROOT = Path("data")
FILE_NAME = "manifest.json"
NEW = ".new"

OnMissing = Literal["fail", "standin"]
OnMismatch = Literal["fail", "own"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FileRecord:
    """One raw file. The path is relative to the dataset's folder, or absolute for a user's file."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The files of a dataset on disk and their provenance. A dataset is present when its manifest is."""

    dataset: str
    kind: Kind
    source: str
    version: str
    terms: str
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
        """The checksum of the published content, of the generator's code, or of a user's files."""
        return self.content or self.code or self.fingerprint

    @property
    def inside(self) -> tuple[FileRecord, ...]:
        """The files in the dataset's folder, all written by hypercut."""
        return tuple(file for file in self.files if not Path(file.path).is_absolute())


def find_manifest(name: str, root: Path) -> Manifest | None:
    """Return the manifest of a dataset, or None if the dataset is not present."""
    path = Path(root) / name / FILE_NAME
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        facts = {**content, "files": tuple(FileRecord(**file) for file in content["files"])}
        facts.pop("acquired", None)  # a date in the manifests of version 1.0, which differed for the same data
        return Manifest(**facts)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"{path}: not a manifest that hypercut wrote: {error!r}. Move it away and get the dataset again."
        ) from None


def present(root: Path = DEFAULT_ROOT) -> list[str]:
    """Return the names of the datasets in the data folder, including the user's own."""
    return sorted(path.parent.name for path in Path(root).glob(f"[!.]*/{FILE_NAME}"))


def check_files(name: str, root: Path = DEFAULT_ROOT) -> Manifest:
    """Return the manifest of a dataset after comparing its files with it, without reading samples."""
    home = Path(root) / name
    manifest = find_manifest(name, Path(root))
    if manifest is None:
        raise InputError(f"dataset {name} is not in {root}. Fetch it first: {_get(home)}")
    for path in _missing(manifest, home):
        raise InputError(f"{path}: listed in {home / FILE_NAME}, but missing. Run: {_get(home)}")
    _refuse_changed(manifest.files, home)
    listed = {home / file.path for file in manifest.inside}
    for path in sorted((home / "raw").rglob("*")):
        # Readers look files up by name, so they must find recorded ones only.
        if path.is_file() and path not in listed and not path.name.startswith("."):
            raise InputError(f"{path}: not in the manifest, but would be read with the data. Move it elsewhere.")
    return manifest


def acquire(
    dataset: Dataset,
    root: Path = DEFAULT_ROOT,
    *,
    mirror: str | None = None,
    on_missing: OnMissing = "fail",
    on_mismatch: OnMismatch = "fail",
    code: str = "",
    force: bool = False,
) -> Manifest:
    """Fetch or generate a dataset unless it is in the data folder, and return its manifest.

    Parameters
    ----------
    dataset, root
        The dataset, see :func:`hypercut.data.datasets.get`, and the data folder.
    mirror
        Folder or address with the original files as ``<dataset>/<file name>``. The environment variable
        HYPERCUT_DATA_MIRROR overrides it. The data folder itself is the last mirror.
    on_missing
        ``"standin"`` generates the dataset's stand-in, if it has one, when no source can deliver. It never replaces
        real data, and is replaced as soon as a source delivers.
    on_mismatch
        ``"own"`` accepts content other than the published one, as the user's own data.
    code
        Fingerprint of the code that generates data. Data generated by other code are generated again.
    force
        Replace data that are already there.
    """
    root = Path(root)
    mirrors = [place for place in (os.environ.get(MIRROR_VARIABLE) or mirror, str(root)) if place]
    home = root / dataset.folder
    with explain_write_errors(root), _locked(root, dataset.folder):
        _put_in_place(home)  # what a killed process had finished
        old = find_manifest(dataset.folder, root)
        _refuse_changed(old.inside if old else (), home)
        usable = None if old is None or force or _missing(old, home) else old
        if usable is not None and _suffices(dataset, usable, on_mismatch, code):
            return usable
        new = home / NEW
        new.mkdir(parents=True)
        try:
            try:
                delivery = _fetch(dataset, dataset.sources, new / "raw", mirrors)
            except Unavailable as reasons:
                has_others = old is not None and old.kind != "stand-in"
                if on_missing == "fail" or dataset.stand_in is None or has_others:
                    raise InputError(_advice(dataset, reasons, home, old)) from None
                if usable is not None and _same_code(usable, code):
                    return usable
                _log.warning("%s: no source can deliver it, generating a stand-in", dataset.folder)
                delivery = _fetch(dataset, (dataset.stand_in,), new / "raw", mirrors)
            delivery = _identified(dataset, delivery, new / "raw", on_mismatch)
            manifest = _manifest(dataset, delivery, new, code)
            _refuse_foreign(home, manifest)
            write_json(new / FILE_NAME, asdict(manifest))
        finally:
            if not (new / FILE_NAME).exists():
                shutil.rmtree(new, ignore_errors=True)
                with suppress(OSError):
                    home.rmdir()  # of a dataset that could not be acquired
        _put_in_place(home)
    return manifest


def _suffices(dataset: Dataset, manifest: Manifest, on_mismatch: OnMismatch, code: str) -> bool:
    """Whether the data on disk are what a source would deliver."""
    if manifest.kind == "own":  # accepted in place of a published dataset; users' files are recorded again each time
        return on_mismatch == "own" and dataset.content_sha256 is not None
    return manifest.kind == "real" or (manifest.kind == "generated" and _same_code(manifest, code))


def _same_code(manifest: Manifest, code: str) -> bool:
    return not code or manifest.code == code


def _fetch(dataset: Dataset, sources: tuple[Source, ...], raw: Path, mirrors: list[str]) -> Delivery:
    """Fetch from the first source that can deliver, or raise :class:`Unavailable` with the reasons of all."""
    reasons = []
    for source in sources:
        _log.info("%s: trying %s", dataset.folder, source.label)
        shutil.rmtree(raw, ignore_errors=True)  # files of a failed source
        raw.mkdir()
        try:
            return source.fetch(dataset.folder, raw, mirrors)
        except Unavailable as reason:
            _log.info("%s: %s: %s", dataset.folder, source.label, reason)
            reasons.append(f"  - {source.label}: {reason}")
    raise Unavailable("\n".join(reasons))


def _advice(dataset: Dataset, reasons: Unavailable, home: Path, old: Manifest | None) -> str:
    """Return the message for a dataset that no source delivers; ``old`` describes the data in its folder."""
    lines = [f"dataset {dataset.name}: no source could deliver it.", str(reasons)]
    has_others = old is not None and old.kind != "stand-in"
    if old is not None and has_others:
        accepted = ", but only with on_mismatch: own" if old.kind == "own" else ""
        lines.append(f"The {old.kind} data in {home} were left unchanged and can be used if complete{accepted}.")
    lines.append(
        f"Get the files by other means, put them into a folder as {dataset.folder}/<file name>, and specify that "
        f"folder: data.mirror in the config, --mirror, or {MIRROR_VARIABLE}."
    )
    if dataset.stand_in is not None:
        first = f"delete {home / FILE_NAME} and " if has_others else ""
        lines.append(f"Or {first}use a generated stand-in: on_missing: standin in the config, or --on-missing standin.")
    return "\n".join(lines)


def _identified(dataset: Dataset, delivery: Delivery, raw: Path, on_mismatch: OnMismatch) -> Delivery:
    """Return the delivery after reading it; as ``own`` data if its content differs and that is accepted."""
    origin = f"dataset {dataset.name} from {delivery.source}"
    try:
        collection = dataset.collect(raw)
    except InputError as error:  # name the source, since the folder with the files will be deleted
        raise InputError(f"{origin}: {error}".replace(f"{raw}/", "")) from None
    mismatch = dataset.mismatch(collection) if delivery.kind == "real" else None
    if mismatch is None:
        return delivery
    if on_mismatch == "fail":
        raise InputError(
            f"{origin}: {mismatch} Get the original files. To use these as your own data, which are not compared with "
            "published numbers: on_mismatch: own under data in the config, or --on-mismatch own."
        )
    _log.warning("%s: %s Accepted as own data.", origin, mismatch)
    return replace(delivery, kind="own")


def _manifest(dataset: Dataset, delivery: Delivery, folder: Path, code: str) -> Manifest:
    files = [(path, path.relative_to(folder).as_posix()) for path in sorted((folder / "raw").rglob("*"))]
    files += [(path, os.path.abspath(path)) for path in delivery.outside]
    terms = {"generated": GENERATED_TERMS, "stand-in": GENERATED_TERMS, "own": OWN_TERMS}
    return Manifest(
        dataset=dataset.folder,
        kind=delivery.kind,
        source=delivery.source,
        version=delivery.version,
        terms=terms.get(delivery.kind, dataset.terms),
        files=tuple(_record(path, name) for path, name in files if path.is_file()),
        code=code if delivery.kind in ("generated", "stand-in") else "",
        content=dataset.content_sha256 or "" if delivery.kind == "real" else "",
    )


def _put_in_place(home: Path) -> None:
    """Replace ``raw`` and the manifest by the new ones if these are complete, and delete the folder of new files.

    After a kill at any point, the next call continues. Until the new manifest is in place, the old one does not match
    the files, so no step uses them.
    """
    new, raw = home / NEW, home / "raw"
    if (manifest := find_manifest(NEW, home)) is not None:
        if (new / "raw").exists():
            _refuse_foreign(home, manifest)
            if raw.exists():
                shutil.rmtree(raw)
            (new / "raw").rename(raw)
        (new / FILE_NAME).replace(home / FILE_NAME)
    shutil.rmtree(new, ignore_errors=True)


def _refuse_foreign(home: Path, new: Manifest) -> None:
    """Raise an error if ``raw`` holds anything that hypercut did not put there, or that has changed since."""
    old = find_manifest(home.name, home.parent)
    known = {(home / file.path, file.sha256) for file in (*new.inside, *(old.inside if old else ()))}
    for path in [home / "raw", *(home / "raw").rglob("*")]:
        if path.is_symlink() or (path.is_file() and (path, _checksum(path)) not in known):
            raise InputError(
                f"{path}: in the way of new files, and hypercut did not put it there. Move it away and run again."
            )


@contextmanager
def _locked(root: Path, name: str) -> Iterator[None]:
    """Hold the lock of a dataset; a process that dies releases it."""
    root.mkdir(parents=True, exist_ok=True)
    path = root / f".{name}.lock"
    with FileLock(path):
        try:
            yield
        finally:
            path.unlink(missing_ok=True)  # before the release: filelock sees that the file it waited for is gone


def _missing(manifest: Manifest, home: Path) -> list[Path]:
    """Return the listed files that do not exist."""
    return [home / file.path for file in manifest.files if not (home / file.path).is_file()]


def _refuse_changed(files: tuple[FileRecord, ...], home: Path) -> None:
    """Raise an error if an existing file differs from its record."""
    for file in files:
        path = home / file.path
        if not path.is_file() or (found := _record(path, file.path)) == file:
            continue
        advice = f"hypercut neither uses nor replaces it. Restore it, or delete it and run: {_get(home)}"
        if Path(file.path).is_absolute():
            advice = f"Record it again: {_get(home)} with its --entry; the workflow does so when it runs."
        raise InputError(
            f"{path}: changed since it was acquired: expected {file.bytes} bytes with sha256 {file.sha256}, found "
            f"{found.bytes} with {found.sha256}. {advice}"
        )


def _record(path: Path, name: str) -> FileRecord:
    return FileRecord(name, path.stat().st_size, _checksum(path))


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _get(home: Path) -> str:
    return f"hypercut data get {home.name} --root {home.parent}"
