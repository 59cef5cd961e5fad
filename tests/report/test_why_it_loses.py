"""The report's statements about the trace ratio follow from the diagnostics in the rows, whatever these are."""

import pytest

from hypercut.analysis.diagnostics import LOW_DEGREE_SHARE, diagnosed, explain
from hypercut.analysis.evidence import Evidence
from hypercut.core import diagnostics
from hypercut.report.render.theme import theme
from hypercut.report.sections.why_it_loses import criterion_chart, criterion_table, findings, section
from hypercut.results.rows import DIAGNOSTICS
from tests import rows as fake


def cut(dataset, algorithm, nmi, *values, sigma=0.4):
    """A row with its diagnostics: trace ratio, criterion, that of the true classes, mass, smallest cluster."""
    row = fake.row(dataset, "clean", algorithm, nmi, sigma_factor=sigma)
    return row | dict(zip(DIAGNOSTICS, values or [None] * len(DIAGNOSTICS), strict=True))


def evidence(*rows):
    return Evidence(fake.frame(rows), fake.run())


#: The criterion prefers the worse labels of Iris, and not those of ORL. On Corel the trace ratio wins.
LOSES = [
    cut("iris", "PKO+HSC", 0.7, 3.0, 3.1, 2.1, 0.4, 1),
    cut("iris", "PKO+NC", 0.9, 2.5, 2.2, 2.1, 0.1, 9),
    cut("orl", "PKO+HSC", 0.7, 3.0, 1.0, 1.5, 0.6, 3),
    cut("orl", "PKO+NC", 0.9, 2.5, 1.2, 1.5, 0.1, 9),
    cut("corel", "PKO+HSC", 0.5, 3.0, 2.0, 2.1, 0.2, 2),
    cut("corel", "PKO+NC", 0.4, 2.5, 1.9, 2.1, 0.2, 9),
]


def test_the_diagnostics_are_counted():
    found = explain(diagnosed(evidence(*LOSES)))
    assert (found.datasets, found.won, found.lost) == (3, 1, 2)
    assert (found.preferred, found.relaxed, found.above_truth) == (1, 1, 1)
    assert found.mass == {"PKO+HSC": 0.4, "PKO+NC": 0.1}
    assert found.largest == ("orl", "PKO+HSC", 0.6)
    assert found.smallest == {"PKO+HSC": 2, "PKO+NC": 9}


def test_both_outcomes_are_told():
    loses = section(evidence(*LOSES))
    text = " ".join(loses.remarks)
    assert "loses" in loses.title
    assert "loses to PKO+NC in NMI on 2 of 3 datasets and wins on 1" in text
    assert "Lost on 1 by design: the paper's criterion prefers the worse labels" in text
    assert "does not discount degrees" in text

    wins = [
        cut("iris", "PKO+HSC", 0.9, 3.0, 2.0, 2.1, 0.05, 9),
        cut("iris", "PKO+NC", 0.7, 2.5, 2.2, 2.1, 0.05, 9),
    ]
    other = section(evidence(*wins))
    text = " ".join(other.remarks)
    assert "loses" not in other.title
    assert "on 0 of 1 dataset and wins on 1" in text
    assert "worse labels" not in text
    assert "low degrees do not explain" in text


def test_an_optimiser_that_fails_is_told():
    rows = [cut("iris", "PKO+HSC", 0.7, 2.0, 2.0, 2.1, 0.4, 1), cut("iris", "PKO+NC", 0.9, 2.5, 2.2, 2.1, 0.1, 9)]
    results = evidence(*rows)
    found = explain(diagnosed(results))
    assert (found.lost, found.preferred, found.relaxed) == (1, 0, 0)
    assert any("does not even have the larger trace ratio" in line for line in findings(results, found))


def test_both_methods_cut_the_same_similarity():
    """PKO+NC is read at the σ of PKO+HSC, not at its own, and PK+HSC, which has another similarity, at its own."""
    rows = [
        *LOSES[:2],
        cut("iris", "PKO+HSC", 0.6, 9.0, 9.0, 9.0, 0.9, 9, sigma=1.0),
        cut("iris", "PKO+NC", 0.95, 9.0, 9.0, 9.0, 0.9, 9, sigma=1.0),
        cut("iris", "PK+HSC", 0.5, 1.0, 1.0, 1.0, 0.9, 1, sigma=1.0),
        cut("iris", "PK+HSC", 0.4, 9.0, 9.0, 9.0, 0.9, 9),
    ]
    data = diagnosed(evidence(*rows)).set_index("algorithm")
    assert data["sigma_factor"].to_dict() == {"PKO+HSC": 0.4, "PK+HSC": 1.0, "PKO+NC": 0.4}
    assert data.loc["PKO+NC", "criterion"] == 2.2
    assert data.loc["PK+HSC", "nmi"] == 0.5


def test_results_without_diagnostics_have_no_section():
    rows = [cut("iris", "PKO+HSC", 0.7), cut("iris", "PKO+NC", 0.9), *LOSES[2:3]]
    found = section(evidence(*rows))
    assert not found.tables
    assert not found.remarks


def test_the_largest_criterion_is_bold_and_the_picture_has_every_dataset():
    results = evidence(
        *LOSES, cut("usps", "PKO+HSC", 0.5, 1, float("inf"), 1, 0, 1), cut("usps", "PKO+NC", 0.5, *[1] * 5)
    )
    data = diagnosed(results)
    table = criterion_table(results, data)
    best = {row[0].text: [table.columns[i] for i, cell in enumerate(row) if cell.best] for row in table.rows}
    assert best == {
        "ORL": ["criterion true classes"],
        "USPS": ["criterion PKO+HSC"],
        "Iris": ["criterion PKO+HSC"],
        "Corel": ["criterion true classes"],
    }
    with theme():
        (drawn,) = criterion_chart(results, data)
    left, right = drawn.figure.axes
    assert [tick.get_text() for tick in left.get_yticklabels()] == ["ORL", "USPS", "Iris", "Corel"]
    _, ratio, cuts = left.lines  # without the infinite one of USPS
    assert ratio.get_xdata().tolist() == pytest.approx([1.0 / 1.5, 3.1 / 2.1, 2.0 / 2.1])
    assert ratio.get_ydata().tolist() == [3, 1, 0]
    assert len(cuts.get_xdata()) == len(right.lines[1].get_xdata()) == 4


def test_the_share_of_vertices_is_that_of_the_diagnostics():
    assert LOW_DEGREE_SHARE == diagnostics.LOW_DEGREE_SHARE
