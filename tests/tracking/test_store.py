"""Errors of the store are clear and leave no finished run."""

import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hypercut.tracking import store
from hypercut.tracking.location import TrackingError
from tests.tracking.results import (
    RUNS,
    closed_port,
    run_step,
    run_sync,
    runs,
)

pytestmark = pytest.mark.server


def test_files_that_vanish_while_they_are_sent_leave_no_finished_run(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = store.Store._write_files

    def lose(self: Any, run_id: str, artifact_uri: str, files: Path) -> None:
        original(self, run_id, artifact_uri, files)
        shutil.rmtree(files)

    with monkeypatch.context() as patched:
        patched.setattr(store.Store, "_write_files", lose)
        with pytest.raises(TrackingError, match="removed while they were sent"):
            run_sync(results, figures=False)
    assert "FINISHED" not in {run.info.status for run in runs(results).values()}
    assert run_sync(results, figures=False).created == RUNS


def test_server_down_is_one_clear_error(results: Path, tmp_path: Path) -> None:
    out = tmp_path / "tracking.json"
    uri = f"http://me:hunter2@127.0.0.1:{closed_port()}"
    step = run_step(results, "--out", out, "--uri", uri)
    assert step.returncode == 2
    message = step.stderr
    assert "the MLflow server failed or did not answer: " in message
    assert "Check that the server is running, and run the same command again" in message
    assert f"The results in {results} are not affected" in message
    assert len(message.splitlines()) == 1
    assert "hunter2" not in message
    assert "Traceback" not in message
    assert not out.exists()


def test_database_that_is_none_or_cannot_be_written(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode: Path(path) != results)
        with pytest.raises(TrackingError, match=f"could not use the database: {results} cannot be written"):
            run_sync(results)
    (results / "mlflow.db").write_bytes(b"rubbish" * 1000)
    with pytest.raises(TrackingError, match=r"file is not a database\. Rename the file"):
        run_sync(results)


def test_a_database_in_use_is_not_to_be_removed(results: Path) -> None:
    with contextlib.closing(sqlite3.connect(results / "mlflow.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(TrackingError, match=r"database is locked\. Wait until the program") as error:
            run_sync(results)
    assert not re.search("remove|delete|rename", str(error.value), re.IGNORECASE)
    assert run_sync(results, figures=False).created == RUNS


def test_mlflow_is_imported_by_tracking_alone() -> None:
    """Importing the step, or asking for its help, must not cost MLflow's seconds."""
    check = "import sys, hypercut.cli, hypercut.steps.track, hypercut.tracking.sync; assert 'mlflow' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True, env={**os.environ})
