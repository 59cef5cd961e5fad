"""A run shows the summary of its result file."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from hypercut.benchmark.rows import METRICS, Status, read_rows, write_rows
from hypercut.benchmark.summary import per_scale, summarize
from hypercut.report.render import palette
from tests import rows as fake
from tests.tracking.results import RUNS, artifacts, client, edit_run, run_sync, runs

pytestmark = pytest.mark.server


def test_what_is_logged_is_what_was_summarised(results: Path) -> None:
    report = run_sync(results, headline={"gain/clean/nmi/PK-HSC": 3.25})
    assert (report.created, report.replaced, report.skipped, report.removed, report.missing) == (RUNS, 0, 0, 0, 0)
    found = runs(results)
    assert len(found) == RUNS

    run = found["CSC · noise-L1"]
    path = results / "clusters" / "iris" / "noise-L1" / "CSC.parquet"
    summary = summarize(read_rows(path)).set_index("rule")
    for metric in METRICS:
        assert run.data.metrics[metric] == pytest.approx(summary.loc["oracle", f"{metric}_mean"], abs=1e-4)
        assert run.data.metrics[f"{metric}_std"] == pytest.approx(summary.loc["oracle", f"{metric}_std"], abs=1e-4)
    unsupervised_std = summary.loc["unsupervised", "purity_std"]
    assert run.data.metrics["purity_unsupervised_std"] == pytest.approx(unsupervised_std, abs=1e-4)
    assert run.data.metrics["sigma_factor"] == summary.loc["oracle", "sigma_factor"]
    assert run.data.metrics["nmi_unsupervised"] == pytest.approx(summary.loc["unsupervised", "nmi_mean"], abs=1e-4)
    assert run.data.metrics["failed"] == 0
    wanted = {"dataset": "iris", "setting": "noise-L1", "algorithm": "CSC", "repeats": "2", "K": "3", "N": "30"}
    assert wanted.items() <= run.data.params.items()
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
    assert report_run.data.metrics == {"gain/clean/nmi/PK-HSC": 3.25}
    assert (artifacts(results, report_run) / "tables" / "one.csv").read_text() == "a\n1\n"


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
    deviations = dict(zip(means, scales["nmi_std"].round(4), strict=True))
    assert history("CSC · clean", "by_sigma/nmi_std") == deviations
    assert set(means) == {20, 40, 60}
    assert set(history("CSC · clean", "by_sigma/neighbor_information")) == {20, 40, 60}
    assert history("STSC · clean", "by_sigma/nmi") == {}
    assert set(history("CSC · iris noise", "purity")) == {0, 1}
    assert history("CSC · iris noise", "nmi")[1] == found["CSC · noise-L1"].data.metrics["nmi"]
    assert history("CSC · iris noise", "nmi_std")[1] == found["CSC · noise-L1"].data.metrics["nmi_std"]
    for metric in ("by_value/nmi", "by_value/nmi_std"):
        assert set(history("PKO+HSC · sweep neighbors", metric)) == {3, 5, 7}
    assert set(history("PKO+HSC · sweep weights", "by_value/nmi")) == {0, 1, 2, 3}
    best = found["PKO+HSC · sweep weights"].data
    assert best.metrics["nmi"] == max(history("PKO+HSC · sweep weights", "by_value/nmi").values())
    assert {"best_alpha", "best_beta"} <= set(best.params)


def test_runs_have_their_dataset_as_input(synced: Path) -> None:
    mlflow, found = client(synced), runs(synced)
    experiments = [experiment.experiment_id for experiment in mlflow.search_experiments()]
    with_iris = mlflow.search_runs(experiments, "dataset.name = 'iris' AND dataset.digest = 'da7a'")
    assert {run.info.run_name for run in with_iris} == set(found) - {"report"}
    for name in set(found) - {"report"}:
        (given,) = found[name].inputs.dataset_inputs
        assert (given.dataset.source_type, json.loads(given.dataset.source)) == (
            "http",
            {"url": "https://***@example.org/iris"},
        )
        assert json.loads(given.dataset.profile) == {"n_samples": 30}


def test_charts_have_the_colours_of_the_report(synced: Path) -> None:
    colors = {
        run.data.tags["algorithm"]: run.data.tags["mlflow.runColor"]
        for run in runs(synced).values()
        if "algorithm" in run.data.tags
    }
    assert {name: colors[name] for name in ("CSC", "STSC")} == {"CSC": palette.PINK, "STSC": palette.GREY}
    assert colors["true labels"] not in palette.ALGORITHMS.values()


def test_mean_of_datasets_has_no_stand_ins_and_no_incomplete_ones(results: Path) -> None:
    """It averages iris and wine, not the stand-in; STSC has all levels on one dataset only."""
    cells = [("wine", "clean", "CSC"), ("wine", "noise-L1", "CSC"), ("wine", "noise-L1", "STSC")]
    cells += [("heads", setting, "CSC") for setting in ("clean", "noise-L1")]
    for cell in cells:
        fake.write_cell(results, *cell)

    def add(run: dict[str, Any]) -> None:
        run["expected"]["cells"] += [list(cell) for cell in cells]
        run["datasets"] |= {"wine": {"kind": "real"}, "heads": {"kind": "stand-in"}}

    edit_run(results, add)
    run_sync(results, figures=True)
    mlflow = client(results)
    curves_id = mlflow.get_experiment_by_name("hypercut/curves").experiment_id
    found = {run.info.run_name: run for run in mlflow.search_runs([curves_id])}
    means = {name: run for name, run in found.items() if run.data.tags["hypercut.kind"] == "mean"}
    assert set(means) == {"CSC · mean of 2 datasets, noise"}
    (mean,) = means.values()
    assert {given.dataset.name for given in mean.inputs.dataset_inputs} == {"iris", "wine"}
    for metric in ("nmi", "purity_unsupervised"):
        curves = [
            {item.step: item.value for item in mlflow.get_metric_history(run.info.run_id, metric)}
            for run in (mean, found["CSC · iris noise"], found["CSC · wine noise"])
        ]
        assert set(curves[0]) == {0, 1}
        for step, value in curves[0].items():
            assert value == pytest.approx((curves[1][step] + curves[2][step]) / 2, abs=2e-4)
    assert len(pd.read_csv(artifacts(results, mean) / "levels.csv")) == 4
    assert (artifacts(results, mean) / "metrics.png").exists()


def test_readings_are_told_from_cells(synced: Path) -> None:
    found = runs(synced)
    clean, noisy = found["PKO+HSC · reading balance-degree"], found["PKO+HSC · noise-L1, reading balance-degree"]
    for run in (clean, noisy):
        assert run.data.tags["hypercut.kind"] == "reading"
        assert run.data.tags["variation"] == run.data.params["variation"] == "balance-degree"
        assert {"nmi", "purity", "sigma_factor", "by_sigma/nmi"} <= set(run.data.metrics)
    assert clean.data.params["balance"] == "degree"
    assert "variation" not in found["CSC · clean"].data.tags


def test_failures_are_in_the_status(results: Path) -> None:
    rows = fake.cell_rows("iris", "clean", "CSC")
    for row in rows[:2]:
        row |= {**dict.fromkeys(METRICS), "status": str(Status.TIMEOUT), "labels": None}
    rows[2]["status"] = str(Status.DEGENERATE)
    write_rows(results / "clusters" / "iris" / "clean" / "CSC.parquet", rows, fake.ORIGIN)
    run_sync(results, figures=True)
    run = runs(results)["CSC · clean"]
    assert run.data.tags["status"] == "2 of 6 failed (1 degenerate, 2 timeout)"
    assert run.data.metrics["failed"] == 2
