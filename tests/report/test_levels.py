"""What the report shows of levels, the paper's and others."""

import pytest

from hypercut.analysis.evidence import Evidence
from hypercut.report.sections.curves import level_curves
from hypercut.report.sections.scores import score_table, section
from hypercut.report.sections.what_was_run import incomparable
from tests import rows as fake
from tests.rows import levels


def evidence(rows, **noise):
    return Evidence(fake.frame(rows), fake.run(config={"corruptions": {"noise": noise}}))


def axis(found):
    """Levels and scores that are drawn, and the label of the axis of levels."""
    drawn, _ = level_curves(found, "noise")
    (ax,) = drawn.figure.axes
    return *(values.tolist() for values in ax.lines[0].get_data()), ax.get_xlabel()


FURTHER = [
    *levels("noise", [0.9, 0.8]),
    fake.row("orl", "noise-L11", "CSC", 0.1, level=2.4),
    fake.row("orl", "noise-L12", "CSC", 0.7, level=0.3),
]


def test_curves_have_every_level_in_the_order_of_its_value():
    levels, scores, _ = axis(evidence(FURTHER))
    assert levels == [0, 0.2, 0.3, 2.4]
    assert scores == [0.9, 0.8, 0.7, 0.1]


def test_the_axis_tells_the_values_and_units_that_were_run():
    rows = [row | {"level": row["level"] / 20} for row in levels("noise", [0.5] * 3)]
    values, _, label = axis(evidence(rows, scale="absolute"))
    assert values == pytest.approx([0, 0.01, 0.02])
    assert "own units" in label
    assert "standard deviations of each feature" in axis(evidence(rows))[2]


def test_every_metric_that_the_rows_have_is_a_tab():
    rows = levels("noise", [0.9, 0.8])
    names = ["table1-nmi", "table1-purity", "table1-matched-accuracy", "table1-ari", "table1-ami"]
    assert [table.name for table in section(evidence(rows), "clean").tabs] == names
    old = [row | {"ami": None} for row in rows]
    assert [table.name for table in section(evidence(old), "clean").tabs] == names[:-1]


def test_levels_and_noise_that_are_not_the_papers_are_reported_and_in_no_average():
    found = evidence(FURTHER)
    assert score_table(found, "noise", "nmi").rows[0][1].value == pytest.approx(0.85)
    (line,) = incomparable(found)
    assert "L12 = 0.3, L11 = 2.4" in line
    assert incomparable(evidence(levels("noise", [0.5] * 11))) == []
    assert len(incomparable(evidence(levels("noise", [0.5] * 11), distribution="uniform"))) == 1
