"""The saved views show the runs of one benchmark, and no stand-ins in means."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from mlflow.entities import Run, RunData, RunInfo, RunTag
from mlflow.utils.search_utils import SearchUtils

from hypercut.benchmark.layout import Layout
from hypercut.benchmark.rows import read_rows, write_rows
from hypercut.paper.protocol import kind_of, settings
from hypercut.tracking import content, expected, views
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


def test_the_run_of_the_report_links_to_all_views(synced: Path) -> None:
    report = run_sync(synced, figures=False)
    run = runs(synced)["report"]
    assert (
        report.overview
        == f"#/experiments/{run.info.experiment_id}/runs/{run.info.run_id}?workflowType=machine_learning"
    )
    text = run.data.tags["mlflow.note.content"]
    assert len(report.links) == 5  # three views of iris, one of its curves, the files of the report
    for link in report.links.values():
        assert f"({link})" in text
    row = next(line for line in text.splitlines() if line.startswith("| iris"))
    assert row.count("viewStateShareKey") == 4
    # A setting less: the description follows, and the run stays.
    edit_run(synced, lambda run: run["expected"].update(cells=[["iris", "clean", "CSC"]]))
    run_sync(synced, figures=False)
    after = runs(synced)["report"]
    assert after.info.run_id == run.info.run_id
    assert "over noise" not in after.data.tags["mlflow.note.content"]


def complete_benchmark(datasets: int = 10) -> list[dict[str, str]]:
    """The tags of the runs of a complete benchmark: 14 settings, 14 methods, two sweeps, and readings of one method."""
    roles = dict.fromkeys(fake.ALGORITHMS, "algorithm") | {"mine": "algorithm", "AK+NC": "beyond"} | fake.REFERENCES
    assert len(roles) == len(settings()) == 14
    common = [{"algorithm": name, "role": role} for name, role in roles.items()]
    found = []
    for dataset in [f"set{number}" for number in range(datasets)]:
        for setting in settings():
            place = {"dataset": dataset, "setting": setting, "corruption": kind_of(setting)}
            varied = [f"reading{number}" for number in range(10)] + ["weights", "neighbors"] * (setting == "clean")
            found += [{**place, **method, "variation": ""} for method in common]
            found += [{**place, **common[0], "variation": name} for name in varied]
    return found


@pytest.fixture
def complete(tmp_path: Path) -> tuple[list[expected.ExpectedRun], list[Run]]:
    """The expected runs of the complete benchmark, and the same as MLflow would return them."""
    tags = complete_benchmark()
    layout, listed = Layout(tmp_path), {}
    for it in tags:
        place = it["dataset"], it["setting"]
        if it["variation"]:
            path = layout.variation(*place, it["variation"], it["algorithm"])
            listed[path] = ("variations", [*place, it["variation"], it["algorithm"]])
        else:
            path = layout.cell(*place, it["algorithm"])
            listed[path] = ("cells", [*place, it["algorithm"]])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "index.html").touch()
    run: dict[str, Any] = {"expected": {"cells": [], "variations": []}}
    for kind, item in listed.values():
        run["expected"][kind].append(item)
    wanted, missing = expected.expected_runs(tmp_path, run, {})
    assert missing == 0
    assert len(wanted) > 2000
    by_path = dict(zip(listed, tags, strict=True))
    return wanted, [as_mlflow(it, by_path.get(it.files[-1], {})) for it in wanted]


def as_mlflow(wanted: expected.ExpectedRun, tags: dict[str, str]) -> Run:
    shown = {**tags, "hypercut.kind": str(wanted.kind), "hypercut.benchmark": OWNER.benchmark}
    if wanted.kind == expected.Kind.MEAN:
        del shown["dataset"]
    info = RunInfo(wanted.id, wanted.experiment, "me", "FINISHED", 0, 0, "active", run_name=wanted.name)
    return Run(info, RunData(tags=[RunTag(key, value) for key, value in shown.items()]))


OWNER = views.Owner("0123456789abcdef" * 2, shared=True)


def test_views_with_charts_show_at_most_100_runs(complete: tuple[list[expected.ExpectedRun], list[Run]]) -> None:
    """MLflow loads and draws 100 runs, so the charts of a larger view would lack some."""
    wanted, stored = complete
    shown = {}
    for experiment in dict.fromkeys(it.experiment for it in wanted):
        here = [it for it in wanted if it.experiment == experiment]
        present = [run for run in stored if run.info.experiment_id == experiment]
        for view in views.experiment_views(experiment, here, OWNER):
            if view.has_charts:
                shown[experiment, view.tag] = len(SearchUtils.filter(present, view.state["searchFilter"]))
    assert len(shown) == 10 * 3 + 2  # σ, noise and outlier of each dataset, and the means
    assert set(shown.values()) == {10}  # the paper's eight, the user's and the one beyond the paper
    assert max(shown.values()) <= 100


def test_overview_of_the_complete_benchmark_fits(complete: tuple[list[expected.ExpectedRun], list[Run]]) -> None:
    wanted, _ = complete
    experiments = list(dict.fromkeys(it.experiment for it in wanted))
    ids = {name: str(number) for number, name in enumerate(experiments)}
    saved = {
        name: views.experiment_views(name, [it for it in wanted if it.experiment == name], OWNER)
        for name in experiments
    }
    text = views.overview(saved, ids, "#/report")
    assert text.count("viewStateShareKey") == sum(map(len, saved.values())) == 10 * 5 + 2
    assert len(text) <= views.RUN_TAG_LIMIT
    # MLflow would cut a longer text; the experiments link to their views too.
    ids = {name: id * 18 for name, id in ids.items()}
    text = views.overview(saved, ids, "#/report")
    assert len(text) <= views.RUN_TAG_LIMIT
    assert all(f"#/experiments/{id}/runs?" in text for id in ids.values())


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
    assert not [tag for tag in experiment.tags if "mean-noise" in tag]


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
    assert len(names) == len(set(names)) == 2  # one of each benchmark
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
