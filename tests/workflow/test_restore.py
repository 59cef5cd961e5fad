"""Results restored from a reference are not computed again, and nothing else is taken for granted."""

from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from hypercut.benchmark.rows import COMBINATION, read_rows
from tests.workflow.project import MEASURED, SECONDS, Project
from tests.workflow.test_reruns import ALL, CELLS, END, METHOD, clusterings
from tests.workflow.test_runs import unlock

pytestmark = [pytest.mark.workflow, pytest.mark.timeout(2 * SECONDS)]

DATA = {f"{step} {dataset}" for step in ("acquire", "featurize") for dataset in CELLS}
PROBLEMS = {f"corrupt {dataset}/{setting}" for dataset, settings in CELLS.items() for setting in settings}
CSC = "results/tiny/clusters/iris/clean/CSC.parquet"


@pytest.fixture(scope="session")
def reference(finished: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reference of the complete tiny benchmark."""
    folder = tmp_path_factory.mktemp("reference") / "reference"
    assert "40 result files added" in finished.hypercut("archive", str(finished.results), str(folder))
    return folder


@pytest.fixture
def restored(reference: Path, fresh: Callable[[], Project]) -> Project:
    """A project in which nothing has been run, with the results of the reference."""
    project = fresh()
    assert "40 result files restored" in project.hypercut("restore", str(reference), "results/tiny")
    return project


def assert_same_table(first: Project, second: Project) -> None:
    """Compare the aggregated rows: all that a reference keeps."""
    tables = []
    for project in (first, second):
        table = read_rows(project.results / "table.parquet").drop(columns=[*MEASURED, "solver", "traceback"])
        tables.append(table.sort_values([*COMBINATION, "repeat", "sigma_factor"], ignore_index=True))
    pd.testing.assert_frame_equal(*tables, check_exact=True)


def test_restored_results_are_not_computed_and_an_added_method_is(restored: Project, finished: Project) -> None:
    assert restored.planned() == {"configuration"} | DATA | END
    restored.run()
    assert_same_table(restored, finished)
    assert restored.planned() == set()

    (restored.folder / "mine.py").write_text(METHOD.replace("from helper import above_median", "import numpy as np"))
    restored.edit("mine.py", "above_median(X.sum(axis=1))", "(X.sum(axis=1) > np.median(X.sum(axis=1))).astype(int)")
    restored.append("workflow/presets/tiny.yaml", "\nalgorithms: {Mine: {module: mine.py}}\n")
    assert restored.planned() == {"configuration"} | PROBLEMS | clusterings(("Mine",)) | END
    restored.run()
    assert restored.planned() == set()
    table = read_rows(restored.results / "table.parquet")
    assert set(table.loc[table["variation"] == "", "algorithm"]) == {*ALL, "Mine"}
    assert "Mine" in (restored.results / "report" / "index.html").read_text(encoding="utf-8")

    restored.edit("src/hypercut/algorithms/csc.py", 'name = "CSC"', 'name = "CSC"\n    changed = True')
    assert restored.planned() == clusterings(("CSC",)) | END
    restored.run()
    assert restored.planned() == set()
    assert read_rows(restored.folder / CSC, labels=True)["labels"].notna().all()


def test_results_of_edited_code_are_computed(reference: Path, fresh: Callable[[], Project]) -> None:
    project = fresh()
    project.edit("src/hypercut/algorithms/csc.py", 'name = "CSC"', 'name = "CSC"\n    changed = True')
    output = project.hypercut("restore", str(reference), "results/tiny")
    assert "37 result files restored" in output
    assert "3 × computed by other code (cluster)" in output
    assert project.planned() == {"configuration"} | DATA | PROBLEMS | clusterings(("CSC",)) | END


def test_results_of_changed_settings_are_computed(restored: Project) -> None:
    restored.edit("workflow/presets/tiny.yaml", "levels: {L5: 1.0}", "levels: {L5: 1.5}")
    noisy = {"corrupt iris/noise-L5", "overcluster iris/noise-L5"}
    noisy |= {f"cluster iris/noise-L5/{algorithm}" for algorithm in ALL}
    assert restored.planned() == {"configuration"} | DATA | noisy | END


def test_results_from_other_data_are_noticed(restored: Project) -> None:
    restored.edit("src/hypercut/data/datasets/_bundled.py", "def ", "CHANGED = True\n\n\ndef ")
    planned = restored.planned()
    # The code of the features is part of what is compared.
    assert clusterings(ALL, ("iris",)) <= planned


def test_a_killed_run_after_a_restore_is_resumed(
    finished: Project, fresh: Callable[[], Project], tmp_path: Path
) -> None:
    """The reference lacks the cells of digits and the readings: an archived part of a running benchmark."""
    part = finished.copy(tmp_path / "part")
    for path in [*part.results.glob("clusters/digits/*/*"), *part.results.glob("variations/*/*/balance-degree/*")]:
        path.unlink()
    part.hypercut("archive", str(part.results), "reference")
    project = fresh()
    project.hypercut("restore", str(part.folder / "reference"), "results/tiny")
    planned = project.planned()
    assert {job for job in planned if job.startswith("cluster")} == clusterings(ALL, ("digits",))
    assert {job for job in planned if job.startswith("corrupt")} == {"corrupt digits/clean", "corrupt iris/clean"}
    project.kill("clusters/digits/*/*.parquet", 2, cores=1)
    assert unlock(project).returncode == 0
    left = {job for job in project.planned() if job.startswith(("cluster", "vary iris/clean/balance"))}
    assert 0 < len(left) < 11 + 4
    assert not any(job.startswith(("cluster iris", "vary iris/clean/weights")) for job in project.planned())
    # What is missing can also be restored.
    project.run()
    assert_same_table(project, finished)


def test_a_restored_result_has_no_records_of_an_earlier_computation(project: Project, reference: Path) -> None:
    (project.folder / CSC).unlink()
    marker = project.folder / ".snakemake" / "incomplete" / urlsafe_b64encode(CSC.encode()).decode()
    marker.write_text('{"external_jobid": null}')
    assert "cluster iris/clean/CSC" in project.planned()
    assert "1 result files restored" in project.hypercut("restore", str(reference), "results/tiny")
    assert project.planned() == END
    project.run()
    assert project.planned() == set()


def test_a_restored_result_can_be_forced_and_discarded(restored: Project) -> None:
    restored.run("--forcerun", CSC, "--", CSC)
    assert read_rows(restored.folder / CSC, labels=True)["labels"].notna().all()
    assert restored.planned() == {"configuration", "acquire digits", "featurize digits"} | END
    other = CSC.replace("CSC", "STSC")
    (restored.folder / other).unlink()
    assert "cluster iris/clean/STSC" in restored.planned()


def test_one_result_of_a_reference_is_reproduced(reference: Path, fresh: Callable[[], Project]) -> None:
    """From nothing, in a project without results, which stays as it was."""
    project = fresh()
    for arguments in (["iris", "noise-L5", "PO+HSC"], ["iris", "clean", "PKO+HSC", "--variation", "balance-degree"]):
        output = project.hypercut("reproduce", *arguments, "--reference", str(reference))
        assert "have the same scores as in the reference" in output
    assert not (project.folder / "results").exists()
    assert not (project.folder / ".snakemake").exists()


def test_the_report_of_a_reference(reference: Path, finished: Project, tmp_path: Path) -> None:
    """It has the tables of the benchmark's own report, without data and results. Times have three digits."""
    finished.hypercut("report", str(reference), "--out", str(tmp_path / "report"))
    for file in ("gains.csv", "datasets.csv"):
        own, archived = (folder / "tables" / file for folder in (finished.results / "report", tmp_path / "report"))
        assert archived.read_text() == own.read_text()
