"""The lock on an MLflow server: one holder, and one that was killed is replaced."""

import threading
from pathlib import Path
from typing import Any

import pytest
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException

from hypercut.tracking import lock
from hypercut.tracking.lock import ServerLock

pytestmark = pytest.mark.server

NAME = "hypercut-sync-team"


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(lock, "POLL_SECONDS", 0.01)
    # A SQLite store has registered models as a server has, and the same unique names.
    return MlflowClient(tracking_uri=f"sqlite:///{tmp_path / 'mlflow.db'}")


def test_the_second_waits_for_the_first(client: Any) -> None:
    waiting, entered = threading.Event(), threading.Event()

    def enter_second() -> None:
        second = ServerLock(client, NAME)
        create = second._create

        def try_to_create() -> bool:
            created = create()
            waiting.set()
            return created

        second._create = try_to_create  # type: ignore[method-assign]
        with second:
            entered.set()

    thread = threading.Thread(target=enter_second)
    with ServerLock(client, NAME):
        thread.start()
        assert waiting.wait(60)
        assert not entered.is_set()
    assert entered.wait(60)
    thread.join()
    assert not client.search_registered_models()


def test_the_lock_of_a_killed_sync_is_taken_over(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client.create_registered_model(NAME)
    monkeypatch.setattr(lock, "ABANDONED_SECONDS", 0.1)
    with ServerLock(client, NAME):
        assert client.get_registered_model(NAME).description == lock.DESCRIPTION


def test_the_holder_renews_the_lock(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "RENEW_SECONDS", -1.0)
    with ServerLock(client, NAME) as held:
        client.update_registered_model(NAME, description="old")
        held.renew()
        assert client.get_registered_model(NAME).description == lock.DESCRIPTION


def test_an_error_of_the_server_is_raised(client: Any) -> None:
    with pytest.raises(MlflowException, match="name"), ServerLock(client, "a/b:c"):
        pass
