"""What the report shows of levels, the paper's and others."""

import pytest

from hypercut.paper import published
from hypercut.report.build import build_report
from hypercut.report.evidence import Evidence
from hypercut.report.sections.claims import judge_scores
from hypercut.report.sections.curves import level_curves
from hypercut.report.sections.gains import average_gains
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


def test_the_caption_counts_the_levels_that_all_of_the_papers_algorithms_have():
    """At L2 and L11 PKO+HSC is the highest of those that were run; L2 lacks CSC, and L11 is not the paper's."""
    rows = [row for name in published.COMPETITORS for row in levels("noise", [0.5, 0.5, 0.5], name)]
    rows = [row for row in rows if (row["setting"], row["algorithm"]) != ("noise-L2", "CSC")]
    rows += levels("noise", [0.9, 0.1, 0.9], "PKO+HSC")
    rows += [fake.row("orl", "noise-L11", name, 0.5, level=2.4) for name in published.ALGORITHMS]
    found = evidence(rows)
    drawn, *_ = level_curves(found, "noise")
    assert (
        "Levels at which PKO+HSC has the highest NMI, of those with all eight algorithms: ORL 1 of 2." in drawn.caption
    )
    claim = next(it for it in judge_scores(found, average_gains(found)) if it.name == "most-noise-levels")
    assert claim.finding.startswith("Highest in 2 of the 4 ")  # the same in purity


def test_the_caption_counts_no_levels_without_all_algorithms():
    drawn, *_ = level_curves(evidence([*levels("noise", [0.9, 0.8], "PKO+HSC"), *levels("noise", [0.5, 0.4])]), "noise")
    assert "highest NMI" not in drawn.caption
