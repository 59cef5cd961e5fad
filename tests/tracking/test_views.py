"""The saved views show the runs of one benchmark, and no stand-ins in means."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from hypercut.benchmark.rows import read_rows, write_rows
from hypercut.tracking import content, expected
from hypercut.tracking.sync import sync
from tests import rows as fake
from tests.tracking.results import RUNS, client, edit_run, identity, run_sync, runs

pytestmark = pytest.mark.server


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
    """Replaces the figures, and keeps their titles."""

    def __init__(self) -> None:
        self.titles: list[str] = []

    def __getattr__(self, _: str) -> Callable[..., None]:
        return lambda *args: self.titles.append(args[-2])


def test_stand_ins_are_named_in_figures_files_and_curves_and_are_in_no_mean(results: Path) -> None:
    for path in [*results.glob("clusters/*/*/*.parquet"), *results.glob("variations/*/*/*/*.parquet")]:
        rows = read_rows(path, labels=True).replace({float("nan"): None}).to_dict("records")
        write_rows(path, [row | {"data_kind": "stand-in"} for row in rows], fake.ORIGIN)
    edit_run(results, lambda run: run["datasets"]["iris"].update(kind="stand-in"))
    run, folder, figure = expected.read_run(results), results / "content", Titles()
    folder.mkdir()
    wanted, _ = expected.expected_runs(results, run, {})
    summaries = content.read_summaries([path for it in wanted for path in it.files if path.suffix == ".parquet"])
    builder = content.ContentBuilder(run, {}, figures=True)
    builder._figure = figure  # type: ignore[assignment]
    for it in wanted:
        if it.kind != expected.Kind.REPORT:
            builder.build(it, summaries, "0" * 32, folder)
    assert len(figure.titles) == RUNS - 1
    assert all(" on iris (stand-in): " in title for title in figure.titles)
    for name in ("per_sigma.csv", "per_value.csv", "levels.csv"):
        table = pd.read_csv(folder / name)
        assert set(zip(table["dataset"], table["data"], strict=True)) == {("iris", "stand-in")}
    assert {it.name for it in wanted if it.kind == expected.Kind.CURVE} >= {"CSC · iris (stand-in) noise"}

    run_sync(results, figures=False)
    (experiment,) = [item for item in client(results).search_experiments() if item.name == "hypercut/curves"]
    view = json.loads(experiment.tags[f"mlflow.sharedViewState.hypercut-{identity(results)[:8]}-mean-noise"])
    assert view["name"] == "Mean of all datasets except stand-ins: noise"
    assert not client(results).search_runs([experiment.experiment_id], json.loads(view["state"])["searchFilter"])


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
