"""``hypercut ui`` serves this machine only."""

import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hypercut.cli import main as cli
from hypercut.cli import ui
from hypercut.errors import InputError
from tests.tracking.results import closed_port

pytestmark = pytest.mark.server


def test_ui_without_a_store_or_a_free_port(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(["ui", str(tmp_path / "nothing")]) == 2
    assert "run the benchmark first" in capsys.readouterr().err
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert cli(["ui", str(results), "--port", str(taken.getsockname()[1])]) == 2
    assert "is not free" in capsys.readouterr().err


def test_ui_is_for_this_machine_alone(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: dict[str, Any] = {}
    monkeypatch.setattr(subprocess, "Popen", lambda command, **options: started.update(command=command, **options))
    ui.start_server(ui.find_database(results), 5000)
    command = " ".join(started["command"])
    assert "--host 127.0.0.1" in command
    assert f"--artifacts-destination {results / 'mlartifacts'}" in command
    expected = {
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "DO_NOT_TRACK": "true",
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
    }
    assert expected.items() <= started["env"].items()


def test_ui_that_does_not_start_is_an_error() -> None:
    with (
        subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"]) as server,
        pytest.raises(InputError, match="status 3"),
    ):
        ui.wait_until_up(server, f"http://127.0.0.1:{closed_port()}")
