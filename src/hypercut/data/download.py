"""Downloads over HTTP: with progress, retried, carried on where they were cut, and never taken for whole when not."""

import base64
import http.client
import logging
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import BinaryIO

from tqdm import tqdm

from hypercut.data.archives import refuse_html
from hypercut.errors import redact
from hypercut.progress import in_terminal

ATTEMPTS = 4
BACKOFF_SECONDS = 1.0
"""the pause before the second attempt; it doubles each time"""
TIMEOUT_SECONDS = 30.0
CHUNK_BYTES = 1 << 18

# The server does not have the file, or not for us: asking again will not help.
_FINAL_STATUSES = frozenset({400, 401, 403, 404, 405, 406, 407, 410, 451})

_log = logging.getLogger(__name__)


class Unavailable(Exception):
    """A source cannot deliver, through no fault of the data: another source may."""


class _Cut(Exception):
    """The connection ended before the file did."""


def download(url: str, target: Path, login: str | None = None) -> None:
    """Fetch a file to ``target``, or raise :class:`Unavailable` and leave nothing.

    ``login`` is ``user:password``. It is no part of the address, so that no message can tell it.
    """
    part = target.with_name(target.name + ".part")
    reason = ""
    for attempt in range(ATTEMPTS):
        if attempt:
            pause = BACKOFF_SECONDS * 2 ** (attempt - 1)
            _log.info("%s: %s; trying again in %g s", redact(url), reason, pause)
            time.sleep(pause)
        try:
            _fetch(url, part, login)
        except urllib.error.HTTPError as error:
            error.close()
            reason = f"the server answered {error.code} {error.reason}"
            if error.code in _FINAL_STATUSES:
                break
        except (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError, _Cut) as error:
            reason = str(getattr(error, "reason", error)) or type(error).__name__
        else:
            refuse_html(part, redact(url))
            part.rename(target)
            return
    part.unlink(missing_ok=True)
    raise Unavailable(redact(f"{url}: {reason}"))


def _fetch(url: str, part: Path, login: str | None) -> None:
    """One attempt: carry on after what ``part`` already holds, if the server can."""
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    if login is not None:
        # Not sent to where the server may redirect to.
        request.add_unredirected_header("Authorization", f"Basic {base64.b64encode(login.encode()).decode()}")
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError as error:
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            # The file there is not longer than what we have: it is another one now, so start clean.
            part.unlink()
        raise
    with response:
        resumed = response.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        start = have if have and resumed else 0
        length = response.headers.get("Content-Length")
        total = start + int(length) if length else None
        with part.open("ab" if start else "wb") as file:
            copy_with_progress(_Connection(response), file, label=part.stem, total=total, start=start)
    got = part.stat().st_size
    if total is not None and got != total:
        raise _Cut(f"the connection ended after {got} of {total} bytes")


class _Connection:
    """A response whose failures to read are a lost connection, and so told apart from a disk that cannot be written."""

    def __init__(self, response: BinaryIO) -> None:
        self.response = response

    def read(self, size: int) -> bytes:
        try:
            return self.response.read(size)
        except OSError as error:
            raise _Cut(str(error) or type(error).__name__) from None


def copy_with_progress(
    source: "BinaryIO | _Connection", target: BinaryIO, *, label: str, total: int | None, start: int = 0
) -> None:
    """Copy a stream, with a bar in a terminal."""
    with tqdm(
        desc=label, total=total, initial=start, unit="B", unit_scale=True, leave=False, disable=not in_terminal()
    ) as bar:
        while chunk := source.read(CHUNK_BYTES):
            try:
                target.write(chunk)
            except OSError as error:
                # A failed write does not say to which file, but the user must know.
                error.filename = target.name
                raise
            bar.update(len(chunk))
