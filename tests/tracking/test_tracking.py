"""MLflow follows the result files: nothing twice, nothing left over, nothing lost by an interruption."""

import contextlib
import json
import multiprocessing
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from hypercut.benchmark.report_files import write_list
from hypercut.benchmark.rows import METRICS, Status, read_rows, write_rows
from hypercut.benchmark.summary import per_scale, summarize
from hypercut.cli import main as cli
from hypercut.cli import ui
from hypercut.errors import InputError
from hypercut.steps import track
from hypercut.tracking import TrackingError, _content, _plan, _store, sync, tracking_uri
from hypercut.tracking._identity import benchmark_id
from hypercut.tracking._origin import Origin
from tests import rows as fake

ALGORITHMS = ("CSC", "STSC", "true labels")
SETTINGS = ("clean", "noise-L1")


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


def make_results(folder: Path) -> None:
    """A small benchmark: one dataset in two settings, two sweeps and a report."""
    cells = [["iris", setting, algorithm] for setting in SETTINGS for algorithm in ALGORITHMS]
    for cell in cells:
        fake.write_cell(folder, *cell, parameters={"alpha": 0.4})
    sweeps = {
        "weights": [{"alpha": a, "beta": b} for a in (0.2, 0.4) for b in (0.1, 0.3)],
        "neighbours": [{"n_neighbors": n} for n in (3, 5, 7)],
    }
    for sweep, values in sweeps.items():
        rows = [row for v in values for row in fake.cell_rows("iris", "clean", "PKO+HSC", sweep=sweep, parameters=v)]
        write_rows(folder / "sweeps" / "iris" / f"{sweep}.parquet", rows, fake.ORIGIN)
    (folder / "report" / "tables").mkdir(parents=True)
    (folder / "report" / "index.html").write_text("<p>report</p>")
    (folder / "report" / "tables" / "one.csv").write_text("a\n1\n")
    run = {
        "version": "0.1.0",
        "commit": "abc123",
        "dirty": True,
        "fingerprint": "f00d",
        "datasets": {"iris": {"kind": "real", "source": "https://me:hunter2@example.org/iris"}},
        "expected": {"cells": cells, "sweeps": [["iris", sweep] for sweep in sweeps]},
    }
    (folder / "run.json").write_text(json.dumps(run))


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results before and after a sync. Made once, since MLflow takes seconds to make its tables."""
    folder = tmp_path_factory.mktemp("tracking")
    fresh, synced = folder / "fresh", folder / "synced"
    make_results(fresh)
    _store.Store(tracking_uri(fresh))
    shutil.copytree(fresh, synced)
    run_sync(synced, figures=False)
    return folder


@pytest.fixture
def results(tmp_path: Path, templates: Path) -> Path:
    """Results beside an empty store."""
    return Path(shutil.copytree(templates / "fresh", tmp_path / "results"))


@pytest.fixture
def synced(tmp_path: Path, templates: Path) -> Path:
    """Results that MLflow has."""
    return Path(shutil.copytree(templates / "synced", tmp_path / "results"))


RUNS = len(SETTINGS) * len(ALGORITHMS) + 2 + len(ALGORITHMS) + 1
"""cells, sweeps, one curve per algorithm, the report"""


def run_sync(results: Path, **options: Any) -> Any:
    return sync(results, tracking_uri(results), **options)


def client(results: Path) -> Any:
    from mlflow import MlflowClient

    return MlflowClient(tracking_uri=tracking_uri(results))


def runs(results: Path) -> dict[str, Any]:
    """Name → run, of all active runs; a name that is there twice is an error."""
    mlflow = client(results)
    experiments = [experiment.experiment_id for experiment in mlflow.search_experiments()]
    found = mlflow.search_runs(experiments, max_results=1000)
    names = [run.info.run_name for run in found]
    assert len(names) == len(set(names)), sorted(names)
    return dict(zip(names, found, strict=True))


def edit_run(results: Path, change: Callable[[dict[str, Any]], None]) -> None:
    run = json.loads((results / "run.json").read_text())
    change(run)
    (results / "run.json").write_text(json.dumps(run))


def artifacts(results: Path, run: Any) -> Path:
    return results / "mlartifacts" / run.info.artifact_uri.removeprefix("mlflow-artifacts:/")


def test_what_is_logged_is_what_was_summarised(results: Path) -> None:
    report = run_sync(results, headline={"gain over PK+HSC": 3.25})
    assert (report.created, report.replaced, report.skipped, report.removed, report.missing) == (RUNS, 0, 0, 0, 0)
    found = runs(results)
    assert len(found) == RUNS

    run = found["CSC · noise-L1"]
    path = results / "clusters" / "iris" / "noise-L1" / "CSC.parquet"
    summary = summarize(read_rows(path)).set_index("rule")
    for metric in METRICS:
        assert run.data.metrics[metric] == pytest.approx(summary.loc["oracle", f"{metric}_mean"], abs=1e-4)
    assert run.data.metrics["nmi_std"] == pytest.approx(summary.loc["oracle", "nmi_std"], abs=1e-4)
    assert run.data.metrics["sigma_factor"] == summary.loc["oracle", "sigma_factor"]
    assert run.data.metrics["nmi_unsupervised"] == pytest.approx(summary.loc["unsupervised", "nmi_mean"], abs=1e-4)
    assert run.data.metrics["failed"] == 0
    expected = {"dataset": "iris", "setting": "noise-L1", "algorithm": "CSC", "repeats": "2", "K": "3", "N": "30"}
    assert expected.items() <= run.data.params.items()
    assert run.data.params["alpha"] == "0.4"
    tags = {"corruption": "noise", "level": "1", "role": "algorithm", "data": "real", "extent": "complete"}
    tags |= {"commit": "abc123 + changes", "fingerprint": "f00d", "status": "ok"}
    assert tags.items() <= run.data.tags.items()
    assert not [value for value in run.data.tags.values() if "hunter2" in value]

    folder = artifacts(results, run)
    assert (folder / "rows.parquet").read_bytes() == path.read_bytes()
    assert len(pd.read_csv(folder / "per_sigma.csv")) == 3
    assert (folder / "metrics.png").read_bytes().startswith(b"\x89PNG")
    assert (artifacts(results, found["STSC · clean"]) / "metrics.png").exists()

    report_run = found["report"]
    assert report_run.data.metrics == {"gain over PK_HSC": 3.25}
    assert (artifacts(results, report_run) / "tables" / "one.csv").read_text() == "a\n1\n"


def test_files_of_a_user_in_the_report_are_not_uploaded(synced: Path) -> None:
    write_list(synced / "report", ["index.html", "tables/one.csv"])
    run_sync(synced, figures=False)
    (synced / "report" / "notes.txt").write_text("private")
    assert run_sync(synced, figures=False).skipped == RUNS
    (synced / "report" / "tables" / "one.csv").write_text("a\n2\n")
    assert run_sync(synced, figures=False).replaced == 1
    folder = artifacts(synced, runs(synced)["report"])
    assert sorted(path.name for path in folder.rglob("*")) == ["index.html", "one.csv", "tables"]


def test_steps_are_sigma_level_and_swept_value(synced: Path) -> None:
    mlflow, found = client(synced), runs(synced)

    def history(name: str, metric: str) -> dict[int, float]:
        return {item.step: item.value for item in mlflow.get_metric_history(found[name].info.run_id, metric)}

    rows = read_rows(synced / "clusters" / "iris" / "clean" / "CSC.parquet")
    scales = per_scale(rows)
    means = {
        round(100 * factor): round(mean, 4)
        for factor, mean in zip(scales["sigma_factor"], scales["nmi_mean"], strict=True)
    }
    assert history("CSC · clean", "by_sigma/nmi") == means
    assert set(means) == {20, 40, 60}
    assert set(history("CSC · clean", "by_sigma/neighbor_information")) == {20, 40, 60}
    assert history("STSC · clean", "by_sigma/nmi") == {}
    assert set(history("CSC · iris noise", "purity")) == {0, 1}
    assert history("CSC · iris noise", "nmi")[1] == found["CSC · noise-L1"].data.metrics["nmi"]
    assert set(history("PKO+HSC · sweep neighbours", "by_value/nmi")) == {3, 5, 7}
    assert set(history("PKO+HSC · sweep weights", "by_value/nmi")) == {0, 1, 2, 3}
    best = found["PKO+HSC · sweep weights"].data
    assert best.metrics["nmi"] == max(history("PKO+HSC · sweep weights", "by_value/nmi").values())
    assert {"best_alpha", "best_beta"} <= set(best.params)


def test_second_sync_changes_nothing(synced: Path) -> None:
    before = {name: run.to_dictionary() for name, run in runs(synced).items()}
    report = run_sync(synced, figures=False)
    assert (report.created, report.replaced, report.skipped, report.removed) == (0, 0, RUNS, 0)
    assert {name: run.to_dictionary() for name, run in runs(synced).items()} == before
    # Another commit is no other result.
    edit_run(synced, lambda run: run.update(commit="def456"))
    assert run_sync(synced, figures=False).skipped == RUNS


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
        run["expected"]["sweeps"] = []

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


def test_failures_are_told(results: Path) -> None:
    rows = fake.cell_rows("iris", "clean", "CSC")
    for row in rows[:2]:
        row |= {**dict.fromkeys(METRICS), "status": str(Status.TIMEOUT), "labels": None}
    rows[2]["status"] = str(Status.DEGENERATE)
    write_rows(results / "clusters" / "iris" / "clean" / "CSC.parquet", rows, fake.ORIGIN)
    run_sync(results, figures=True)
    run = runs(results)["CSC · clean"]
    assert run.data.tags["status"] == "2 of 6 failed (1 degenerate, 2 timeout)"
    assert run.data.metrics["failed"] == 2


@pytest.mark.parametrize("call", ["log_batch", "set_terminated"])
def test_interrupted_sync_is_healed(results: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
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
    assert (report.created, report.skipped, report.removed) == (RUNS - 4, 4, 1)
    found = runs(results)
    assert len(found) == RUNS
    assert {run.info.status for run in found.values()} == {"FINISHED"}


def test_files_that_vanish_while_they_are_sent_leave_no_finished_run(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = _store.Store._write_files

    def lose(self: Any, run_id: str, artifact_uri: str, files: Path) -> None:
        original(self, run_id, artifact_uri, files)
        shutil.rmtree(files)

    with monkeypatch.context() as patched:
        patched.setattr(_store.Store, "_write_files", lose)
        with pytest.raises(TrackingError, match="removed while they were sent"):
            run_sync(results, figures=False)
    assert "FINISHED" not in {run.info.status for run in runs(results).values()}
    assert run_sync(results, figures=False).created == RUNS


def test_run_deleted_while_it_is_written_is_written_again(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlflow import MlflowClient

    original, count = MlflowClient.log_batch, 0

    def delete_first(self: Any, run_id: str, *args: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        if count == 2:
            self.delete_run(run_id)
        return original(self, run_id, *args, **options)

    monkeypatch.setattr(MlflowClient, "log_batch", delete_first)
    assert run_sync(results, figures=False).created == RUNS
    assert len(runs(results)) == RUNS


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


def test_two_syncs_at_once_leave_one_run_each(results: Path) -> None:
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


def test_two_processes_may_create_the_database_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second finds the first one's in place, and leaves it there."""
    import mlflow

    database, link = tmp_path / "mlflow.db", os.link

    class Client:
        def __init__(self, tracking_uri: str) -> None:
            Path(tracking_uri.removeprefix("sqlite:///")).write_text("mine")

        def search_experiments(self, **_: Any) -> None: ...

    def be_late(source: Path, target: Path) -> None:
        target.write_text("the other's")
        link(source, target)

    monkeypatch.setattr(mlflow, "MlflowClient", Client)
    monkeypatch.setattr(os, "link", be_late)
    _store._create_database(database)
    assert database.read_text() == "the other's"
    assert list(tmp_path.iterdir()) == [database]


def test_results_can_be_moved(synced: Path) -> None:
    moved = synced.rename(synced.with_name("elsewhere"))
    assert run_sync(moved, figures=False).skipped == RUNS
    run = runs(moved)["CSC · clean"]
    assert (artifacts(moved, run) / "rows.parquet").exists()
    assert str(synced) not in json.dumps(run.to_dictionary())


def test_experiments_open_with_views(results: Path) -> None:
    report = run_sync(results, figures=False)
    (experiment,) = [item for item in client(results).search_experiments() if item.name == "hypercut/curves"]
    assert experiment.tags["mlflow.experimentKind"] == "custom_model_development"
    own = f"hypercut-{identity(results)[:8]}"
    view = json.loads(experiment.tags[f"mlflow.sharedViewState.{own}-iris-noise"])
    assert view["name"] == "iris: noise"
    state = json.loads(view["state"])
    assert {chart["metricKey"] for chart in state["compareRunCharts"]} >= {"nmi", "purity"}
    assert len(client(results).search_runs([experiment.experiment_id], state["searchFilter"])) == 2  # not the control
    link = report.links["hypercut/curves · iris: noise"]
    assert f"/experiments/{experiment.experiment_id}/runs" in link
    assert f"viewStateShareKey={own}-iris-noise" in link
    assert link in experiment.tags["mlflow.note.content"]
    assert runs(results)["report"].info.run_id in report.links["hypercut/report"]


class Titles:
    """Stands in for the drawing of figures, and keeps their titles."""

    def __init__(self) -> None:
        self.titles: list[str] = []

    def __getattr__(self, _: str) -> Callable[..., None]:
        return lambda *args: self.titles.append(args[-2])


def test_stand_ins_are_named_in_figures_files_and_curves_and_are_in_no_mean(results: Path) -> None:
    for path in [*results.glob("clusters/*/*/*.parquet"), *results.glob("sweeps/*/*.parquet")]:
        rows = read_rows(path, labels=True).replace({float("nan"): None}).to_dict("records")
        write_rows(path, [row | {"data_kind": "stand-in"} for row in rows], fake.ORIGIN)
    edit_run(results, lambda run: run["datasets"]["iris"].update(kind="stand-in"))
    run, folder, drawing = _plan.read_run(results), results / "content", Titles()
    folder.mkdir()
    planned = _plan.make_plan(results, run, {}).runs
    members = dict(_content.summaries([path for it in planned for path in it.files if path.suffix == ".parquet"]))
    for it in planned:
        if it.kind != _plan.Kind.REPORT:
            _content.make_content(it, members, run, {}, folder, drawing)  # type: ignore[arg-type]
    assert len(drawing.titles) == RUNS - 1
    assert all(" on iris (stand-in): " in title for title in drawing.titles)
    for name in ("per_sigma.csv", "per_value.csv", "levels.csv"):
        table = pd.read_csv(folder / name)
        assert set(zip(table["dataset"], table["data"], strict=True)) == {("iris", "stand-in")}
    assert {it.name for it in planned if it.kind == _plan.Kind.CURVE} >= {"CSC · iris (stand-in) noise"}

    run_sync(results, figures=False)
    (experiment,) = [item for item in client(results).search_experiments() if item.name == "hypercut/curves"]
    view = json.loads(experiment.tags[f"mlflow.sharedViewState.hypercut-{identity(results)[:8]}-mean-noise"])
    assert view["name"] == "Mean of all datasets but stand-ins: noise"
    assert not client(results).search_runs([experiment.experiment_id], json.loads(view["state"])["searchFilter"])


def test_prefixes_stand_side_by_side(synced: Path) -> None:
    report = run_sync(synced, figures=False, prefix="team/quick")
    assert (report.created, report.removed) == (RUNS, 0)
    assert run_sync(synced, figures=False).skipped == RUNS
    with pytest.raises(InputError, match="Expected a prefix of letters"):
        run_sync(synced, prefix="it's")


def benchmark_runs(uri: str) -> dict[str, set[str]]:
    """Benchmark → its active runs, as ``experiment run``."""
    from mlflow import MlflowClient

    mlflow = MlflowClient(uri)
    names = {item.experiment_id: item.name for item in mlflow.search_experiments()}
    found: dict[str, set[str]] = {}
    for run in mlflow.search_runs(list(names), max_results=1000):
        mine = found.setdefault(run.data.tags.get("hypercut.benchmark", ""), set())
        name = f"{names[run.info.experiment_id]} {run.info.run_name}"
        assert name not in mine
        mine.add(name)
    return found


@pytest.fixture
def shared(tmp_path: Path, templates: Path) -> tuple[Path, Path, str]:
    """Two benchmarks with the same cells, and an empty store for both."""
    made = []
    for name in ("one", "two"):
        folder = Path(shutil.copytree(templates / "fresh", tmp_path / name))
        (folder / "mlflow.db").rename(tmp_path / "shared.db")
        made.append(folder)
    return made[0], made[1], f"sqlite:///{tmp_path / 'shared.db'}"


def identity(results: Path) -> str:
    return (results / "benchmark-id").read_text().strip()


def outcome(report: Any) -> tuple[int, int, int, int]:
    return report.created, report.replaced, report.skipped, report.removed


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


def test_an_experiment_that_somebody_else_made_is_not_removed(results: Path) -> None:
    client(results).create_experiment("hypercut/report", artifact_location=(results / "theirs").as_uri())
    run_sync(results, figures=False)
    shutil.rmtree(results / "report")
    run_sync(results, figures=False)
    assert "report" not in runs(results)
    assert "hypercut/report" in {item.name for item in client(results).search_experiments()}


def test_views_show_one_benchmark(shared: tuple[Path, Path, str]) -> None:
    from mlflow import MlflowClient

    one, two, uri = shared
    reports = [sync(results, uri, figures=False) for results in (one, two)]
    mlflow = MlflowClient(uri)
    curves = mlflow.get_experiment_by_name("hypercut/curves")
    views = {tag: json.loads(text) for tag, text in curves.tags.items() if tag.startswith("mlflow.sharedViewState.")}
    names = [view["name"] for view in views.values()]
    assert len(names) == len(set(names)) == 4  # of each benchmark: one dataset, and the mean
    for tag, view in views.items():
        search = json.loads(view["state"])["searchFilter"]
        shown = mlflow.search_runs([curves.experiment_id], search)
        assert len(shown) == 2, search  # not the control
        (owner,) = {run.data.tags["hypercut.benchmark"] for run in shown}
        assert owner[:8] in tag
    for report in reports:
        for link in report.links.values():
            key = link.partition("viewStateShareKey=")[2].partition("&")[0]
            if "/curves" in link and key:
                assert link in curves.tags["mlflow.note.content"]
    links = [set(report.links.values()) for report in reports]
    assert not links[0] & links[1]
    # The text above the table names the views of both, whoever syncs last.
    sync(one, uri, figures=False)
    assert mlflow.get_experiment_by_name("hypercut/curves").tags == curves.tags
    # A view that a user of a later MLflow has saved in another form stops nobody.
    tag = next(tag for tag in views if identity(two)[:8] in tag)
    mlflow.set_experiment_tag(curves.experiment_id, tag, json.dumps({"name": "mine", "state": "deflate;eJw="}))
    sync(one, uri, figures=False)
    assert "[mine]" not in mlflow.get_experiment_by_name("hypercut/curves").tags["mlflow.note.content"]


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


def test_runs_that_name_no_benchmark_are_replaced_in_the_results_own_store(synced: Path) -> None:
    forget_benchmark(tracking_uri(synced))
    assert outcome(run_sync(synced, figures=False)) == (0, RUNS, 0, 0)
    assert len(runs(synced)) == RUNS


def test_identity_that_is_none(results: Path) -> None:
    (results / "benchmark-id").write_text("it's mine\n")
    with pytest.raises(InputError, match=r"benchmark-id: expected the id of a benchmark"):
        run_sync(results)


def test_two_processes_may_name_a_benchmark_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second finds the first one's id, and uses it; with hard links and without."""
    link, other = os.link, "0" * 32

    def be_late(source: Path, target: Path) -> None:
        target.write_text(other)
        link(source, target)

    def refuse(source: Path, target: Path) -> None:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", be_late)
        assert benchmark_id(tmp_path) == other
    (tmp_path / "benchmark-id").unlink()
    monkeypatch.setattr(os, "link", refuse)
    assert benchmark_id(tmp_path) == benchmark_id(tmp_path) != other
    assert [path.name for path in tmp_path.iterdir()] == ["benchmark-id"]


ORIGIN = {
    "code": "c0de",
    "data": "da7a",
    "python": "3.11.9",
    "numpy": "2.1.0",
    "scipy": "1.14.0",
    "scikit_learn": "1.5.2",
    "blas": "openblas 0.3.27",
    "cpu": "Some CPU",
    "computed": "2024-05-01T10:00:00+00:00",
}


def write_origin(results: Path, changes: dict[tuple[str, str], dict[str, str]]) -> None:
    """Write the aggregated table with the columns of origin, changed for some settings and algorithms."""
    files = [*results.glob("clusters/*/*/*.parquet"), *results.glob("sweeps/*/*.parquet")]
    table = pd.concat([read_rows(path) for path in files], ignore_index=True).assign(**ORIGIN)
    for (setting, algorithm), values in changes.items():
        rows = (table["setting"] == setting) & (table["algorithm"] == algorithm) & (table["repeat"] == 1)
        for column, value in values.items():
            table.loc[rows, column] = value
    table.to_parquet(results / "table.parquet")


def test_runs_name_code_data_and_versions(synced: Path) -> None:
    write_origin(synced, {("noise-L1", "CSC"): {"numpy": "2.2.0"}, ("clean", "STSC"): {"cpu": None}})
    assert outcome(run_sync(synced, figures=False)) == (0, RUNS, 0, 0)
    found = {name: run.data.tags for name, run in runs(synced).items()}
    expected = {"hypercut.code": "c0de", "hypercut.data": "da7a", "scikit-learn": "1.5.2", "data": "real"}
    expected |= {name: ORIGIN[name] for name in ("python", "scipy", "blas", "cpu", "computed")}
    for name, tags in found.items():
        assert (expected if name != "report" else {"numpy": "2.1.0, 2.2.0"}).items() <= tags.items(), name
    for name in ("CSC · noise-L1", "CSC · iris noise"):
        assert found[name]["numpy"] == "2.1.0, 2.2.0"
    for name in ("STSC · noise-L1", "PKO+HSC · sweep weights", "CSC · clean"):
        assert found[name]["numpy"] == "2.1.0"
    assert found["report"]["versions"] == "several versions of numpy: 2.1.0, 2.2.0"


@pytest.mark.parametrize(
    ("column", "replaced"),
    [("code", 3), ("data", 3), ("scikit_learn", 3), ("blas", 3), ("cpu", 0), ("computed", 0)],
)
def test_another_origin_replaces_runs_unless_only_time_or_processor_differ(
    synced: Path, column: str, replaced: int
) -> None:
    write_origin(synced, {})
    run_sync(synced, figures=False)
    assert "versions" not in runs(synced)["report"].data.tags
    write_origin(synced, {("noise-L1", "CSC"): {column: "another"}})
    # The cell, its curve and the report.
    assert outcome(run_sync(synced, figures=False)) == (0, replaced, RUNS - replaced, 0)


def test_many_values_of_one_column_are_abbreviated() -> None:
    values = [f"2024-05-{day:02}" for day in range(1, 31)]
    origin = Origin({"computed": frozenset(values)})
    assert origin.tags == {"computed": "2024-05-01, …, 2024-05-30 (30 values)"}


def test_table_that_is_none(results: Path) -> None:
    (results / "table.parquet").write_text("rubbish")
    with pytest.raises(InputError, match=r"table\.parquet"):
        run_sync(results)


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_server_down_is_told_quickly_and_clearly(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tracking.json"
    uri = f"http://me:hunter2@127.0.0.1:{closed_port()}"
    started = time.monotonic()
    assert track.main([str(results), "--out", str(out), "--uri", uri]) == 2
    assert time.monotonic() - started < 20
    message = capsys.readouterr().err
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
        with pytest.raises(TrackingError, match=r"database is locked\. Wait until the program") as told:
            run_sync(results)
    assert not re.search("remove|delete|rename", str(told.value), re.IGNORECASE)
    assert run_sync(results, figures=False).created == RUNS


def test_step_writes_what_it_did(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, headline = results / "tracking.json", results / "headline.json"
    headline.write_text('{"gain": 1.5}')
    assert track.main([str(results), "--out", str(out), "--headline", str(headline)]) == 0
    assert runs(results)["report"].data.metrics == {"gain": 1.5}
    written = json.loads(out.read_text())
    assert written["created"] == RUNS
    assert written["uri"].startswith("sqlite:///")
    assert f"{RUNS} runs created" in capsys.readouterr().out
    assert not list(results.glob(".*.part"))


def test_without_results_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert track.main([str(tmp_path), "--out", str(tmp_path / "out.json")]) == 2
    assert "Run the benchmark first" in capsys.readouterr().err


def test_where_the_store_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tracking_uri(tmp_path) == f"sqlite:///{tmp_path / 'mlflow.db'}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://server:5000")
    assert tracking_uri(tmp_path) == "http://server:5000"
    assert tracking_uri(tmp_path, "sqlite:///x.db") == "sqlite:///x.db"
    with pytest.raises(TrackingError, match=r"found postgresql://\*\*\*@db/m"):
        tracking_uri(tmp_path, "postgresql://me:secret@db/m")


@pytest.mark.parametrize("password", ["hun/ter2", "hun@ter2", "hun?ter2", "hun#ter2", "hun[ter2", "hun ter2"])
@pytest.mark.parametrize("scheme", ["http://", "https://", ""])
def test_address_whose_password_would_be_misread(tmp_path: Path, scheme: str, password: str) -> None:
    """MLflow and its libraries would take a part of it for a host or a path, and print that."""
    with pytest.raises(TrackingError) as told:
        tracking_uri(tmp_path, f"{scheme}me:{password}@host")
    assert "hun" not in str(told.value)
    assert "ter2" not in str(told.value)
    assert ("MLFLOW_TRACKING_PASSWORD" in str(told.value)) == bool(scheme)


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
    ui.start(ui.find_database(results), 5000)
    command = " ".join(started["command"])
    assert "--host 127.0.0.1" in command
    assert f"--artifacts-destination {results / 'mlartifacts'}" in command
    expected = {
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "DO_NOT_TRACK": "true",
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
    }
    assert expected.items() <= started["env"].items()


def test_ui_that_does_not_start_is_told() -> None:
    with (
        subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"]) as server,
        pytest.raises(InputError, match="status 3"),
    ):
        ui.wait_until_up(server, f"http://127.0.0.1:{closed_port()}")


def test_mlflow_is_imported_by_tracking_alone() -> None:
    """Importing the step, or asking for its help, must not cost MLflow's seconds."""
    check = "import sys, hypercut.cli, hypercut.steps.track, hypercut.tracking; assert 'mlflow' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True, env={**os.environ})


def test_bad_run_json(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(InputError, match="expected the description of a benchmark"):
        sync(tmp_path, "sqlite:///unused.db")
