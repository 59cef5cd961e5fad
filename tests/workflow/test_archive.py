"""Results of an archive are used: only missing ones are computed, and archived rows stay unchanged."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from hypercut.results.rows import COMBINATION, DIAGNOSTICS, read_rows
from tests.workflow.project import MEASURED, SECONDS, TINY, Project
from tests.workflow.test_reruns import ALL, CELLS, END, MINE, clusterings

pytestmark = [pytest.mark.workflow, pytest.mark.timeout(2 * SECONDS)]

TABLE = "results/tiny/table.parquet"
PAGE = "results/tiny/report/index.html"


def before(*datasets: str) -> set[str]:
    """Return the jobs before the clusterings, with the problems of the cells."""
    files = {f"{step} {dataset}" for step in ("acquire", "featurize") for dataset in datasets}
    return {"configuration"} | files | {f"corrupt {dataset}/{name}" for dataset in datasets for name in CELLS[dataset]}


@pytest.fixture(scope="session")
def archive(finished: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of the complete tiny benchmark."""
    folder = tmp_path_factory.mktemp("archive") / "archive"
    finished.hypercut("archive", str(finished.results), str(folder))
    return folder


@pytest.fixture
def beside(archive: Path, fresh: Callable[[], Project]) -> Project:
    """A project in which nothing has been run, with the archive."""
    project = fresh()
    project.config["archive"] = archive
    return project


def rows(project: Project) -> pd.DataFrame:
    """Return the aggregated rows, as far as an archive has them."""
    table = read_rows(project.folder / TABLE).drop(columns=[*MEASURED, "solver", "traceback"])
    return table.sort_values([*COMBINATION, "repeat", "sigma_factor"], ignore_index=True)


def assert_complete(project: Project, finished: Project, mine: set[str] = frozenset()) -> None:
    """The rows of all archived results are those of the run, and an own method is beside them on some datasets."""
    table = rows(project)
    own = table["algorithm"] == "Mine"
    found, expected = table[~own].reset_index(drop=True), rows(finished)
    rounded = list(DIAGNOSTICS)  # by the archive, with an error below 0.1 %
    pd.testing.assert_frame_equal(found.drop(columns=rounded), expected.drop(columns=rounded), check_exact=True)
    pd.testing.assert_frame_equal(found[rounded], expected[rounded], rtol=1e-3)
    assert set(table.loc[own, "dataset"]) == set(mine)


def test_an_own_method_is_computed_beside_the_archive(beside: Project, finished: Project) -> None:
    assert beside.planned() == {"configuration"} | END
    beside.run("--", TABLE)
    assert_complete(beside, finished)
    beside.add_methods(Mine=MINE)
    assert beside.planned() == before(*CELLS) | clusterings(("Mine",)) | END
    beside.run()
    assert beside.planned() == set()
    assert_complete(beside, finished, {*CELLS})
    assert "Mine" in (beside.folder / PAGE).read_text(encoding="utf-8")
    # Only results of the same code are taken from the archive.
    beside.edit("src/hypercut/algorithms/csc.py", 'name = "CSC"', 'name = "CSC"\n    changed = True')
    assert beside.planned() == clusterings(("CSC",)) | END


def test_settings_that_have_changed_are_computed(beside: Project, archive: Path) -> None:
    """The archive is a key of the preset here."""
    beside.config.clear()
    beside.append(TINY, f"\narchive: {archive}\n")
    beside.edit(TINY, "levels: {L5: 1.0}", "levels: {L5: 1.5}")
    noisy = {"overcluster iris/noise-L5", *(f"cluster iris/noise-L5/{algorithm}" for algorithm in ALL)}
    assert beside.planned() == (before("iris") - {"corrupt iris/clean"}) | noisy | END


def test_data_that_are_not_at_hand_leave_the_own_method_out(beside: Project, finished: Project) -> None:
    beside.add_methods(Mine=MINE)
    beside.append("src/hypercut/benchmark/declared.py", "\n\ndef is_packaged(name):\n    return name != 'digits'\n")
    assert beside.planned() == before("iris") | clusterings(("Mine",), ("iris",)) | END
    beside.run("--", PAGE)
    assert_complete(beside, finished, {"iris"})


def test_only_what_an_archive_lacks_is_computed(finished: Project, fresh: Callable[[], Project], tmp_path) -> None:
    part = finished.copy(tmp_path / "part")
    lacking = ("CSC", "PO+HSC")
    for algorithm in lacking:
        (part.results / f"clusters/digits/clean/{algorithm}.parquet").unlink()
    part.hypercut("archive", str(part.results), "archive")
    project = fresh()
    project.config["archive"] = part.folder / "archive"
    jobs = before("digits") | {"overcluster digits/clean"} | clusterings(lacking, ("digits",)) | END
    assert project.planned() == jobs
    project.run("--", TABLE)
    assert_complete(project, finished)


def test_a_result_is_reproduced_and_leaves_no_trace(archive: Path, fresh: Callable[[], Project]) -> None:
    project = fresh()
    folders = [".", "workflow", "results", ".snakemake"]
    names = {path for folder in folders for path in (project.folder / folder).glob("*")} | {project.folder / "data"}
    for arguments in (["iris", "noise-L5", "PO+HSC"], ["iris", "clean", "PKO+HSC", "--variation", "balance-degree"]):
        project.hypercut("reproduce", *arguments, "--archive", str(archive))  # exit status 0: it agrees
    assert {path for folder in folders for path in (project.folder / folder).glob("*")} <= names


def test_the_report_of_an_archive_has_the_tables_of_the_run(archive: Path, finished: Project, tmp_path: Path) -> None:
    finished.hypercut("report", str(archive), "--out", str(tmp_path / "report"))
    tables = sorted(path.name for path in finished.results.glob("report/tables/*.csv"))
    assert "datasets.csv" in tables
    before, after = finished.results / "report/tables", tmp_path / "report/tables"
    different = {name for name in tables if (before / name).read_text() != (after / name).read_text()}
    # An archive rounds times, and diagnostics with an error below 0.1 %.
    assert different <= {"cost.csv", "criterion.csv"}
    criterion = [pd.read_csv(folder / "criterion.csv") for folder in (before, after)]
    pd.testing.assert_frame_equal(*criterion, rtol=1e-3)
