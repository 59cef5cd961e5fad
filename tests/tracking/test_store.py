"""The choice of the store, and its error messages."""

import contextlib
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from hypercut.tracking.store import TrackingError, tracking_uri
from tests.tracking.results import closed_port, run_sync, start_step

pytestmark = pytest.mark.server


def test_where_the_store_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tracking_uri(tmp_path) == f"sqlite:///{tmp_path / 'mlflow.db'}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://server:5000")
    assert tracking_uri(tmp_path) == "http://server:5000"
    assert tracking_uri(tmp_path, "sqlite:///x.db") == "sqlite:///x.db"
    assert tracking_uri(tmp_path / "a?b", "") == "http://server:5000"
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    with pytest.raises(TrackingError, match="Rename the folder"):
        tracking_uri(tmp_path / "a?b")
    with pytest.raises(TrackingError, match=r"found postgresql://\*\*\*@db/m"):
        tracking_uri(tmp_path, "postgresql://me:secret@db/m")


@pytest.mark.parametrize("separator", "/@?#[ ")
@pytest.mark.parametrize("scheme", ["http://", "https://", ""])
def test_address_whose_password_would_be_misread(tmp_path: Path, scheme: str, separator: str) -> None:
    """MLflow and its libraries would parse a part of the password as a host or a path, and print it."""
    with pytest.raises(TrackingError) as error:
        tracking_uri(tmp_path, f"{scheme}me:hun{separator}ter2@host")
    assert not re.search("hun|ter2", str(error.value))
    assert ("MLFLOW_TRACKING_PASSWORD" in str(error.value)) == bool(scheme)


def test_server_down_is_one_clear_error(results: Path, tmp_path: Path) -> None:
    out = tmp_path / "tracking.json"
    uri = f"http://me:hunter2@127.0.0.1:{closed_port()}"
    step = start_step(results, "--out", out, "--uri", uri, MLFLOW_HTTP_REQUEST_MAX_RETRIES="1")
    _, errors = step.communicate(timeout=200)
    assert step.returncode == 2
    assert "did not answer" in errors
    assert len(errors.splitlines()) == 1
    assert "hunter2" not in errors
    assert not out.exists()


def test_database_that_is_none(results: Path) -> None:
    (results / "mlflow.db").write_bytes(b"rubbish" * 1000)
    with pytest.raises(TrackingError, match="file is not a database"):
        run_sync(results)


def test_a_database_in_use_is_not_to_be_removed(results: Path) -> None:
    with contextlib.closing(sqlite3.connect(results / "mlflow.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(TrackingError, match="database is locked") as error:
            run_sync(results)
    assert not re.search("remove|delete|rename", str(error.value), re.IGNORECASE)


def test_mlflow_is_imported_by_tracking_alone() -> None:
    """Importing the step, or printing its help, must not import MLflow, which takes seconds."""
    check = "import sys, hypercut.cli, hypercut.steps.track, hypercut.tracking.sync; assert 'mlflow' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True, env={**os.environ})
