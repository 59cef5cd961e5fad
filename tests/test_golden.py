"""Rows and tables are those of the recorded digests."""

from pathlib import Path

import pytest

from hypercut.cli import main
from tests import golden

ROOT = Path(__file__).parents[1]


def test_the_report_of_the_reference_has_the_recorded_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("build", "render.page"):  # figures take three quarters of the time
        monkeypatch.setattr(f"hypercut.report.{module}.save_figure", lambda figure, folder: figure)
    main(["report", str(ROOT / "reference"), "--out", str(tmp_path / "report")])
    assert golden.tables(tmp_path / "report" / "tables") == golden.expected("tables")
