"""What MLflow shows is what the report shows."""

import json
from pathlib import Path

import pandas as pd
import pytest
from mlflow import MlflowClient

from hypercut.benchmark.layout import Layout
from hypercut.report.build import build_report
from hypercut.results.rows import read_rows, write_table
from hypercut.tracking.store import tracking_uri
from hypercut.tracking.sync import sync
from tests import rows as fake

pytestmark = pytest.mark.server  # MLflow takes seconds to create its tables

DATASETS = ("orl", "mnist", "iris", "corel")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agreement") / "results"
    cells = [[dataset, "clean", algorithm] for dataset in DATASETS for algorithm in fake.ALGORITHMS]
    paths = [fake.write_cell(folder, *cell) for cell in cells]
    run = {
        "created": "2020-01-01T00:00:00+00:00",
        "datasets": {dataset: {"kind": "real", "complete": True} for dataset in DATASETS},
        "expected": {"cells": cells, "variations": []},
    }
    (folder / "run.json").write_text(json.dumps(run))
    table = pd.concat([read_rows(path) for path in paths], ignore_index=True)
    write_table(Layout(folder).table, table)
    headline = build_report(table, run, folder / "report")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MLFLOW_TRACKING_URI", raising=False)
        sync(folder, tracking_uri(folder), headline=headline)
    return folder


def runs(results: Path, experiment: str) -> dict[str, dict[str, float]]:
    client = MlflowClient(f"sqlite:///{results}/mlflow.db")
    found = client.search_runs([client.get_experiment_by_name(experiment).experiment_id])
    return {run.info.run_name: run.data.metrics for run in found}


@pytest.mark.parametrize("metric", ["nmi", "purity", "matched-accuracy", "ari"])
def test_scores(results: Path, metric: str) -> None:
    table = pd.read_csv(results / "report" / "tables" / f"table1-{metric}.csv")
    assert len(table) >= len(DATASETS) * len(fake.ALGORITHMS)
    for dataset in DATASETS:
        shown = runs(results, f"hypercut/{dataset}")
        for row in table[table["dataset"] == dataset].itertuples():
            assert shown[f"{row.algorithm} · clean"][metric.replace("-", "_")] == pytest.approx(row.ours, abs=5e-5)


def test_gains(results: Path) -> None:
    table = pd.read_csv(results / "report" / "tables" / "gains.csv")
    table = table[(table["scope"] == "paper") & (table["experiment"] == "clean")]
    (shown,) = runs(results, "hypercut/report").values()
    assert len(table) == 2 * 7
    for row in table.itertuples():
        name = f"clean/{row.metric}/{row.competitor.replace('+', '-')}"
        assert shown[f"gain/{name}"] == pytest.approx(row.ours, abs=5e-5)
        assert shown[f"gain_low/{name}"] == pytest.approx(row.low, abs=5e-5)
