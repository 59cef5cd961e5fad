"""A run shows the summary of its rows."""

import json
from pathlib import Path

import pytest

from hypercut.results.rows import METRICS, read_rows, write_rows, write_table
from hypercut.results.summary import per_sigma, summarize
from hypercut.run.failures import Status
from hypercut.tracking import content
from hypercut.tracking.content import Results, Run
from tests import rows as fake
from tests.tracking.results import RUNS, aggregate, artifacts, client, outcome, run_sync, runs

pytestmark = pytest.mark.server


def logged(results: Path) -> dict[str, Run]:
    """Name → run, of all runs that a sync would log."""
    return {run.name: run for run in content.runs(Results.read(results), {})}


def test_what_is_logged_is_what_was_summarised(results: Path) -> None:
    assert outcome(run_sync(results, headline={"gain/clean/nmi/PK-HSC": 3.25})) == (RUNS, 0, 0, 0)
    found = runs(results)
    run = found["CSC · noise-L1"]
    path = results / "clusters" / "iris" / "noise-L1" / "CSC.parquet"
    oracle, unsupervised = (
        summarize(read_rows(path)).set_index("rule").loc[rule] for rule in ("oracle", "unsupervised")
    )
    expected = {"sigma_factor": oracle["sigma_factor"], "failed": 0}
    for metric in METRICS:
        expected |= {metric: oracle[f"{metric}_mean"], f"{metric}_std": oracle[f"{metric}_std"]}
    for metric in ("nmi", "purity"):
        expected[f"{metric}_unsupervised"] = unsupervised[f"{metric}_mean"]
    assert {name: run.data.metrics[name] for name in expected} == pytest.approx(expected, abs=1e-4)
    params = {"dataset": "iris", "setting": "noise-L1", "algorithm": "CSC", "repeats": "2", "K": "3", "alpha": "0.4"}
    assert params.items() <= run.data.params.items()
    tags = {"level": "1", "role": "algorithm", "data": "real", "commit": "abc123 + changes", "numpy": "2.1.0"}
    assert tags.items() <= run.data.tags.items()
    assert not [value for value in run.data.tags.values() if "hunter2" in value]
    assert (artifacts(results, run) / "rows.parquet").read_bytes() == path.read_bytes()
    assert found["report"].data.metrics == {"gain/clean/nmi/PK-HSC": 3.25}
    assert (artifacts(results, found["report"]) / "tables" / "one.csv").read_text() == "a\n1\n"


def test_steps_are_sigma_repeat_level_and_swept_value(synced: Path) -> None:
    mlflow, found = client(synced), runs(synced)

    def history(name: str, metric: str) -> dict[int, float]:
        return {item.step: item.value for item in mlflow.get_metric_history(found[name].info.run_id, metric)}

    scales = per_sigma(read_rows(synced / "clusters" / "iris" / "clean" / "CSC.parquet"))
    for name in ("nmi", "nmi_std"):
        means = scales[name if name.endswith("_std") else f"{name}_mean"].round(4)
        assert history("CSC · clean", f"by_sigma/{name}") == dict(zip((20, 40, 60), means, strict=True))
    assert history("STSC · clean", "by_sigma/nmi") == {}
    repeats = history("STSC · clean", "by_repeat/nmi")
    assert set(repeats) == {0, 1}
    assert sum(repeats.values()) / 2 == pytest.approx(found["STSC · clean"].data.metrics["nmi"], abs=1e-4)
    assert set(history("CSC · iris noise", "purity")) == {0, 1}
    assert history("CSC · iris noise", "nmi")[1] == found["CSC · noise-L1"].data.metrics["nmi"]
    assert set(history("PKO+HSC · sweep neighbors", "by_value/nmi")) == {3, 5, 7}
    weights = history("PKO+HSC · sweep weights", "by_value/nmi")
    assert set(weights) == {0, 1, 2, 3}
    best = found["PKO+HSC · sweep weights"].data
    assert best.metrics["nmi"] == max(weights.values())
    assert {"best_alpha", "best_beta"} <= set(best.params)


def test_runs_have_their_dataset_as_input(synced: Path) -> None:
    mlflow, found = client(synced), runs(synced)
    experiments = [experiment.experiment_id for experiment in mlflow.search_experiments()]
    with_iris = mlflow.search_runs(experiments, "dataset.name = 'iris' AND dataset.digest = 'da7a'")
    assert {run.info.run_name for run in with_iris} == set(found) - {"report"}
    for run in with_iris:
        (given,) = run.inputs.dataset_inputs
        assert json.loads(given.dataset.source) == {"url": "https://***@example.org/iris"}
        assert json.loads(given.dataset.profile) == {"n_samples": 30}


def test_several_values_of_an_origin_are_listed(results: Path) -> None:
    table = read_rows(results / "table.parquet")
    table["computed"] = [f"2024-05-{position % 30 + 1:02}" for position in range(len(table))]
    table["numpy"] = ["2.1.0" if repeat else "2.2.0" for repeat in table["repeat"]]
    write_table(results / "table.parquet", table)
    tags = logged(results)["report"].tags
    assert tags["numpy"] == "2.1.0, 2.2.0"
    assert tags["computed"] == "2024-05-01, …, 2024-05-30 (30 values)"


def test_other_code_or_a_changed_report_is_another_digest(results: Path) -> None:
    def changed(**headline: float) -> set[str]:
        after = {run.name: run.digest for run in content.runs(Results.read(results), headline)}
        return {name for name in after if after[name] != before[name]}

    before = {name: run.digest for name, run in logged(results).items()}
    assert changed() == set()
    assert changed(gain=1.5) == {"report"}
    (results / "report" / "tables" / "one.csv").write_text("a\n2\n")
    assert changed() == {"report"}
    aggregate(results, code="another")
    assert changed() == set(before)


def levels(results: Path, *cells: tuple[str, str, str]) -> dict[str, set[str]]:
    """Name of each mean → its datasets, with these cells too."""
    for cell in cells:
        fake.write_cell(results, *cell)
    aggregate(results)
    found = logged(results).values()
    return {run.name: {dataset["name"] for dataset in run.datasets} for run in found if run.kind == "mean"}


def test_a_mean_is_over_the_datasets_that_are_complete_for_every_algorithm(results: Path) -> None:
    settings = ("clean", "noise-L1")
    assert levels(results) == {}  # of one dataset
    both = [("wine", setting, name) for setting in settings for name in ("CSC", "STSC")]
    means = {f"{name} · mean of 2 datasets, noise": {"iris", "wine"} for name in ("CSC", "STSC")}
    assert levels(results, *both) == means
    # ORL lacks a level of one algorithm, and true labels are complete on one dataset.
    assert levels(results, ("orl", "clean", "CSC"), ("orl", "noise-L1", "CSC"), ("orl", "clean", "STSC")) == means
    mlflow = runs_of_curves(results)
    mean, *curves = (mlflow[f"CSC · {name} noise"] for name in ("mean of 2 datasets,", "iris", "wine"))
    for metric in ("nmi", "purity_unsupervised"):
        by_step = [{step: value for name, value, step in run.metrics if name == metric} for run in (mean, *curves)]
        assert set(by_step[0]) == {0, 1}
        for step, value in by_step[0].items():
            assert value == pytest.approx((by_step[1][step] + by_step[2][step]) / 2, abs=2e-4)


def runs_of_curves(results: Path) -> dict[str, Run]:
    return {name: run for name, run in logged(results).items() if run.experiment == "curves"}


def test_stand_ins_are_named_in_files_and_curves_and_are_in_no_mean(results: Path) -> None:
    assert levels(results, ("wine", "clean", "CSC"), ("wine", "noise-L1", "CSC"))
    table = read_rows(results / "table.parquet")
    table.loc[table["dataset"] == "iris", "data_kind"] = "stand-in"
    write_table(results / "table.parquet", table)
    found = logged(results)
    assert not [run for run in found.values() if run.kind == "mean"]
    assert {"CSC · iris (stand-in) noise", "CSC · wine noise"} < set(found)
    run = found["STSC · noise-L1"]
    assert run.tags["data"] == "stand-in"
    assert str(run.files["per_sigma.csv"]).splitlines()[1].startswith("iris,stand-in,")


def test_readings_are_told_from_cells(synced: Path) -> None:
    found = runs(synced)
    clean, noisy = found["PKO+HSC · reading balance-degree"], found["PKO+HSC · noise-L1, reading balance-degree"]
    for run in (clean, noisy):
        assert run.data.tags["hypercut.kind"] == "reading"
        assert run.data.tags["variation"] == run.data.params["variation"] == "balance-degree"
    assert clean.data.params["balance"] == "degree"
    assert "variation" not in found["CSC · clean"].data.tags


def test_failures_are_in_the_status(results: Path) -> None:
    rows = fake.cell_rows("iris", "clean", "CSC")
    for row in rows[:2]:
        row |= {**dict.fromkeys(METRICS), "status": str(Status.TIMEOUT), "labels": None}
    rows[2]["status"] = str(Status.DEGENERATE)
    write_rows(results / "clusters" / "iris" / "clean" / "CSC.parquet", rows, fake.ORIGIN)
    aggregate(results)
    (results / "clusters" / "iris" / "clean" / "CSC.parquet").unlink()  # as of an archive
    run = logged(results)["CSC · clean"]
    assert set(run.files) == {"per_sigma.csv"}
    assert run.tags["status"] == "2 of 6 failed (1 degenerate, 2 timeout)"
    assert ("failed", 2.0, 0) in run.metrics
