"""A run shows the summary of its result file."""

from pathlib import Path

import pandas as pd
import pytest

from hypercut.benchmark.rows import METRICS, Status, read_rows, write_rows
from hypercut.benchmark.summary import per_scale, summarize
from tests import rows as fake
from tests.tracking.results import RUNS, artifacts, client, run_sync, runs

pytestmark = pytest.mark.server


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
    assert report_run.data.metrics == {"gain over PK_HSC": 3.25}
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
    assert set(means) == {20, 40, 60}
    assert set(history("CSC · clean", "by_sigma/neighbor_information")) == {20, 40, 60}
    assert history("STSC · clean", "by_sigma/nmi") == {}
    assert set(history("CSC · iris noise", "purity")) == {0, 1}
    assert history("CSC · iris noise", "nmi")[1] == found["CSC · noise-L1"].data.metrics["nmi"]
    assert set(history("PKO+HSC · sweep neighbors", "by_value/nmi")) == {3, 5, 7}
    assert set(history("PKO+HSC · sweep weights", "by_value/nmi")) == {0, 1, 2, 3}
    best = found["PKO+HSC · sweep weights"].data
    assert best.metrics["nmi"] == max(history("PKO+HSC · sweep weights", "by_value/nmi").values())
    assert {"best_alpha", "best_beta"} <= set(best.params)


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
