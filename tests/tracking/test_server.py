"""The MLflow server for a team: PostgreSQL, passwords, several people at once, where there is a PostgreSQL."""

import json
import shutil
import stat
import subprocess
import urllib.error
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server import Server
from tests.tracking.results import RUNS, drop, make_results

pytestmark = pytest.mark.server

UNCHANGED = f"0 runs created, 0 replaced, {RUNS} unchanged, 0 removed"
CREATED = f"{RUNS} runs created, 0 replaced, 0 unchanged, 0 removed"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    reason = Server.reason_not_to_run()
    if reason:
        pytest.skip(reason)
    with Server() as running:
        for user in ("alice", "bob"):
            running.add_user(user)
        yield running


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    make_results(folder)
    return folder


@pytest.fixture(scope="module")
def other(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(results, tmp_path_factory.mktemp("other") / "results"))


@pytest.fixture(scope="module")
def outputs(server: Server, results: Path, other: Path) -> list[str]:
    """Two people sync the same results at once, and one of them another benchmark with the same prefix and datasets."""
    syncs = [server.sync(*what, "team") for what in ((results, "alice"), (results, "bob"), (other, "bob"))]
    return [finished(sync) for sync in syncs]


def finished(sync: "subprocess.Popen[str]") -> str:
    output, _ = sync.communicate(timeout=200)
    assert sync.returncode == 0, output
    return output


def test_syncs_at_once_leave_each_run_of_two_benchmarks_once(
    server: Server, results: Path, other: Path, outputs: list[str]
) -> None:
    assert sorted(CREATED in output for output in outputs) == [False, True, True]
    assert sorted(UNCHANGED in output for output in outputs) == [False, False, True]
    both = server.runs("team")
    assert len(both) == 2 * RUNS
    assert len(set(both)) == RUNS
    drop(other, "noise-L1")
    shutil.rmtree(other / "report")
    assert "0 runs created" in finished(server.sync(other, "bob", "team"))
    assert len(server.runs("team")) < 2 * RUNS
    assert UNCHANGED in finished(server.sync(results, "alice", "team"))


def test_the_database_goes_away_and_comes_back(server: Server, results: Path, outputs: list[str]) -> None:
    server.stop_database()
    sync = server.sync(results, "alice", "team")
    output, _ = sync.communicate(timeout=200)
    assert sync.returncode == 2
    assert "the MLflow server failed or did not answer" in output
    server.start_database()
    assert UNCHANGED in finished(server.sync(results, "alice", "team"))


@pytest.mark.parametrize(("user", "host", "status"), [("stranger", "", 401), ("alice", "evil.example.org", 403)])
def test_strangers_are_errors(server: Server, user: str, host: str, status: int) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        server.request("/api/2.0/mlflow/experiments/search?max_results=1", user=user, host=host)
    refused.value.close()
    assert refused.value.code == status


def test_secrets_are_nowhere_but_in_files_of_ours(server: Server, outputs: list[str]) -> None:
    folder = server.folder / "mlflow-server"
    files = [folder / name for name in ("pgpass", "admin-password", "session-key")]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    known = [*server.passwords.values(), (folder / "session-key").read_text().strip()]
    runs = server.request("/api/2.0/mlflow/runs/search", {"experiment_ids": list(server.experiments("team"))})
    assert len(runs["runs"]) >= RUNS
    commands = subprocess.run(["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    written = [server.log, *server.folder.glob("*.json"), folder / "authentication.ini"]
    texts = [json.dumps(runs), commands, *outputs, *(path.read_text() for path in written)]
    assert not [secret for secret in known for text in texts if secret in text]
