"""MLflow follows the result files: no duplicates, no leftovers, nothing lost by an interruption."""

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hypercut.benchmark.report_files import write_list
from hypercut.errors import InputError
from hypercut.steps._program import STARTED_BY
from hypercut.tracking import expected
from hypercut.tracking.location import tracking_uri
from hypercut.tracking.lock import database_lock
from hypercut.tracking.sync import sync
from tests import rows as fake
from tests.tracking.results import (
    ALGORITHMS,
    RUNS,
    artifacts,
    benchmark_runs,
    client,
    edit_run,
    identity,
    outcome,
    run_step,
    run_sync,
    runs,
)

pytestmark = pytest.mark.server


def test_files_of_a_user_in_the_report_are_not_uploaded(synced: Path) -> None:
    write_list(synced / "report", ["index.html", "tables/one.csv"])
    run_sync(synced, figures=False)
    (synced / "report" / "notes.txt").write_text("private")
    assert run_sync(synced, figures=False).skipped == RUNS
    (synced / "report" / "tables" / "one.csv").write_text("a\n2\n")
    assert run_sync(synced, figures=False).replaced == 1
    folder = artifacts(synced, runs(synced)["report"])
    assert sorted(path.name for path in folder.rglob("*")) == ["index.html", "one.csv", "tables"]


def test_second_sync_changes_nothing(synced: Path) -> None:
    before = {name: run.to_dictionary() for name, run in runs(synced).items()}
    report = run_sync(synced, figures=False)
    assert (report.created, report.replaced, report.skipped, report.removed) == (0, 0, RUNS, 0)
    assert {name: run.to_dictionary() for name, run in runs(synced).items()} == before
    # Another commit is no other result.
    edit_run(synced, lambda run: run.update(commit="def456"))
    assert run_sync(synced, figures=False).skipped == RUNS


def test_runs_of_an_earlier_format_are_replaced_once(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(expected, "FORMAT", expected.FORMAT - 1)
        run_sync(results, figures=False)
    assert outcome(run_sync(results, figures=False)) == (0, RUNS, 0, 0)
    assert outcome(run_sync(results, figures=False)) == (0, 0, RUNS, 0)


def test_changed_result_replaces_its_run_and_its_curve(synced: Path) -> None:
    before = runs(synced)
    fake.write_cell(synced, "iris", "noise-L1", "CSC", repeats=3)
    report = run_sync(synced, figures=False)
    assert (report.created, report.replaced, report.skipped, report.removed) == (0, 2, RUNS - 2, 0)
    after = runs(synced)
    changed = {name for name in after if after[name].info.run_id != before[name].info.run_id}
    assert changed == {"CSC · noise-L1", "CSC · iris noise"}
    assert after["CSC · noise-L1"].data.params["repeats"] == "3"
    assert not artifacts(synced, before["CSC · noise-L1"]).exists()


def test_what_is_no_longer_expected_is_removed(synced: Path) -> None:
    mlflow = client(synced)
    (experiment,) = [item for item in mlflow.search_experiments() if item.name == "hypercut/iris"]
    mlflow.create_run(experiment.experiment_id, run_name="somebody else's")

    def drop(run: dict[str, Any]) -> None:
        run["expected"]["cells"] = [cell for cell in run["expected"]["cells"] if cell[1] == "clean"]
        run["expected"]["variations"] = []

    edit_run(synced, drop)
    shutil.rmtree(synced / "report")
    report = run_sync(synced, figures=False)
    assert report.removed == RUNS - len(ALGORITHMS)
    assert set(runs(synced)) == {*(f"{algorithm} · clean" for algorithm in ALGORITHMS), "somebody else's"}
    names = {item.name for item in mlflow.search_experiments()}
    assert names == {"Default", "hypercut/iris"}

    # Experiments that come back do not bring back what was deleted.
    edit_run(synced, lambda run: run["expected"]["cells"].append(["iris", "noise-L1", "CSC"]))
    run_sync(synced, figures=False)
    assert {"CSC · noise-L1", "CSC · iris noise"} < set(runs(synced))
    assert len(runs(synced)) == len(ALGORITHMS) + 3
    for name in ("CSC · noise-L1", "CSC · iris noise"):
        assert list(artifacts(synced, runs(synced)[name]).iterdir())


def test_missing_result_is_counted_and_not_shown(results: Path) -> None:
    (results / "clusters" / "iris" / "noise-L1" / "CSC.parquet").unlink()
    report = run_sync(results, figures=False)
    assert report.missing == 1
    assert "CSC · noise-L1" not in runs(results)


@pytest.mark.parametrize("call", ["log_batch", "set_terminated"])
def test_interrupted_sync_is_completed(results: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    from mlflow import MlflowClient

    original, count = getattr(MlflowClient, call), 0

    def die_at_the_fifth(*args: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        if count == 5:
            raise KeyboardInterrupt
        return original(*args, **options)

    monkeypatch.setattr(MlflowClient, call, die_at_the_fifth)
    with pytest.raises(KeyboardInterrupt):
        run_sync(results, figures=False)
    assert [run.info.status for run in runs(results).values()].count("RUNNING") == 1
    report = run_sync(results, figures=False)
    assert report.removed == 1
    assert report.skipped >= 4
    assert report.created + report.skipped == RUNS
    found = runs(results)
    assert len(found) == RUNS
    assert {run.info.status for run in found.values()} == {"FINISHED"}


def test_duplicates_are_reduced_to_one(synced: Path) -> None:
    mlflow, one = client(synced), runs(synced)["CSC · clean"]
    twin = mlflow.create_run(
        one.info.experiment_id,
        run_name="twin",
        tags={key: value for key, value in one.data.tags.items() if key.startswith("hypercut.")},
    )
    mlflow.set_terminated(twin.info.run_id)
    assert run_sync(synced, figures=False).removed == 1
    assert len(runs(synced)) == RUNS


def _sync_in_process(results: str, barrier: Any, outcomes: Any) -> None:
    barrier.wait()
    try:
        report = run_sync(Path(results), figures=False)
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
    assert len(found) == RUNS
    assert {run.info.status for run in found.values()} == {"FINISHED"}
    for run in found.values():
        assert list(artifacts(results, run).iterdir())
    assert run_sync(results, figures=False).skipped == RUNS


def test_results_can_be_moved(synced: Path) -> None:
    moved = synced.rename(synced.with_name("elsewhere"))
    assert run_sync(moved, figures=False).skipped == RUNS
    run = runs(moved)["CSC · clean"]
    assert (artifacts(moved, run) / "rows.parquet").exists()
    assert str(synced) not in json.dumps(run.to_dictionary())


def test_prefixes_stand_side_by_side(synced: Path) -> None:
    report = run_sync(synced, figures=False, prefix="team/quick")
    assert (report.created, report.removed) == (RUNS, 0)
    assert run_sync(synced, figures=False).skipped == RUNS
    with pytest.raises(InputError, match="Expected a prefix of letters"):
        run_sync(synced, prefix="it's")


def test_two_benchmarks_in_one_store_leave_each_other_alone(shared: tuple[Path, Path, str]) -> None:
    one, two, uri = shared
    for results in (one, two):
        assert outcome(sync(results, uri, figures=False)) == (RUNS, 0, 0, 0)
    found = benchmark_runs(uri)
    assert set(found) == {identity(one), identity(two)}
    assert found[identity(one)] == found[identity(two)]
    for results in (one, two):
        assert outcome(sync(results, uri, figures=False)) == (0, 0, RUNS, 0)
    assert benchmark_runs(uri) == found

    edit_run(one, lambda run: run["expected"]["cells"].remove(["iris", "clean", "CSC"]))
    sync(one, uri, figures=False)
    after = benchmark_runs(uri)
    assert after[identity(two)] == found[identity(two)]
    assert found[identity(one)] - after[identity(one)] == {"hypercut/iris CSC · clean"}


def test_experiments_are_removed_with_their_last_benchmark(shared: tuple[Path, Path, str]) -> None:
    from mlflow import MlflowClient

    one, two, uri = shared
    for results in (one, two):
        sync(results, uri, figures=False)
    mlflow = MlflowClient(uri)

    def drop_curves(run: dict[str, Any]) -> None:
        run["expected"]["cells"] = [cell for cell in run["expected"]["cells"] if cell[1] == "clean"]

    def experiments() -> set[str]:
        return {item.name for item in mlflow.search_experiments()}

    edit_run(one, drop_curves)
    sync(one, uri, figures=False)
    curves = mlflow.get_experiment_by_name("hypercut/curves")
    views = [tag for tag in curves.tags if tag.startswith("mlflow.sharedViewState.")]
    assert views
    assert all(identity(two)[:8] in tag for tag in views)
    assert identity(one)[:8] not in curves.tags["mlflow.note.content"]
    edit_run(two, drop_curves)
    sync(two, uri, figures=False)
    assert "hypercut/curves" not in experiments()

    # An experiment that one benchmark brings back does not bring back the other's deleted runs.
    edit_run(two, lambda run: run["expected"]["cells"].append(["iris", "noise-L1", "CSC"]))
    sync(two, uri, figures=False)
    assert {name for name in benchmark_runs(uri)[identity(two)] if "curves" in name} == {
        "hypercut/curves CSC · iris noise"
    }
    assert not [name for name in benchmark_runs(uri)[identity(one)] if "curves" in name]


def test_copied_results_are_the_same_benchmark(synced: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(synced, tmp_path / "copy"))
    assert outcome(sync(copy, tracking_uri(synced), figures=False)) == (0, 0, RUNS, 0)
    # Without the file it is a benchmark of its own.
    (copy / "benchmark-id").unlink()
    assert outcome(sync(copy, tracking_uri(synced), figures=False)) == (RUNS, 0, 0, 0)


def forget_benchmark(uri: str) -> None:
    """Make the runs look like those of a version that did not name their benchmark."""
    from mlflow import MlflowClient

    mlflow = MlflowClient(uri)
    for run in mlflow.search_runs([item.experiment_id for item in mlflow.search_experiments()], max_results=1000):
        mlflow.delete_tag(run.info.run_id, "hypercut.benchmark")
        mlflow.set_tag(run.info.run_id, "hypercut.key", "of an earlier format")


def test_runs_that_name_no_benchmark_are_left_alone_in_a_shared_store(shared: tuple[Path, Path, str]) -> None:
    one, _, uri = shared
    sync(one, uri, figures=False)
    forget_benchmark(uri)
    assert outcome(sync(one, uri, figures=False)) == (RUNS, 0, 0, 0)
    assert {owner: len(found) for owner, found in benchmark_runs(uri).items()} == {"": RUNS, identity(one): RUNS}


def test_identity_that_is_none(results: Path) -> None:
    (results / "benchmark-id").write_text("it's mine\n")
    with pytest.raises(InputError, match=r"benchmark-id: expected the id of a benchmark"):
        run_sync(results)


def test_step_writes_what_it_did(results: Path) -> None:
    out, headline = results / "tracking.json", results / "headline.json"
    headline.write_text('{"gain": 1.5}')
    step = run_step(results, "--out", out, "--headline", headline)
    assert step.returncode == 0, step.stderr
    assert runs(results)["report"].data.metrics == {"gain": 1.5}
    written = json.loads(out.read_text())
    assert written["created"] == RUNS
    assert written["uri"].startswith("sqlite:///")
    assert f"{RUNS} runs created" in step.stdout
    assert not list(results.glob(".*.part"))


def test_without_results_it_says_so(tmp_path: Path) -> None:
    step = run_step(tmp_path, "--out", tmp_path / "out.json")
    assert step.returncode == 2
    assert "Run the benchmark first" in step.stderr


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="this system cannot wait for any process")
def test_step_ends_with_the_process_that_started_it(results: Path) -> None:
    """It waits for another sync, so it would not end by itself."""
    command = [sys.executable, "-m", "hypercut.steps.track", str(results), "--out", str(results / "tracking.json")]
    with (
        database_lock(results / "mlflow.db"),
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


def test_bad_run_json(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(InputError, match="expected the description of a benchmark"):
        sync(tmp_path, "sqlite:///unused.db")
