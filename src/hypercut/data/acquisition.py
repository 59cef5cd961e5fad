"""Acquiring a dataset: its raw files in the data folder, with a manifest of their provenance.

Other files in the folder of a dataset belong to the user and are never touched.
"""

import logging
import os
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
    Manifest,
    find_manifest,
    missing_files,
    record,
    refuse_changed,
)
from hypercut.data.sources import Mirror
from hypercut.errors import InputError
from hypercut.files import explain_write_errors, write_json

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
    """Fetch or generate a dataset unless it is in the data folder, and return its manifest.

    Parameters
    ----------
    dataset
        The dataset, see :func:`hypercut.data.datasets.get`.
    root
        The data folder.
    mirror
        Folder or address that has the original files as ``<dataset>/<file name>``. The environment variable
        HYPERCUT_DATA_MIRROR overrides it.
    on_missing
        ``"standin"`` generates the dataset's stand-in, if it has one, when no source can deliver. A stand-in never
        replaces real data, and is replaced as soon as a source delivers.
    on_mismatch
        ``"own"`` accepts content other than the published one, as the user's own data.
    code
        Fingerprint of the code that generates data. Generated data are replaced if theirs differs.
    force
        Replace data that are already there.
    """
    mirror = os.environ.get(MIRROR_VARIABLE) or mirror
    root = Path(root)
    home, stage = root / dataset.folder, root / f".{dataset.folder}.part"
    with explain_write_errors(root):
        root.mkdir(parents=True, exist_ok=True)
        with locked(root / f".{dataset.folder}.lock", dataset.folder):
            finish_interrupted(stage, home)
            old = find_manifest(dataset.folder, root)
            refuse_changed(old.inside if old else (), home)
            usable = None if old is None or force or missing_files(old, home) else old
            if usable is not None and _suffices(dataset, usable, on_mismatch, code):
                return usable
            with staging(stage) as new:
                try:
                    delivery = _fetch_from_first(dataset, new / "raw", mirror, home, old)
                except Unavailable as reasons:
                    has_others = old is not None and old.kind != "stand-in"
                    if on_missing == "fail" or dataset.stand_in is None or has_others:
                        raise InputError(_advice(dataset, reasons, home, old)) from None
                    if usable is not None and _same_code(usable, code):
                        return usable
                    _log.warning("%s: no source can deliver it, generating a stand-in", dataset.folder)
                    delivery = fetch(dataset.stand_in, dataset.folder, new / "raw", mirror)
                _refuse_own_among_raw(delivery, home)
                delivery = _identified(dataset, delivery, new / "raw", on_mismatch)
                manifest = _write_manifest(dataset, delivery, new, code)
                put_in_place(stage, home)
    return manifest


def _suffices(dataset: Dataset, manifest: Manifest, on_mismatch: OnMismatch, code: str) -> bool:
    """Whether the data on disk are what a source would deliver."""
    if manifest.kind == "own":  # accepted in place of a published dataset; users' files are recorded again each time
        return on_mismatch == "own" and dataset.content_sha256 is not None
    return manifest.kind == "real" or (manifest.kind == "generated" and _same_code(manifest, code))


def _same_code(manifest: Manifest, code: str) -> bool:
    return not code or manifest.code == code


def _fetch_from_first(dataset: Dataset, raw: Path, mirror: str | None, home: Path, old: Manifest | None) -> Delivery:
    """Fetch from the first source that can deliver, or raise :class:`Unavailable` with the reasons of all."""
    reasons = []
    for source in dataset.sources:
        try:
            _log.info("%s: trying %s", dataset.folder, source.label)
            return fetch(source, dataset.folder, raw, mirror)
        except Unavailable as reason:
            _log.info("%s: %s: %s", dataset.folder, source.label, reason)
            reasons.append(f"  - {source.label}: {reason}")
        if isinstance(source, Mirror) and (folder := _folder_with(source.names, home, old)):
            copy_originals(source.names, folder, raw)
            return Delivery("real", f"files in {folder}", "as found")
    raise Unavailable("\n".join(reasons))


def _folder_with(names: tuple[str, ...], home: Path, old: Manifest | None) -> Path | None:
    """Return the folder, if any, where the user has put the original files: the dataset's or ``raw`` in it."""
    listed = {home / file.path for file in old.inside} if old else set()
    for folder in (home, home / "raw"):
        if all((folder / name).is_file() and folder / name not in listed for name in names):
            return folder
    return None


def _advice(dataset: Dataset, reasons: Unavailable, home: Path, old: Manifest | None) -> str:
    """Return the message for a dataset that no source delivers; ``old`` describes the data in its folder."""
    lines = [f"dataset {dataset.name}: no source could deliver it.", str(reasons)]
    if old is not None and old.kind != "stand-in":
        if missing := missing_files(old, home):
            lines.append(f"{missing[0]} is missing.")
        elif old.kind == "own":
            lines.append(
                f"The data in {home} are not the published set: they were accepted with on_mismatch: own. "
                "To use them, accept them again (--on-mismatch own)."
            )
        else:
            lines.append(f"The data in {home} were left unchanged; to use them, leave out --force.")
    lines.append(
        f"Get the files by other means, put them into a folder as {dataset.folder}/<file name>, and specify that "
        f"folder: data.mirror in the config, --mirror, or {MIRROR_VARIABLE}."
    )
    if dataset.stand_in is not None:
        first = f"delete {home / FILE_NAME} and " if old is not None and old.kind != "stand-in" else ""
        lines.append(
            f"Or {first}use a generated stand-in, marked as such: on_missing: standin in the config, or "
            "--on-missing standin."
        )
    return "\n".join(lines)


def _refuse_own_among_raw(delivery: Delivery, home: Path) -> None:
    """Raise an error if a user's own file lies in ``raw``, where every file must be in the manifest."""
    raw = home / "raw"
    for path in delivery.outside:
        if raw.resolve() in (path.parent.resolve() / path.name).parents:
            raise InputError(f"{path}: {raw} is reserved for files that hypercut fetched. Move it elsewhere.")


def _identified(dataset: Dataset, delivery: Delivery, raw: Path, on_mismatch: OnMismatch) -> Delivery:
    """Return the delivery after reading it, as ``own`` if it is not the published set and that is accepted.

    Errors name the source, since the folder with the files will be deleted.
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
            f"{origin}: {mismatch} Get the original files. To use these as your own data, which are not compared with "
            "published numbers: on_mismatch: own under data in the config, or --on-mismatch own."
        )
    _log.warning("%s: %s Accepted as own data.", origin, mismatch)
    return replace(delivery, kind="own")


def _write_manifest(dataset: Dataset, delivery: Delivery, folder: Path, code: str) -> Manifest:
    inside = sorted(path for path in (folder / "raw").rglob("*") if path.is_file())
    records = [record(path, path.relative_to(folder).as_posix()) for path in inside]
    records += [record(path, os.path.abspath(path)) for path in delivery.outside]
    terms = {"generated": GENERATED_TERMS, "stand-in": GENERATED_TERMS, "own": OWN_TERMS}
    manifest = Manifest(
        dataset=dataset.folder,
        kind=delivery.kind,
        source=delivery.source,
        version=delivery.version,
        terms=terms.get(delivery.kind, dataset.terms),
        acquired=datetime.now(UTC).isoformat(timespec="seconds"),
        files=tuple(records),
        code=code if delivery.kind in ("generated", "stand-in") else "",
        content=dataset.content_sha256 or "" if delivery.kind == "real" else "",
    )
    write_json(folder / FILE_NAME, asdict(manifest))
    return manifest
