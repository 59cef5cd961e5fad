"""MLflow follows the results: no duplicates, no leftovers, nothing lost by an interruption."""

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mlflow import MlflowClient

from hypercut.errors import InputError
from hypercut.steps._program import STARTED_BY
from hypercut.tracking.store import sync_lock, tracking_uri
from hypercut.tracking.sync import sync
from tests import rows as fake
from tests.tracking.results import (
    ALGORITHMS,
    RUNS,
    aggregate,
    artifacts,
    benchmark_runs,
    client,
    drop,
    identity,
    outcome,
    run_step,
    run_sync,
    runs,
)

pytestmark = pytest.mark.server


def test_second_sync_changes_nothing(synced: Path) -> None:
    before = {name: run.to_dictionary() for name, run in runs(synced).items()}
    assert outcome(run_sync(synced)) == (0, 0, RUNS, 0)
    assert {name: run.to_dictionary() for name, run in runs(synced).items()} == before
    # Another commit is no other result.
    record = json.loads((synced / "run.json").read_text())
    (synced / "run.json").write_text(json.dumps(record | {"commit": "def456"}))
    assert outcome(run_sync(synced)) == (0, 0, RUNS, 0)


def test_changed_result_replaces_its_run_and_its_curve(synced: Path) -> None:
    before = runs(synced)
    fake.write_cell(synced, "iris", "noise-L1", "CSC", repeats=3)
    aggregate(synced)
    assert outcome(run_sync(synced)) == (0, 2, RUNS - 2, 0)
    after = runs(synced)
    changed = {name for name in after if after[name].info.run_id != before[name].info.run_id}
    assert changed == {"CSC · noise-L1", "CSC · iris noise"}
    assert after["CSC · noise-L1"].data.params["repeats"] == "3"
    assert not artifacts(synced, before["CSC · noise-L1"]).exists()


def test_other_code_data_or_versions_and_a_changed_report_replace_runs(synced: Path) -> None:
    aggregate(synced, code="another")
    assert outcome(run_sync(synced)) == (0, RUNS, 0, 0)
    (synced / "report" / "tables" / "one.csv").write_text("a\n2\n")
    assert outcome(run_sync(synced)) == (0, 1, RUNS - 1, 0)
    assert outcome(run_sync(synced, headline={"gain": 1.5})) == (0, 1, RUNS - 1, 0)


def test_what_is_no_longer_there_is_removed(synced: Path) -> None:
    mlflow = client(synced)
    experiment = mlflow.get_experiment_by_name("hypercut/iris")
    mlflow.create_run(experiment.experiment_id, run_name="somebody else's")
    drop(synced, "clean")
    shutil.rmtree(synced / "report")
    assert run_sync(synced).removed == RUNS - len(ALGORITHMS)
    assert set(runs(synced)) == {*(f"{algorithm} · clean" for algorithm in ALGORITHMS), "somebody else's"}
    assert {item.name for item in mlflow.search_experiments()} == {"Default", "hypercut/iris"}

    # Experiments that come back do not bring back what was deleted.
    fake.write_cell(synced, "iris", "noise-L1", "CSC")
    aggregate(synced)
    run_sync(synced)
    assert {"CSC · noise-L1", "CSC · iris noise"} < set(runs(synced))
    assert len(runs(synced)) == len(ALGORITHMS) + 3
    for name in ("CSC · noise-L1", "CSC · iris noise"):
        assert list(artifacts(synced, runs(synced)[name]).iterdir())


def test_an_experiment_that_somebody_else_made_is_not_removed(results: Path) -> None:
    client(results).create_experiment("hypercut/report", artifact_location=(results / "theirs").as_uri())
    run_sync(results)
    shutil.rmtree(results / "report")
    run_sync(results)
    assert "report" not in runs(results)
    assert "hypercut/report" in {item.name for item in client(results).search_experiments()}


@pytest.mark.parametrize("call", ["log_batch", "set_terminated"])
def test_interrupted_sync_is_completed(results: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    original, count = getattr(MlflowClient, call), 0

    def die_at_the_fifth(*args: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        if count == 5:
            raise KeyboardInterrupt
        return original(*args, **options)

    monkeypatch.setattr(MlflowClient, call, die_at_the_fifth)
    with pytest.raises(KeyboardInterrupt):
        run_sync(results)
    monkeypatch.undo()
    assert "RUNNING" in {run.info.status for run in runs(results).values()}
    report = run_sync(results)
    assert report.removed == 1
    assert report.skipped >= 4
    assert report.created + report.skipped == RUNS
    assert [run.info.status for run in runs(results).values()] == ["FINISHED"] * RUNS


def test_duplicates_are_reduced_to_one(synced: Path) -> None:
    mlflow, one = client(synced), runs(synced)["CSC · clean"]
    tags = {key: value for key, value in one.data.tags.items() if key.startswith("hypercut.")}
    for name in ("CSC · clean", "twin"):
        twin = mlflow.create_run(one.info.experiment_id, run_name=name, tags=tags)
        mlflow.set_terminated(twin.info.run_id)
    assert run_sync(synced).removed == 2
    assert len(runs(synced)) == RUNS


def _sync_in_process(results: str, barrier: Any, outcomes: Any) -> None:
    barrier.wait()
    try:
        report = run_sync(Path(results))
        outcomes.put(report.created + report.skipped)
    except Exception as error:
        outcomes.put(repr(error))


def test_two_first_syncs_at_once_leave_one_run_each(results: Path) -> None:
    (results / "mlflow.db").unlink()
    context = multiprocessing.get_context("spawn")
    barrier, outcomes = context.Barrier(2), context.Queue()
    processes = [context.Process(target=_sync_in_process, args=(str(results), barrier, outcomes)) for _ in range(2)]
    for process in processes:
        process.start()
    assert [outcomes.get(timeout=120) for _ in processes] == [RUNS, RUNS]
    for process in processes:
        process.join()
    found = runs(results)
    assert [run.info.status for run in found.values()] == ["FINISHED"] * RUNS
    assert all(list(artifacts(results, run).iterdir()) for run in found.values())
    assert run_sync(results).skipped == RUNS


def test_results_can_be_moved(synced: Path) -> None:
    moved = synced.rename(synced.with_name("elsewhere"))
    assert run_sync(moved).skipped == RUNS
    run = runs(moved)["CSC · clean"]
    assert (artifacts(moved, run) / "rows.parquet").exists()
    assert str(synced) not in json.dumps(run.to_dictionary())


def test_prefixes_stand_side_by_side(synced: Path) -> None:
    for prefix in ("hypercut/quick", "team"):
        assert outcome(run_sync(synced, prefix=prefix)) == (RUNS, 0, 0, 0)
    assert outcome(run_sync(synced)) == (0, 0, RUNS, 0)
    with pytest.raises(InputError, match="Expected a prefix of letters"):
        run_sync(synced, prefix="it's")


def test_two_benchmarks_in_one_store_leave_each_other_alone(shared: tuple[Path, Path, str]) -> None:
    one, two, uri = shared
    for results in (one, two):
        assert outcome(sync(results, uri)) == (RUNS, 0, 0, 0)
    found = benchmark_runs(uri)
    assert set(found) == {identity(one), identity(two)}
    assert found[identity(one)] == found[identity(two)]
    for results in (one, two):
        assert outcome(sync(results, uri)) == (0, 0, RUNS, 0)
    assert benchmark_runs(uri) == found

    (one / "clusters" / "iris" / "clean" / "true labels.parquet").unlink()
    aggregate(one)
    sync(one, uri)
    after = benchmark_runs(uri)
    assert after[identity(two)] == found[identity(two)]
    assert found[identity(one)] - after[identity(one)] == {"hypercut/iris true labels · clean"}


def test_experiments_are_removed_with_their_last_benchmark(shared: tuple[Path, Path, str]) -> None:
    one, two, uri = shared
    for results in (one, two):
        sync(results, uri)
    mlflow = MlflowClient(uri)
    drop(one, "clean")
    sync(one, uri)
    curves = mlflow.get_experiment_by_name("hypercut/curves")
    views = [tag for tag in curves.tags if tag.startswith("mlflow.sharedViewState.")]
    assert views
    assert all(identity(two)[:8] in tag for tag in views)
    drop(two, "clean")
    sync(two, uri)
    assert "hypercut/curves" not in {item.name for item in mlflow.search_experiments()}

    # An experiment that one benchmark brings back does not bring back the other's deleted runs.
    fake.write_cell(two, "iris", "noise-L1", "CSC")
    aggregate(two)
    sync(two, uri)
    found = benchmark_runs(uri)
    assert {name for name in found[identity(two)] if "curves" in name} == {"hypercut/curves CSC · iris noise"}
    assert not [name for name in found[identity(one)] if "curves" in name]


def test_copied_results_are_the_same_benchmark(synced: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(synced, tmp_path / "copy"))
    assert outcome(sync(copy, tracking_uri(synced))) == (0, 0, RUNS, 0)
    # Without the file it is a benchmark of its own.
    (copy / "benchmark-id").unlink()
    assert outcome(sync(copy, tracking_uri(synced))) == (RUNS, 0, 0, 0)


def test_step_writes_what_it_did(results: Path) -> None:
    out, headline = results / "tracking.json", results / "headline.json"
    headline.write_text('{"gain": 1.5}')
    step = run_step(results, "--out", out, "--headline", headline)
    assert step.returncode == 0, step.stderr
    assert runs(results)["report"].data.metrics == {"gain": 1.5}
    written = json.loads(out.read_text())
    assert written["created"] == RUNS
    assert written["uri"].startswith("sqlite:///")
    assert not list(results.glob(".*.part"))


@pytest.mark.parametrize(("file", "written"), [("run.json", "{}"), ("run.json", "rubbish"), ("benchmark-id", "mine")])
def test_results_that_are_none(results: Path, file: str, written: str) -> None:
    (results / file).write_text(written)
    with pytest.raises(InputError, match=file):
        run_sync(results)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="this system cannot wait for any process")
def test_step_ends_with_the_process_that_started_it(results: Path) -> None:
    """It waits for another sync, so it would not end by itself."""
    command = [sys.executable, "-m", "hypercut.steps.track", str(results), "--out", str(results / "tracking.json")]
    with (
        sync_lock(results, tracking_uri(results)),
        subprocess.Popen(["cat"], stdin=subprocess.PIPE) as starter,
        subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env={**os.environ, STARTED_BY: str(starter.pid)}
        ) as step,
    ):
        try:
            assert "Waiting for another sync" in step.stderr.readline()
            starter.communicate()
            assert step.wait(60) == 1
        finally:
            step.kill()
    assert not (results / "tracking.json").exists()
