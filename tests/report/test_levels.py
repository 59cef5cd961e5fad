"""What the report shows of levels, the paper's and others."""

import pytest

from hypercut.report.build import build_report
from hypercut.report.evidence import Evidence
from hypercut.report.sections.curves import level_curves
from hypercut.report.sections.scores import score_table
from hypercut.report.sections.what_was_run import incomparable_corruptions
from tests import rows as fake
from tests.report.test_averages import levels

pytestmark = pytest.mark.slow  # builds whole reports


def evidence(rows, **noise):
    return Evidence(fake.frame(rows), fake.run(config={"corruptions": {"noise": noise}}))


def axis(found):
    """Ticks and label of the axis of levels, and the values that are drawn."""
    drawn, _ = level_curves(found, "noise")
    (ax,) = drawn.figure.axes
    ticks = [tick.get_text() for tick in ax.get_xticklabels()]
    return drawn, ticks, ax.get_xlabel(), ax.lines[0].get_ydata().tolist()


FURTHER = [
    *levels("noise", [0.9, 0.8]),
    fake.row("orl", "noise-L11", "CSC", 0.1, level=2.4),
    fake.row("orl", "noise-L12", "CSC", 0.7, level=0.3),
]


def test_curves_have_every_level_in_the_order_of_its_value():
    drawn, ticks, _, values = axis(evidence(FURTHER))
    assert ticks == ["0", "0.2", "0.3", "2.4"]
    assert values == [0.9, 0.8, 0.7, 0.1]
    assert "Excluded from averages (not in the paper): L12 = 0.3, L11 = 2.4." in drawn.caption


def test_the_axis_tells_the_values_and_units_that_were_run():
    rows = [row | {"level": row["level"] / 20} for row in levels("noise", [0.5] * 3)]
    _, ticks, label, _ = axis(evidence(rows, scale="absolute"))
    assert ticks == ["0", "0.01", "0.02"]
    assert "own units" in label
    assert "standard deviations of each feature" in axis(evidence(rows))[2]


def test_the_table_and_the_first_screen_name_the_levels_that_are_in_no_average(tmp_path):
    found = evidence(FURTHER)
    table = score_table(found, "noise", "nmi")
    assert table.caption.endswith("Excluded from averages (not in the paper): L12 = 0.3, L11 = 2.4.")
    assert table.rows[0][1].value == pytest.approx(0.85)
    build_report(found.table, found.run, tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "Levels of noise that are not the paper&#39;s: L12 = 0.3, L11 = 2.4." in page


def test_other_noise_is_reported():
    assert incomparable_corruptions(evidence(levels("noise", [0.5] * 11))) == []
    (line,) = incomparable_corruptions(evidence(levels("noise", [0.5] * 11), distribution="uniform"))
    assert line.startswith("Noise: its scale and distribution are feature_std and uniform, not")
