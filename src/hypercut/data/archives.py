"""Reading untrusted archives, compressed files and images.

Members are selected by name and read into memory, so an archive cannot decide where a file is written. Unreadable files
raise an :class:`~hypercut.errors.InputError` that names them.
"""

import bz2
import gzip
import io
import re
import tarfile
import zipfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import numpy as np
from PIL import Image

from hypercut.errors import InputError


@contextmanager
def _reading(name: Path | str, expected: str, remedy: str = "Fetch it again.") -> Iterator[None]:
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged file can fail in any layer: zip, zlib, the header of an image
        raise InputError(
            f"{name}: expected {expected}, found damage or another type, such as a web page ({error}). {remedy}"
        ) from None


def zip_members(path: Path, pattern: str) -> dict[str, bytes]:
    """Return matching part of the path → content, for the files of a zip archive whose path ends with the pattern."""
    with _reading(path, "a zip archive"), zipfile.ZipFile(path) as archive:
        chosen = _choose(path, archive.namelist(), pattern)
        return {name: archive.read(member) for name, member in chosen.items()}


def tar_members(path: Path, pattern: str) -> dict[str, bytes]:
    """Return the same as :func:`zip_members` for a tar archive, compressed or not."""
    with _reading(path, "a tar archive"), tarfile.open(path) as archive:
        members = {member.name: member for member in archive}
        content = {}
        for name, member in _choose(path, members, pattern).items():
            file = archive.extractfile(members[member]) if members[member].isfile() else None
            if file is not None:  # links are not followed
                content[name] = file.read()
        return content


def folder_members(folder: Path, pattern: str) -> dict[str, bytes]:
    """Return the same as :func:`zip_members` for a folder."""
    paths = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    return {name: (folder / path).read_bytes() for name, path in _choose(folder, paths, pattern).items()}


def _choose(path: Path, members: Collection[str], pattern: str) -> dict[str, str]:
    """Return matching part → path of the members; raise an error for a path outside the archive's folder."""
    for member in members:
        parts = PurePosixPath(member.replace("\\", "/"))
        if parts.is_absolute() or ".." in parts.parts:
            raise InputError(f"{path}: the path {member!r} climbs out of its folder. Get the original elsewhere.")
    found = {member: re.search(rf"(?:^|/)({pattern})$", member) for member in members}
    return {match[1]: member for member, match in found.items() if match}


def require_members(path: Path, found: Mapping[str, object], expected: Collection[str]) -> None:
    """Raise an error if a required file is missing."""
    if missing := [name for name in expected if name not in found]:
        raise InputError(
            f"{path}: expected {len(expected)} files, {len(missing)} missing ({missing[0]} …). Fetch it again."
        )


def decompressed(path: Path) -> bytes:
    """Return the content of a file, decompressed if it is ``.gz`` or ``.bz2``."""
    with _reading(path, f"a {path.suffix} file"):
        content = path.read_bytes()
        return {".gz": gzip.decompress, ".bz2": bz2.decompress}.get(path.suffix, bytes)(content)


def decoded_image(content: bytes, name: str, sizes: Collection[tuple[int, int]] = ()) -> np.ndarray:
    """Return the pixels of an image, uint8, (height, width) if it is grey or (height, width, 3) if in colour.

    ``sizes`` are the allowed pairs (width, height); by default, any.
    """
    remedy = "Fetch it again, or delete it if it does not belong to the data."
    with _reading(name, "an image", remedy), Image.open(io.BytesIO(content)) as image:
        if image.mode.startswith("I;16") or (image.mode == "I" and image.format == "PNG"):
            pixels = (np.asarray(image) // 257).astype(np.uint8)  # 65535 = 257 · 255
        elif image.mode in ("I", "F"):
            # Its black and white levels are unknown.
            raise InputError(f"{name}: expected 8 or 16 bits per channel, found 32. Convert it to 8 bits.")
        else:
            pixels = np.asarray(image.convert("L" if image.mode in ("1", "L", "LA") else "RGB"))
    height, width = pixels.shape[:2]
    if sizes and (width, height) not in sizes:
        expected = " or ".join(f"{w}×{h}" for w, h in sizes)
        raise InputError(f"{name}: expected an image of {expected} pixels, found {width}×{height}. Fetch it again.")
    return pixels
