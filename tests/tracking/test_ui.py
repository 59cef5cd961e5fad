"""``hypercut ui`` serves this machine only."""

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
    assert f"--artifacts-destination {results / 'mlartifacts'}" in command
    expected = {
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "DO_NOT_TRACK": "true",
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
    }
    assert expected.items() <= started["env"].items()


def test_ui_prints_one_link_and_the_others_on_request(synced: Path) -> None:
    report = run_sync(synced, figures=False)
    write_json(synced / "tracking.json", asdict(report))
    address = "http://hypercut.localhost:5000"
    short = ui.describe_pages(synced, address, links=False)
    assert short.count("http://") == 1
    assert "on this machine only" in short
    assert f"{address}/{report.overview}\n" in short
    everything = ui.describe_pages(synced, address, links=True)
    assert everything.index(report.overview) < everything.index(min(report.links.values(), key=everything.index))
    assert all(f"{address}/{link}" in everything for link in report.links.values())


@pytest.mark.parametrize("written", [None, "{}", "rubbish", '{"links": {"a": "#/a"}}'])
def test_ui_without_an_overview_prints_the_list_of_experiments(tmp_path: Path, written: str | None) -> None:
    if written:
        (tmp_path / "tracking.json").write_text(written)
    assert f"http://host/{ui.HOME}" in ui.describe_pages(tmp_path, "http://host", links=True)


def test_ui_that_does_not_start_is_an_error() -> None:
    with (
        subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"]) as server,
        pytest.raises(InputError, match="status 3"),
    ):
        ui.wait_until_up(server, f"http://127.0.0.1:{closed_port()}")
