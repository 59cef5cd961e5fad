"""Acquiring a dataset: putting its raw files into the data folder, beside a manifest that says what they are.

The folder of a dataset may hold other files too. They are the user's, and stay.
"""

import json
import logging
import os
import shutil
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from hypercut.data.dataset import GENERATED_TERMS, OWN_TERMS, Dataset
from hypercut.data.download import Unavailable
from hypercut.data.fetch import Delivery, copy_originals, fetch
from hypercut.data.installation import finish_interrupted, locked, put_in_place, staging
from hypercut.data.manifest import (
    DEFAULT_ROOT,
    FILE_NAME,
    FileRecord,
    Manifest,
    checksum,
    find_manifest,
    missing_files,
    refuse_changed,
)
from hypercut.data.sources import Mirror
from hypercut.errors import InputError
from hypercut.files import plain_disk_errors

MIRROR_VARIABLE = "HYPERCUT_DATA_MIRROR"

OnMissing = Literal["fail", "standin"]
OnMismatch = Literal["fail", "own"]

_log = logging.getLogger(__name__)


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
    """Make sure that a dataset is in the data folder, and return its manifest.

    What is there stays, unless ``force`` is given, a source can now deliver in place of a stand-in, or generated data
    were made by another ``code``. When no source can deliver, ``on_missing="standin"`` generates the dataset's
    stand-in, if it has one; a real set that is there never makes way for it. When the content is not that of the
    published set, ``on_mismatch="own"`` accepts it as a user's own. The environment variable HYPERCUT_DATA_MIRROR
    overrides ``mirror``.
    """
    mirror = os.environ.get(MIRROR_VARIABLE) or mirror
    root = Path(root)
    home, stage = root / dataset.name, root / f".{dataset.name}.part"
    with plain_disk_errors(root):
        root.mkdir(parents=True, exist_ok=True)
        with locked(root / f".{dataset.name}.lock", dataset.name):
            finish_interrupted(stage, home)
            old = find_manifest(dataset.name, root)
            whole = None
            if old is not None:
                refuse_changed(old.inside, home)
                whole = None if missing_files(old, home) else old
            if whole is not None and not force and _suffices(dataset, whole, on_mismatch, code):
                return whole
            with staging(stage) as new:
                try:
                    delivery = _ask_sources(dataset, new / "raw", mirror, home, old)
                except Unavailable as reasons:
                    if on_missing == "fail" or dataset.stand_in is None:
                        raise InputError(_advice(dataset, reasons, home, old)) from None
                    _refuse_stand_in_for_real(old, home, reasons)
                    if whole is not None and not force and _same_code(whole, code):
                        return whole
                    _log.warning("%s: no source can deliver it, generating a stand-in", dataset.name)
                    delivery = fetch(dataset.stand_in, dataset.name, _emptied(new / "raw"), mirror)
                _refuse_own_among_raw(delivery, home)
                delivery = _identified(dataset, delivery, new / "raw", on_mismatch)
                manifest = _write_manifest(dataset, delivery, new, code)
                put_in_place(stage, home)
    return manifest


def _suffices(dataset: Dataset, manifest: Manifest, on_mismatch: OnMismatch, code: str) -> bool:
    """Whether what is there is what a source would deliver."""
    match manifest.kind:
        case "real":
            return True
        case "generated":
            return _same_code(manifest, code)
        case "own":  # accepted in place of a published set; own files are looked at anew each time
            return on_mismatch == "own" and dataset.content_sha256 is not None
        case _:
            return False


def _same_code(manifest: Manifest, code: str) -> bool:
    return not code or manifest.code == code


def _ask_sources(dataset: Dataset, raw: Path, mirror: str | None, home: Path, old: Manifest | None) -> Delivery:
    """Let the first source that can fill the folder; if none can, :class:`Unavailable` has all their reasons."""
    reasons = []
    for source in dataset.sources:
        try:
            _log.info("%s: trying %s", dataset.name, source.label)
            return fetch(source, dataset.name, _emptied(raw), mirror)
        except Unavailable as reason:
            _log.info("%s: %s: %s", dataset.name, source.label, reason)
            reasons.append(f"  - {source.label}: {reason}")
        if isinstance(source, Mirror) and (folder := _folder_with(source.names, home, old)):
            return copy_originals(source.names, folder, _emptied(raw))
    raise Unavailable("\n".join(reasons))


def _folder_with(names: tuple[str, ...], home: Path, old: Manifest | None) -> Path | None:
    """Where in the dataset's folder the user has put the original files."""
    listed = {home / file.path for file in old.inside} if old else set()
    for folder in (home, home / "raw"):
        if all((folder / name).is_file() and folder / name not in listed for name in names):
            return folder
    return None


def _emptied(folder: Path) -> Path:
    """The folder, without what a source may have left there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _advice(dataset: Dataset, reasons: Unavailable, home: Path, old: Manifest | None) -> str:
    lines = [f"dataset {dataset.name}: no source could deliver it.", str(reasons)]
    if old is not None and old.kind == "own":
        lines.append(
            f"What is in {home} is not the published set: it was accepted with on_mismatch: own. "
            "To use it, say so again (--on-mismatch own)."
        )
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


def _refuse_stand_in_for_real(old: Manifest | None, home: Path, reasons: Unavailable) -> None:
    if old is None or old.kind == "stand-in":
        return
    missing = missing_files(old, home)
    state = f"{missing[0]} is missing" if missing else "what is there was left as it is; to use it, leave out --force"
    raise InputError(
        f"dataset {old.dataset}: no source could deliver it again; {state}.\n{reasons}\n"
        f"For a stand-in in place of the {old.kind} data, delete {home / FILE_NAME} first."
    )


def _refuse_own_among_raw(delivery: Delivery, home: Path) -> None:
    """Stop if a user's own file lies among the raw files, where it would count as one that nobody recorded."""
    raw = home / "raw"
    for path in delivery.outside:
        if raw.resolve() in (path.parent.resolve() / path.name).parents:
            raise InputError(f"{path}: lies in {raw}, which is for files that hypercut fetched. Move it elsewhere.")


def _identified(dataset: Dataset, delivery: Delivery, raw: Path, on_mismatch: OnMismatch) -> Delivery:
    """Read what was delivered, and decide whether it is the published set.

    An error names the source, since the folder that the files are in will be gone.
    """
    origin = f"dataset {dataset.name} from {delivery.source}"
    try:
        collection = dataset.collect(raw)
    except InputError as error:
        raise InputError(f"{origin}: {error}".replace(f"{raw}/", "")) from None
    mismatch = dataset.mismatch(collection) if delivery.kind == "real" else None
    if mismatch is None:
        return delivery
    if on_mismatch == "fail":
        raise InputError(
            f"{origin}: {mismatch} Get the original files. To use these all the same, as data of your own that are "
            "compared with no published number: on_mismatch: own under data in the config, or --on-mismatch own."
        )
    _log.warning("%s: %s Accepted as own data.", origin, mismatch)
    return replace(delivery, kind="own")


def _write_manifest(dataset: Dataset, delivery: Delivery, folder: Path, code: str) -> Manifest:
    inside = sorted(path for path in (folder / "raw").rglob("*") if path.is_file())
    records = [
        FileRecord(path.relative_to(folder).as_posix(), path.stat().st_size, checksum(path)) for path in inside
    ] + [FileRecord(os.path.abspath(path), path.stat().st_size, checksum(path)) for path in delivery.outside]
    made_here = delivery.kind in ("generated", "stand-in")
    terms = {"generated": GENERATED_TERMS, "stand-in": GENERATED_TERMS, "own": OWN_TERMS}
    manifest = Manifest(
        dataset=dataset.name,
        kind=delivery.kind,
        source=delivery.source,
        version=delivery.version,
        terms=terms.get(delivery.kind, dataset.terms),
        acquired=datetime.now(UTC).isoformat(timespec="seconds"),
        files=tuple(records),
        code=code if made_here else "",
        content=dataset.content_sha256 or "" if delivery.kind == "real" else "",
    )
    text = json.dumps(asdict(manifest), indent=1, ensure_ascii=False)
    (folder / FILE_NAME).write_text(text + "\n", encoding="utf-8")
    return manifest
