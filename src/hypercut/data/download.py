"""Downloads over HTTP with progress, retries and resumption.

pooch transfers the bytes. Its own retries start over, also after a 404, so the loop is here.
"""

import http
import logging
import socket
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tqdm import tqdm

from hypercut.data.archives import refuse_html
from hypercut.errors import redact
from hypercut.progress import in_terminal

ATTEMPTS = 4
BACKOFF_SECONDS = 1.0
"""pause before the second attempt; doubled before each further one"""
TIMEOUT_SECONDS = 30.0
CHUNK_BYTES = 1 << 16

#: The server does not have the file, or denies access: retrying does not help.
_FINAL_STATUSES = frozenset({400, 401, 403, 404, 405, 406, 407, 410, 451})

_log = logging.getLogger(__name__)


class Unavailable(Exception):
    """A source cannot deliver the data, but another one may."""


def download(url: str, target: Path, login: str | None = None) -> None:
    """Download a file to ``target``, or raise :class:`Unavailable` and leave nothing behind.

    ``login`` is ``user:password``, kept apart from the address so that no message contains it.
    """
    import requests  # slow to import, and needed by few commands

    part = target.with_name(target.name + ".part")
    reason = ""
    for attempt in range(ATTEMPTS):
        if attempt:
            pause = BACKOFF_SECONDS * 2 ** (attempt - 1)
            _log.info("%s: %s; trying again in %g s", redact(url), reason, pause)
            time.sleep(pause)
        try:
            _transfer(url, part, login)
        except requests.RequestException as error:
            answer = error.response  # None if the connection failed
            if answer is None:
                cause = _root_cause(error)
                reason = str(cause) or type(cause).__name__
                final = isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_NONAME
            else:
                reason = f"the server answered {answer.status_code} {answer.reason}"
                final = answer.status_code in _FINAL_STATUSES
            if final:
                break
        else:
            refuse_html(part, redact(url))
            part.rename(target)
            return
    part.unlink(missing_ok=True)
    raise Unavailable(redact(f"{url}: {reason}"))


def _transfer(url: str, part: Path, login: str | None) -> None:
    """Make one attempt, which appends to ``part`` if the server can resume."""
    import pooch  # slow to import, and needed by few commands

    user, _, password = (login or "").encode().partition(b":")
    # A total of 1 until pooch sets the real one: a tqdm bar without a total has no truth value, which pooch tests.
    bar = tqdm(desc=part.stem, total=1, unit="B", unit_scale=True, leave=False, disable=not in_terminal())
    with part.open("ab") as file, bar, ExitStack() as stack:
        headers = {"Accept-Encoding": "identity"}  # otherwise requests unpacks files that the server compressed
        if file.tell():
            headers["Range"] = f"bytes={file.tell()}-"

        def inspect(response: Any, **_: object) -> None:
            stack.callback(response.close)  # pooch leaves the connection open when writing fails
            # The server sends the whole file, or its file is shorter than the part that we have.
            if response.status_code in (http.HTTPStatus.OK, http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE):
                file.truncate(0)

        options = {"headers": headers, "hooks": {"response": inspect}, "auth": (user, password) if login else None}
        fetch = pooch.HTTPDownloader(progressbar=bar, chunk_size=CHUNK_BYTES, timeout=TIMEOUT_SECONDS, **options)
        fetch(url, file, None)


def _root_cause(error: BaseException) -> BaseException:
    """Return the innermost error that requests and urllib3 have wrapped in their own."""
    while inner := error.__cause__ or error.__context__:
        error = inner
    return error
