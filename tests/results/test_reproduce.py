"""A result that was computed again is compared with that of the archive."""

from pathlib import Path

import numpy as np
import pytest

from hypercut.cli import main
from hypercut.errors import InputError
from hypercut.results import reproduce as module
from hypercut.results.reproduce import TOLERANCE, Agreement, reproduce
from hypercut.results.rows import read_result, read_rows
from tests.results.current import archive_results
from tests.rows import change_rows

KEY = "yaleb/noise-L1/CSC"
CLEAN = "yaleb/clean/CSC"


@pytest.fixture
def folder(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive, whose results are "computed" by taking the files of the benchmark."""
    archive_results(results, tmp_path / "archive")
    monkeypatch.setattr(module, "_compute", lambda config, key, *_: results / "clusters" / f"{key}.parquet")
    return tmp_path / "archive"


def again(folder: Path, key: str = KEY) -> Agreement:
    return reproduce(folder, key, folder)


def test_equal_rows_agree(folder: Path) -> None:
    found = again(folder)
    assert (found.difference, found.agrees) == (0, True)
    assert found.scores["archived"].tolist() == found.scores["computed"].tolist()
    assert found.comparison.count("equal") == 1


def test_the_values_of_the_paper_stand_beside(folder: Path) -> None:
    assert again(folder).scores["paper"].isna().all()  # it prints no single level
    clean = again(folder, CLEAN).scores
    assert clean["paper"].dropna().to_dict() == {"nmi": 0.5849, "purity": 0.4796}


def test_other_data_than_the_papers_are_marked(results: Path, tmp_path: Path, folder: Path) -> None:
    assert "not comparable" not in again(folder, CLEAN).paper
    change_rows(results / "clusters" / f"{CLEAN}.parquet", complete=False)
    archive_results(results, tmp_path / "subset")
    assert "not comparable" in again(tmp_path / "subset", CLEAN).paper


def test_sigma_is_that_of_the_tables(results: Path, folder: Path, tmp_path: Path) -> None:
    """Of equal means the smallest σ, also if the sum of the repeats rounds differently."""
    file = results / "clusters" / f"{KEY}.parquet"
    rows = read_rows(file)
    scores = {0.2: [0.1, 0.5], 0.4: [0.2, 0.4], 0.6: [0.1, 0.1]}
    nmi = [scores[row.sigma_factor][row.repeat] for row in rows.itertuples()]
    assert np.mean(scores[0.2]) < np.mean(scores[0.4]), "expected equal means that differ in the last digit"
    change_rows(file, nmi=nmi, purity=rows["sigma_factor"])
    archive_results(results, tmp_path / "again")
    assert again(tmp_path / "again").scores.loc["purity", ["archived", "computed"]].tolist() == [0.2, 0.2]


@pytest.mark.parametrize(("change", "agrees"), [(0.5 * TOLERANCE, True), (2 * TOLERANCE, False)])
def test_other_scores_agree_up_to_the_tolerance(folder: Path, results: Path, change: float, agrees: bool) -> None:
    path = results / "clusters" / f"{KEY}.parquet"
    change_rows(path, nmi=read_rows(path)["nmi"] - change)
    found = again(folder)
    assert found.agrees == agrees
    assert found.difference == pytest.approx(change)
    assert ("does not agree" in str(found)) != agrees


def test_other_code_and_versions_are_named(folder: Path, results: Path) -> None:
    path = results / "clusters" / f"{KEY}.parquet"
    _, origin = read_result(path)
    recipe = {**origin["recipe"], "cluster": {**origin["recipe"]["cluster"], "code": "edited"}}
    change_rows(path, {**origin, "recipe": recipe, "environment": {**origin["environment"], "numpy": "2.0.0"}})
    text = str(again(folder))
    assert "numpy: 2.1.0 and 2.0.0" in text
    assert "other code (cluster)" in text


def test_other_data_are_an_error(folder: Path, results: Path) -> None:
    change_rows(results / "clusters" / f"{KEY}.parquet", data_kind="stand-in")
    with pytest.raises(InputError, match=r"yaleb \(stand-in\)"):
        again(folder)


def test_the_exit_status(folder: Path, results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["reproduce", "yaleb", "noise-L1", "CSC", "--archive", str(folder)]
    assert main(command) == 0
    change_rows(results / "clusters" / f"{KEY}.parquet", nmi=0.0)
    assert main(command) == 1
    assert main([*command[:3], "NRSC", *command[4:]]) == 2
    assert "is not in" in capsys.readouterr().err
