"""``hypercut ui`` is accessible from this machine only."""

import socket
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from hypercut.cli import main as cli
from hypercut.cli import ui
from hypercut.errors import InputError
from hypercut.files import write_json
from tests.tracking.results import closed_port, run_sync

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
    assert "--allowed-hosts hypercut.localhost:*,127.0.0.1:*,localhost:* " in command
    assert f"--artifacts-destination {(results / 'mlartifacts').as_uri()}" in command
    assert started["env"]["MLFLOW_DISABLE_TELEMETRY"] == "true"


def test_ui_prints_the_link_to_the_overview(synced: Path) -> None:
    report = run_sync(synced)
    write_json(synced / "tracking.json", asdict(report))
    assert f"http://host/{report.overview}\n" in ui.describe_pages(synced, "http://host")


@pytest.mark.parametrize("written", [None, "{}", "rubbish", '{"overview": ""}'])
def test_ui_without_an_overview_prints_the_list_of_experiments(tmp_path: Path, written: str | None) -> None:
    if written:
        (tmp_path / "tracking.json").write_text(written)
    assert f"http://host/{ui.HOME}" in ui.describe_pages(tmp_path, "http://host")


def test_ui_that_does_not_start_is_an_error() -> None:
    with (
        subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"]) as server,
        pytest.raises(InputError, match="status 3"),
    ):
        ui.wait_until_up(server, f"http://127.0.0.1:{closed_port()}")
