"""The MLflow server for a team: PostgreSQL, passwords, several people at once, where there is a PostgreSQL."""

import json
import shutil
import stat
import subprocess
import urllib.error
from collections.abc import Iterator
from pathlib import Path

import pytest

from hypercut.tracking.location import benchmark_id
from tests.server import Server, free_port, run_script
from tests.tracking.results import RUNS, make_results

pytestmark = pytest.mark.server


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


def finished(sync: "subprocess.Popen[str]") -> str:
    output, _ = sync.communicate(timeout=200)
    assert sync.returncode == 0, output
    return output


@pytest.fixture(scope="module")
def synced(server: Server, results: Path, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The server after two people have synced copies of the same results at once."""
    benchmark_id(results)
    copy = Path(shutil.copytree(results, tmp_path_factory.mktemp("copy") / "results"))
    for sync in [server.sync(results, "alice", "team"), server.sync(copy, "bob", "team")]:
        finished(sync)
    return server


def test_two_people_at_once_leave_each_run_once(synced: Server, results: Path) -> None:
    found = synced.runs("team")
    assert len(found) == len(set(found)) == RUNS
    assert f"0 runs created, 0 replaced, {RUNS} unchanged, 0 removed" in finished(synced.sync(results, "bob", "team"))
    assert synced.runs("team") == found


def test_two_benchmarks_share_a_prefix(synced: Server, results: Path, tmp_path: Path) -> None:
    before = synced.runs("team")
    other = Path(shutil.copytree(results, tmp_path / "other"))
    (other / "benchmark-id").unlink()
    assert f"{RUNS} runs created, 0 replaced, 0 unchanged, 0 removed" in finished(synced.sync(other, "bob", "team"))
    assert synced.runs("team") == sorted(before * 2)
    (other / "clusters" / "iris" / "clean" / "CSC.parquet").unlink()
    assert "1 removed" in finished(synced.sync(other, "bob", "team"))
    assert f"0 runs created, 0 replaced, {RUNS} unchanged, 0 removed" in finished(synced.sync(results, "alice", "team"))
    shutil.rmtree(other / "report")
    (other / "run.json").write_text(json.dumps({"expected": {"cells": [], "variations": []}}))
    finished(synced.sync(other, "bob", "team"))
    assert synced.runs("team") == before


def test_the_database_goes_away_and_comes_back(server: Server, results: Path) -> None:
    server.stop_database()
    sync = server.sync(results, "alice", "away")
    output, _ = sync.communicate(timeout=200)
    assert sync.returncode == 2
    assert "the MLflow server failed or did not answer" in output
    server.start_database()
    assert f"{RUNS} runs created" in finished(server.sync(results, "alice", "away"))


@pytest.mark.parametrize(("user", "host", "status"), [("stranger", "", 401), ("alice", "evil.example.org", 403)])
def test_strangers_are_errors(server: Server, user: str, host: str, status: int) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        server.request("/api/2.0/mlflow/experiments/search?max_results=1", user=user, host=host)
    refused.value.close()
    assert refused.value.code == status


def test_secrets_are_nowhere_but_in_files_of_ours(synced: Server) -> None:
    known = [*synced.secrets().values(), *synced.passwords.values()]
    folder = synced.folder / "server"
    for file in (folder / "secrets.json", folder / "pgpass"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    runs = synced.request("/api/2.0/mlflow/runs/search", {"experiment_ids": list(synced.experiments("team"))})
    assert len(runs["runs"]) == RUNS
    commands = subprocess.run(["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    files = [*synced.folder.rglob("*.log"), *synced.folder.glob("*.*"), folder / "authentication.ini"]
    texts = [json.dumps(runs), commands, synced.output, *(path.read_text() for path in files)]
    assert not [secret for secret in known for text in texts if secret in text]


def test_only_this_machine_may_connect(server: Server) -> None:
    settings = (server.folder / "server" / "postgresql" / "data" / "postgresql.conf").read_text()
    assert "listen_addresses = '127.0.0.1'" in settings
    access = (server.folder / "server" / "postgresql" / "data" / "pg_hba.conf").read_text()
    assert {line.split()[-1] for line in access.splitlines() if line and line[0] != "#"} == {"scram-sha-256"}


def refused(*arguments: object, **variables: str) -> str:
    """Return what the script prints when it does not start a server."""
    script = run_script(*arguments, **variables)
    output, _ = script.communicate(timeout=60)
    assert script.returncode == 2, output
    return output


def test_a_second_server_leaves_the_first_its_database(server: Server) -> None:
    assert "another server is running in this folder" in refused(server.folder / "server", free_port())
    assert server.request("/api/2.0/mlflow/experiments/search?max_results=1")


def test_a_port_in_use_is_reported(server: Server, tmp_path: Path) -> None:
    port = server.address.rpartition(":")[2]
    assert f"Port {port} is not free" in refused(tmp_path / "server", port)


def test_a_folder_of_somebody_else_is_left_alone(server: Server, tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("")
    (tmp_path / "pgpass").write_text("mine")
    assert "expected a new or empty folder, or one of an earlier server" in refused(tmp_path, free_port())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "pgpass"]
    assert (tmp_path / "pgpass").read_text() == "mine"


def test_without_postgresql_it_says_so(tmp_path: Path) -> None:
    output = refused(tmp_path / "server", free_port(), PGBIN="/nowhere")
    assert "PostgreSQL is not installed (no initdb). On Debian: apt-get install postgresql" in output
    assert not (tmp_path / "server").exists()
