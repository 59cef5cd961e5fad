"""The views show the runs of one benchmark, in the release whose format is known and in others."""

import json
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from mlflow.entities import Run, RunData, RunInfo, RunTag
from mlflow.utils.search_utils import SearchUtils

from hypercut.paper.protocol import kind_of, settings
from hypercut.tracking import links
from tests import rows as fake
from tests.tracking.results import client, drop, identity, run_sync, runs, saved_views

pytestmark = pytest.mark.server

BENCHMARK = "0123456789abcdef" * 2


def test_experiments_have_saved_views(synced: Path) -> None:
    experiment = client(synced).get_experiment_by_name("hypercut/curves")
    view = saved_views(experiment.tags)[f"hypercut-{identity(synced)[:8]}-iris-noise"]
    assert view["name"] == "iris: over noise"
    state = json.loads(view["state"])
    assert {chart["metricKey"] for chart in state["compareRunCharts"]} >= {"nmi", "purity"}
    assert len(client(synced).search_runs([experiment.experiment_id], state["searchFilter"])) == 2  # not the control


def test_the_run_of_the_report_links_to_all_views(synced: Path) -> None:
    report = run_sync(synced)
    run = runs(synced)["report"]
    assert report.overview.startswith(f"#/experiments/{run.info.experiment_id}/runs/{run.info.run_id}?")
    text = run.data.tags["mlflow.note.content"]
    assert f"/runs/{run.info.run_id}/artifacts?" in text
    row = next(line for line in text.splitlines() if line.startswith("| iris"))
    assert row.count("viewStateShareKey") == 4
    # A setting less: the description follows, and the run stays.
    drop(synced, "clean")
    run_sync(synced)
    after = runs(synced)["report"]
    assert "over noise" not in after.data.tags["mlflow.note.content"]


def test_another_release_gets_links_with_filter_and_order(synced: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "RELEASE", "0.0.")
    run_sync(synced)
    mlflow = client(synced)
    assert not [tag for item in mlflow.search_experiments() for tag in saved_views(item.tags)]
    text = runs(synced)["report"].data.tags["mlflow.note.content"]
    link = next(part for part in text.split("](") if "orderByAsc=false" in part)
    experiment, _, query = link.partition(")")[0].removeprefix("#/experiments/").partition("/runs?")
    (search,) = parse_qs(query)["searchFilter"]
    found = mlflow.search_runs([experiment], search)
    assert {run.info.run_name for run in found} == {"CSC · clean", "STSC · clean", "true labels · clean"}


def complete_benchmark() -> dict[str, list[dict[str, str]]]:
    """Experiment → the tags of its runs: 10 datasets, 14 settings, 14 methods, readings and sweeps of one method."""
    roles = dict.fromkeys(fake.ALGORITHMS, "algorithm") | {"mine": "algorithm", "AK+NC": "beyond"} | fake.REFERENCES
    assert len(roles) == len(settings()) == 14
    found: dict[str, list[dict[str, str]]] = {"curves": []}
    for dataset in [f"set{number}" for number in range(10)]:
        cells = [
            {"dataset": dataset, "setting": setting, "corruption": kind_of(setting), "role": role}
            for setting in settings()
            for role in roles.values()
        ]
        varied = [{**cells[0], "setting": setting, "hypercut.kind": "reading"} for setting in settings()]
        found[dataset] = [{"hypercut.kind": "cell", **tags} for tags in (*cells, *varied)]
        found["curves"] += [{"hypercut.kind": "curve", **tags} for tags in cells if tags["setting"].endswith("-L1")]
    means = [{**tags, "hypercut.kind": "mean"} for tags in found["curves"] if tags["dataset"] == "set0"]
    found["curves"] += [{key: value for key, value in tags.items() if key != "dataset"} for tags in means]
    for tags in found["curves"]:
        del tags["setting"]
    return found


def as_mlflow(tags: dict[str, str]) -> Run:
    info = RunInfo("id", "1", "me", "FINISHED", 0, 0, "active", run_name="name")
    shown = {**tags, links.BENCHMARK_TAG: BENCHMARK}
    return Run(info, RunData(tags=[RunTag(key, value) for key, value in shown.items()]))


def test_views_and_overview_of_the_complete_benchmark_fit() -> None:
    """MLflow loads and draws 100 runs, so the charts of a larger view would lack some."""
    tags = complete_benchmark()
    saved = {name: list(links.views(name, tags[name], BENCHMARK, shared=True)) for name in tags}
    shown = [
        len(SearchUtils.filter(list(map(as_mlflow, tags[name])), view.search))
        for name, views in saved.items()
        for view in views
        if view.charts
    ]
    # The paper's eight, the user's and the one beyond the paper: σ, noise and outlier of each dataset, and the means.
    assert shown == [10] * (10 * 3 + 2)
    ids = {name: str(number) for number, name in enumerate(tags)}
    pairs = [(name, view) for name, views in saved.items() for view in views]
    text = links.overview(pairs, ids, "#/report")
    assert text.count("viewStateShareKey") == len(pairs) == 10 * 5 + 2
    assert len(text) <= links.NOTE_LIMIT
    # MLflow would cut a longer text.
    ids = {name: id * 18 for name, id in ids.items()}
    text = links.overview(pairs, ids, "#/report")
    assert len(text) <= links.NOTE_LIMIT
    assert all(f"#/experiments/{id}/runs?" in text for id in ids.values())
