"""MLflow agrees with the results: no duplicates, no leftovers, and an interruption loses nothing."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from mlflow import MlflowClient

from hypercut.errors import InputError
from hypercut.steps._program import STARTED_BY
from hypercut.tracking.store import TrackingError, sync_lock, tracking_uri
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
    run_sync,
    runs,
    saved_views,
    start_step,
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


def test_damaged_runs_are_written_anew(synced: Path) -> None:
    before, mlflow = runs(synced), client(synced)
    mlflow.log_metric(before["CSC · clean"].info.run_id, "nmi", 0.999)
    mlflow.set_tag(before["STSC · clean"].info.run_id, "status", "edited")
    (artifacts(synced, before["report"]) / "tables" / "one.csv").write_text("")
    shutil.rmtree(artifacts(synced, before["CSC · noise-L1"]))
    mlflow.log_metric(before["STSC · noise-L1"].info.run_id, "their own", 1.0)
    assert outcome(run_sync(synced)) == (0, 4, RUNS - 4, 0)
    after = runs(synced)
    assert after["CSC · clean"].data.metrics == before["CSC · clean"].data.metrics
    assert after["STSC · clean"].data.tags == before["STSC · clean"].data.tags
    assert (artifacts(synced, after["report"]) / "tables" / "one.csv").read_text() == "a\n1\n"
    assert (artifacts(synced, after["CSC · noise-L1"]) / "rows.parquet").exists()


def test_rebuild_writes_all_runs_anew(synced: Path) -> None:
    before = {run.info.run_id for run in runs(synced).values()}
    assert outcome(run_sync(synced, rebuild=True)) == (0, RUNS, 0, 0)
    assert not before & {run.info.run_id for run in runs(synced).values()}


@pytest.mark.parametrize(
    "crafted", ["mlflow-artifacts:/../../victim/run/artifacts", "file://{victim}/run/artifacts", "mlflow-artifacts:/x"]
)
@pytest.mark.parametrize("table", ["runs SET artifact_uri", "experiments SET artifact_location"])
def test_nothing_outside_the_artifact_folder_is_touched(synced: Path, crafted: str, table: str) -> None:
    """A database may come from someone else."""
    kept = [synced.parent / "victim" / "run" / "artifacts" / "thesis", synced / "mlartifacts" / "thesis"]
    for path in kept:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    with closing(sqlite3.connect(synced / "mlflow.db")) as database, database:
        database.execute(f"UPDATE {table} = ?", [crafted.format(victim=kept[0].parents[2])])
    aggregate(synced, code="another")
    files = set(synced.parent.rglob("*"))
    if table.startswith("runs") or crafted != "mlflow-artifacts:/x":
        with pytest.raises(TrackingError, match="is not below"):
            run_sync(synced)
    assert all(path.read_text() == "mine" for path in kept)
    assert not [path for path in set(synced.parent.rglob("*")) - files if synced not in path.parents]


def test_links_do_not_lead_out_of_the_artifact_folder(synced: Path) -> None:
    moved = (synced / "mlartifacts").rename(synced.parent / "victim")
    (synced / "mlartifacts").symlink_to(moved)
    files = set(moved.rglob("*"))
    drop(synced, "clean")
    with pytest.raises(TrackingError, match="is not below"):
        run_sync(synced)
    assert set(moved.rglob("*")) == files


def test_what_is_no_longer_there_is_removed(synced: Path) -> None:
    mlflow = client(synced)
    experiment = mlflow.get_experiment_by_name("hypercut/iris")
    mlflow.create_run(experiment.experiment_id, run_name="somebody else's")
    drop(synced, "clean")
    shutil.rmtree(synced / "report")
    assert run_sync(synced).removed == RUNS - len(ALGORITHMS)
    left = {*(f"{algorithm} · clean" for algorithm in ALGORITHMS), "somebody else's"}
    assert set(runs(synced)) == left
    assert not saved_views(mlflow.get_experiment_by_name("hypercut/curves").tags)

    # An experiment that is restored does not bring back what was deleted.
    mlflow.delete_experiment(experiment.experiment_id)
    assert run_sync(synced).skipped == len(ALGORITHMS)
    assert set(runs(synced)) == left


def test_interrupted_sync_is_completed(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original, count = MlflowClient.log_batch, 0

    def die_at_the_fifth(*args: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        if count == 5:
            raise KeyboardInterrupt
        return original(*args, **options)

    monkeypatch.setattr(MlflowClient, "log_batch", die_at_the_fifth)
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


def test_two_first_syncs_at_once_leave_one_run_each(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder with special characters: only what is below the current one may have a question mark."""
    results = results.rename(results.with_name("a b?c#d%41{e}é[1]"))
    monkeypatch.chdir(results)
    (results / "mlflow.db").unlink()
    (results / "headline.json").write_text('{"gain": 1.5}')
    outs = [results / "one.json", results / "two.json"]
    for step in [start_step(results, "--out", out, "--headline", results / "headline.json") for out in outs]:
        output, _ = step.communicate(timeout=200)
        assert step.returncode == 0, output
    written = [json.loads(out.read_text()) for out in outs]
    assert sorted((report["created"], report["skipped"]) for report in written) == [(0, RUNS), (RUNS, 0)]
    found = runs(results)
    assert [run.info.status for run in found.values()] == ["FINISHED"] * RUNS
    assert all(list(artifacts(results, run).iterdir()) for run in found.values())
    assert found["report"].data.metrics == {"gain": 1.5}
    assert not list(results.glob(".*.part"))


def test_results_can_be_moved(synced: Path) -> None:
    moved = synced.rename(synced.with_name("else where#%41{e}é"))
    assert run_sync(moved).skipped == RUNS
    run = runs(moved)["CSC · clean"]
    assert (artifacts(moved, run) / "rows.parquet").exists()
    assert str(synced) not in json.dumps(run.to_dictionary())


def test_prefixes_stand_side_by_side(synced: Path) -> None:
    assert outcome(run_sync(synced, prefix="hypercut/quick")) == (RUNS, 0, 0, 0)
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
    assert outcome(sync(one, uri)) == (0, 0, RUNS, 0)

    mlflow = MlflowClient(uri)
    curves = mlflow.get_experiment_by_name("hypercut/curves")
    views = saved_views(curves.tags)
    assert len({view["name"] for view in views.values()}) == 2  # one of each benchmark
    for id, view in views.items():
        shown = mlflow.search_runs([curves.experiment_id], json.loads(view["state"])["searchFilter"])
        assert len(shown) == 2  # not the control
        (owner,) = {run.data.tags["hypercut.benchmark"] for run in shown}
        assert owner[:8] in id

    drop(one, "clean")
    sync(one, uri)
    after = benchmark_runs(uri)
    assert after[identity(two)] == found[identity(two)]
    assert not [name for name in after[identity(one)] if "curves" in name]
    (id,) = saved_views(mlflow.get_experiment_by_name("hypercut/curves").tags)
    assert identity(two)[:8] in id


def test_copied_results_are_the_same_benchmark(synced: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(synced, tmp_path / "copy"))
    assert outcome(sync(copy, tracking_uri(synced))) == (0, 0, RUNS, 0)


@pytest.mark.parametrize(("file", "written"), [("run.json", "{}"), ("run.json", "rubbish"), ("benchmark-id", "mine")])
def test_results_that_are_none(results: Path, file: str, written: str) -> None:
    (results / file).write_text(written)
    with pytest.raises(InputError, match=file):
        run_sync(results)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="this system cannot wait for any process")
def test_step_ends_with_the_process_that_started_it(results: Path) -> None:
    """The sync waits for another one, so it would not end otherwise."""
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
