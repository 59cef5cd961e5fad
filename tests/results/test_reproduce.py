"""A result that was computed again is compared with that of the archive."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hypercut.cli import main
from hypercut.errors import InputError
from hypercut.results import reproduce as module
from hypercut.results.archive import read_archive
from hypercut.results.reproduce import TOLERANCE, reproduce
from hypercut.results.rows import read_result
from tests.results.current import archive_results
from tests.rows import change_rows

KEY = "yaleb/noise-L1/CSC"


@pytest.fixture
def folder(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive, whose results are "computed" by taking the files of the benchmark."""
    archive_results(results, tmp_path / "archive")
    monkeypatch.setattr(module, "_compute", lambda config, key, *_: results / "clusters" / f"{key}.parquet")
    return tmp_path / "archive"


@pytest.mark.parametrize(("change", "status"), [(0.0, 0), (0.5 * TOLERANCE, 0), (2 * TOLERANCE, 1)])
def test_scores_agree_up_to_the_tolerance(
    folder: Path, results: Path, capsys: pytest.CaptureFixture[str], change: float, status: int
) -> None:
    """At every σ, not only the one that tables show."""
    path = results / "clusters" / f"{KEY}.parquet"
    rows, origin = read_result(path)
    scores = rows["nmi"].mask(rows["sigma_factor"] == 0.6, rows["nmi"] - change)
    recipe = {**origin["recipe"], "cluster": {**origin["recipe"]["cluster"], "code": "edited"}}
    change_rows(
        path, {**origin, "recipe": recipe, "environment": {**origin["environment"], "numpy": "2.0.0"}}, nmi=scores
    )
    difference, comparison = reproduce(folder, KEY, folder)
    assert difference == pytest.approx(change)
    assert comparison.results["difference"].tolist() == [0]  # the best σ is 0.4
    assert main(["reproduce", "yaleb", "noise-L1", "CSC", "--archive", str(folder)]) == status
    printed = capsys.readouterr().out
    for wanted in ("numpy: 2.1.0 and 2.0.0", "other code (cluster)"):
        assert wanted in printed


def test_metrics_that_an_old_archive_lacks_are_not_compared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = read_archive(folder)
    old = replace(archive, rows=archive.rows.assign(ami=np.nan))
    monkeypatch.setattr(module, "read_archive", lambda _: old)
    assert reproduce(folder, KEY, folder)[0] == 0


def test_other_data_and_unknown_results_are_errors(folder: Path, results: Path) -> None:
    with pytest.raises(InputError, match="NRSC is not in"):
        reproduce(folder, "yaleb/noise-L1/NRSC", folder)
    change_rows(results / "clusters" / f"{KEY}.parquet", data_kind="stand-in")
    with pytest.raises(InputError, match=r"yaleb \(stand-in\)"):
        reproduce(folder, KEY, folder)
