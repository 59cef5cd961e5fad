"""One sync at a time: a lock beside a SQLite database, or on the server that clients of several machines share."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

#: A server's lock that is not renewed for this long belongs to a sync that was killed.
ABANDONED_SECONDS = 60.0
RENEW_SECONDS = 10.0
POLL_SECONDS = 1.0

DESCRIPTION = "hypercut is writing runs; this entry is the lock of its sync and is deleted at the end."

_log = logging.getLogger(__name__)


@contextmanager
def database_lock(database: Path) -> Iterator[None]:
    """Hold the lock of a SQLite database. The operating system releases it when the process ends."""
    lock = FileLock(database.with_name(f".{database.name}.lock"))
    try:
        held = lock.acquire(timeout=0)
    except Timeout:
        _log.info("Waiting for another sync that writes to %s", database)
        held = lock.acquire()
    with held:
        yield


class ServerLock:
    """A lock on an MLflow server.

    It is a registered model: the only entity of MLflow that has a unique name and can be deleted for good. The holder
    renews it; a lock that is no longer renewed is taken over.
    """

    def __init__(self, client: Any, name: str) -> None:
        from mlflow.exceptions import MlflowException  # takes seconds to import

        self._client = client
        self._name = name
        self._error: type[Exception] = MlflowException
        self._renewed = 0.0

    def __enter__(self) -> "ServerLock":
        seen, since = None, time.monotonic()
        while not self._create():
            found = self._last_renewal()
            if found != seen:
                if seen is None:
                    _log.info("Waiting for another sync to this server (lock: model %s)", self._name)
                seen, since = found, time.monotonic()
            elif time.monotonic() - since > ABANDONED_SECONDS:
                self._delete()
            time.sleep(POLL_SECONDS)
        self._renewed = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self._delete()

    def renew(self) -> None:
        """Show that the holder is alive. To be called often; most calls do nothing."""
        if time.monotonic() - self._renewed > RENEW_SECONDS:
            self._client.update_registered_model(self._name, description=DESCRIPTION)
            self._renewed = time.monotonic()

    def _create(self) -> bool:
        try:
            self._client.create_registered_model(self._name, description=DESCRIPTION)
        except self._error as error:
            # MLflow looks up the existing model for its message, which may have been deleted by then.
            if getattr(error, "error_code", "") in ("RESOURCE_ALREADY_EXISTS", "RESOURCE_DOES_NOT_EXIST"):
                return False
            raise
        return True

    def _last_renewal(self) -> int | None:
        with suppress(self._error):
            return int(self._client.get_registered_model(self._name).last_updated_timestamp)
        return None

    def _delete(self) -> None:
        # Deleted by another sync, or the server is down: then the next sync finds the lock abandoned.
        with suppress(self._error):
            self._client.delete_registered_model(self._name)
