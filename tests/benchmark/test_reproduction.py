"""A result that was computed again is compared with that of a reference."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hypercut.benchmark import reproduction
from hypercut.benchmark.archive import archive
from hypercut.benchmark.reference import Reference, read_reference
from hypercut.benchmark.reproduction import TOLERANCE, reproduce
from hypercut.benchmark.rows import read_rows
from hypercut.cli import main
from hypercut.errors import InputError
from tests.rows import change_rows

KEY = ("yaleb", "noise-L1", "CSC", "")


@pytest.fixture
def reference(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reference:
    """A reference, whose results are "computed" by taking the files of the benchmark."""
    archive(results, tmp_path / "reference")
    file = results / "clusters/yaleb/noise-L1/CSC.parquet"
    monkeypatch.setattr(reproduction, "_compute", lambda *arguments: file)
    return read_reference(tmp_path / "reference")


def test_equal_rows_agree(reference: Reference, tmp_path: Path) -> None:
    found = reproduce(reference, KEY, tmp_path)
    assert (found.different, found.difference, found.agrees) == (0, 0, True)
    assert "yaleb · noise-L1 · CSC: all 6 clusterings have the same scores" in str(found)
    pd.testing.assert_series_equal(found.archived, found.computed)


def test_the_values_of_the_paper_are_shown(
    reference: Reference, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    level = str(reproduce(reference, KEY, tmp_path))
    assert "Paper: prints no single level; its means over all levels are nmi 0.4634, purity 0.3229 (Table 3)." in level
    monkeypatch.setattr(reproduction, "_compute", lambda *arguments: results / "clusters/yaleb/clean/CSC.parquet")
    clean = reproduce(reference, ("yaleb", "clean", "CSC", ""), tmp_path)
    assert clean.printed == {"nmi": 0.5849, "purity": 0.4796}
    lines = str(clean).splitlines()
    assert lines[1].split() == ["paper", "reference", "computed"]
    assert lines[2].split() == ["nmi", "0.5849", f"{clean.archived['nmi']:.4f}", f"{clean.computed['nmi']:.4f}"]
    assert lines[4].split()[:2] == ["matched_accuracy", "–"]
    assert "  Paper: Table 1, YaleB with N = 2432." in lines
    assert re.search(
        r"Reference: yaleb, 2 repeats × 3 values of σ.*; last archived by hypercut \d.*, \d{4}-\d\d-\d\d\.", str(clean)
    )


def test_other_data_than_the_papers_are_marked(
    reference: Reference, results: Path, monkeypatch, tmp_path: Path
) -> None:
    file = results / "clusters/yaleb/clean/CSC.parquet"
    change_rows(file, complete=False)
    monkeypatch.setattr(reproduction, "_compute", lambda *arguments: file)
    found = reproduce(reference, ("yaleb", "clean", "CSC", ""), tmp_path)
    assert "Paper: Table 1, YaleB with N = 2432; not comparable with yaleb (subset, N = 30)." in str(found)


def test_the_scale_is_that_of_the_tables(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of equal means the smallest σ, also if the sum of the repeats rounds differently."""
    file = results / "clusters/yaleb/noise-L1/CSC.parquet"
    rows = read_rows(file)
    scores = {0.2: [0.1, 0.5], 0.4: [0.2, 0.4], 0.6: [0.1, 0.1]}
    nmi = [scores[row.sigma_factor][row.repeat] for row in rows.itertuples()]
    assert np.mean(scores[0.2]) < np.mean(scores[0.4]), "expected equal means that differ in the last digit"
    change_rows(file, nmi=nmi, purity=rows["sigma_factor"])
    archive(results, tmp_path / "reference")
    monkeypatch.setattr(reproduction, "_compute", lambda *arguments: file)
    found = reproduce(read_reference(tmp_path / "reference"), KEY, tmp_path)
    assert found.archived["purity"] == found.computed["purity"] == 0.2


@pytest.mark.parametrize(("change", "agrees"), [(0.5 * TOLERANCE, True), (2 * TOLERANCE, False)])
def test_other_scores_agree_up_to_the_tolerance(
    reference: Reference, results: Path, tmp_path: Path, change: float, agrees: bool
) -> None:
    path = results / "clusters/yaleb/noise-L1/CSC.parquet"
    archived = reference.rows[(reference.rows["algorithm"] == "CSC") & (reference.rows["setting"] == "noise-L1")]
    change_rows(path, nmi=archived["nmi"].to_numpy() - change)
    found = reproduce(reference, KEY, tmp_path)
    assert (found.different, found.agrees) == (6, agrees)
    assert found.difference == pytest.approx(change)
    assert ("does not agree" in str(found)) != agrees


def test_other_code_and_versions_are_named(reference: Reference, tmp_path: Path) -> None:
    text = reference.rows["origin"].str.replace("2.1.0", "2.0.0").str.replace('"cluster": "', '"cluster": "0')
    found = reproduce(replace(reference, rows=reference.rows.assign(origin=text)), KEY, tmp_path)
    assert "numpy: reference 2.0.0, here 2.1.0" in str(found)
    assert "The code of the step cluster has changed since" in str(found)


def test_other_data_are_an_error(reference: Reference, tmp_path: Path) -> None:
    text = reference.rows["origin"].str.replace("da7a", "0ther")
    with pytest.raises(InputError, match="The data of yaleb are not those of the reference: real, 30 samples"):
        reproduce(replace(reference, rows=reference.rows.assign(origin=text)), KEY, tmp_path)


def test_a_result_that_is_not_archived(reference: Reference, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Datasets: yaleb.*settings: clean, noise-L1; algorithms: CSC, PKO"):
        reproduce(reference, ("yaleb", "clean", "KMeans", ""), tmp_path)


def test_the_exit_status(
    reference: Reference, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["reproduce", "yaleb", "noise-L1", "CSC", "--reference", str(tmp_path / "reference")]
    assert main(command) == 0
    change_rows(results / "clusters/yaleb/noise-L1/CSC.parquet", nmi=0.0)
    assert main(command) == 1
    assert main([*command[:3], "NRSC", *command[4:]]) == 2
    assert "is not in the reference" in capsys.readouterr().err
