"""Acquiring a dataset: putting its raw files into the data folder, beside a manifest that says what they are.

A dataset is put together in a hidden folder and renamed into place as a whole, by one process at a time, so nobody ever
sees half of it.
"""

import contextlib
import fcntl
import json
import logging
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from hypercut.datasets._base import GENERATED_TERMS, Dataset
from hypercut.datasets._download import Unavailable
from hypercut.datasets._fetch import Delivery, fetch
from hypercut.datasets._manifest import DEFAULT_ROOT, FILE_NAME, FileRecord, Manifest, checksum, find_manifest
from hypercut.disk import plain_disk_errors
from hypercut.errors import InputError

MIRROR_VARIABLE = "HYPERCUT_DATA_MIRROR"

OnMissing = Literal["fail", "standin"]

_log = logging.getLogger(__name__)


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
    with plain_disk_errors(root):
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
                    delivery = fetch(dataset.stand_in, dataset.name, _emptied(stage / "new" / "raw"), mirror)
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


def _ask_sources(dataset: Dataset, raw: Path, mirror: str | None) -> Delivery:
    """Let the first source that can fill the folder; if none can, :class:`Unavailable` has all their reasons."""
    reasons = []
    for source in dataset.sources:
        try:
            _log.info("%s: trying %s", dataset.name, source.label)
            return fetch(source, dataset.name, _emptied(raw), mirror)
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
        dataset.collect(raw)
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
    (folder / FILE_NAME).write_text(text + "\n", encoding="utf-8")
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
