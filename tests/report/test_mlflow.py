"""What is logged to MLflow is what the report shows."""

import json
from pathlib import Path

import pandas as pd
import pytest

from hypercut.benchmark.layout import Layout
from hypercut.report.build import build_report
from hypercut.results.rows import read_rows, write_table
from hypercut.tracking import content
from hypercut.tracking.content import Results, Run
from tests import rows as fake

DATASETS = ("orl", "mnist", "iris", "corel")


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Run]]:
    """The results, and what is logged of them."""
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
    return folder, list(content.runs(Results.read(folder), headline))


def metrics(runs: list[Run], experiment: str) -> dict[str, dict[str, float]]:
    """Name → the metrics of a run, in one experiment."""
    return {run.name: {name: value for name, value, _ in run.metrics} for run in runs if run.experiment == experiment}


@pytest.mark.parametrize("metric", ["nmi", "purity", "matched-accuracy", "ari"])
def test_scores(benchmark: tuple[Path, list[Run]], metric: str) -> None:
    results, runs = benchmark
    table = pd.read_csv(results / "report" / "tables" / f"table1-{metric}.csv")
    assert len(table) >= len(DATASETS) * len(fake.ALGORITHMS)
    for dataset in DATASETS:
        shown = metrics(runs, dataset)
        for row in table[table["dataset"] == dataset].itertuples():
            assert shown[f"{row.algorithm} · clean"][metric.replace("-", "_")] == pytest.approx(row.ours, abs=6e-5)


def test_gains(benchmark: tuple[Path, list[Run]]) -> None:
    results, runs = benchmark
    table = pd.read_csv(results / "report" / "tables" / "gains.csv")
    table = table[(table["scope"] == "paper") & (table["experiment"] == "clean")]
    (shown,) = metrics(runs, "report").values()
    assert len(table) == 2 * 7
    for row in table.itertuples():
        name = f"clean/{row.metric}/{row.competitor.replace('+', '-')}"
        assert shown[f"gain/{name}"] == pytest.approx(row.ours, abs=6e-5)
        assert shown[f"gain_low/{name}"] == pytest.approx(row.low, abs=6e-5)
