"""Generated files in the formats and sizes of the real ones. Their content is invented, so no terms apply."""

import bz2
import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from hypercut.data import datasets
from hypercut.data.datasets import Dataset


def image_bytes(pixels: np.ndarray, kind: str) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, kind)
    return buffer.getvalue()


def pgm(width: int, height: int, grey: int) -> bytes:
    return b"P5\n%d %d\n255\n" % (width, height) + bytes([grey]) * (width * height)


def zip_of(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 1)  # without the time
    return buffer.getvalue()


def tar_of(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def orl_members() -> dict[str, bytes]:
    pictures = {f"s{s}/{m}.pgm": pgm(92, 112, 5 * s + m) for s in range(1, 41) for m in range(1, 11)}
    return {"README": b"about", **pictures}


def orl() -> dict[str, bytes]:
    return {"att_faces.zip": zip_of({f"orl_faces/{name}": content for name, content in orl_members().items()})}


def yaleb_members() -> dict[str, bytes]:
    lights = [f"A{azimuth:+04d}E+{elevation:02d}" for azimuth in range(-80, 80, 20) for elevation in range(8)]
    members = {
        f"CroppedYale/yaleB{person:02d}/yaleB{person:02d}_P00{light}.pgm": pgm(168, 192, person)
        for person in range(1, 39)
        for light in lights
    }
    for name in list(members)[:18]:
        members[f"{name}.bad"] = members.pop(name)
    members["CroppedYale/yaleB01/yaleB01_P00_Ambient.pgm"] = pgm(168, 192, 0)
    return members


def yaleb() -> dict[str, bytes]:
    return {"CroppedYale.zip": zip_of(yaleb_members())}


def usps(training: int = 7291, test: int = 2007) -> dict[str, bytes]:
    lines = [f"{1 + i % 10} 1:-1 {2 + i % 255}:{(i % 1000) / 500 - 1:.4f}\n" for i in range(training + test)]
    return {
        "usps.bz2": bz2.compress("".join(lines[:training]).encode()),
        "usps.t.bz2": bz2.compress("".join(lines[training:]).encode()),
    }


def mnist() -> dict[str, bytes]:
    files = {}
    for part, size in (("train", 60000), ("t10k", 10000)):
        labels = np.arange(size, dtype=np.uint8) % 10
        images = np.zeros((size, 28, 28), dtype=np.uint8)
        images[np.arange(size), labels, np.arange(size) % 28] = 255
        for what, values in (("images", images), ("labels", labels)):
            header = bytes([0, 0, 8, values.ndim]) + np.array(values.shape, dtype=">u4").tobytes()
            content = gzip.compress(header + values.tobytes(), compresslevel=1, mtime=0)
            files[f"{part}-{what}-idx{values.ndim}-ubyte.gz"] = content
    return files


def corel_members() -> dict[str, bytes]:
    upright = image_bytes(np.indices((384, 256, 3)).sum(axis=0).astype(np.uint8), "JPEG")
    lying = image_bytes(np.indices((256, 384, 3)).sum(axis=0).astype(np.uint8), "JPEG")
    return {f"image.orig/{number}.jpg": upright if number % 3 == 0 else lying for number in range(1000)}


def corel() -> dict[str, bytes]:
    return {"test1.tar": tar_of(corel_members())}


def libras() -> dict[str, bytes]:
    points = np.random.default_rng(0).uniform(0, 1, (360, 90)).round(5)
    rows = [",".join(map(str, row)) + f",{1 + i // 24}" for i, row in enumerate(points)]
    return {"movement_libras.dat": "\n".join(rows).encode() + b"\n"}


ORIGINALS: dict[str, Callable[[], dict[str, bytes]]] = {
    "orl": orl,
    "yaleb": yaleb,
    "usps": usps,
    "mnist": mnist,
    "corel": corel,
    "libras": libras,
}


def write_mirror(folder: Path, dataset: str, files: dict[str, bytes] | None = None) -> Path:
    """Put a dataset's files into a mirror folder."""
    (folder / dataset).mkdir(parents=True, exist_ok=True)
    for name, content in (ORIGINALS[dataset]() if files is None else files).items():
        (folder / dataset / name).write_bytes(content)
    return folder


def invented(name: str) -> Dataset:
    """Return a dataset that accepts the generated files as the published ones."""
    dataset = datasets.get(name)
    return replace(dataset, content_sha256=None) if name in ORIGINALS else dataset
