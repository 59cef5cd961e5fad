"""The standard error of each cell: computed, marked, counted and listed."""

import numpy as np
import pytest

from hypercut.report.evidence import Evidence
from hypercut.report.sections.scores import score_table
from hypercut.report.sections.standard_errors import (
    cell_errors,
    error_fact,
    error_note,
    error_remark,
    error_table,
    flagged_table,
)
from tests import rows as fake

ROWS = [
    *fake.scores({"iris": {"PKO+HSC": [0.48, 0.52, 0.48, 0.52]}}),
    # Two equal repeats, and a control that spreads widely.
    *fake.scores({"iris": {"CSC": [0.4, 0.4], "random labels": [0.1, 0.5]}}),
    *fake.scores({"iris": {"CSC": [0.3]}}, "noise-L1"),
]
EVIDENCE = Evidence(fake.frame(ROWS), fake.run())


def test_the_error_of_a_cell_is_the_deviation_over_the_root_of_the_repeats() -> None:
    found = cell_errors(EVIDENCE).set_index(["setting", "algorithm"])
    deviation = np.sqrt(4 * 0.02**2 / 3)
    assert found.loc[("clean", "PKO+HSC"), "nmi_error"] == pytest.approx(deviation / 2)
    assert found.loc[("clean", "PKO+HSC"), "needed"] == 22  # (deviation / 0.005)² = 21.3
    assert found.loc[("clean", "CSC"), "nmi_error"] == 0
    assert np.isnan(found.loc[("noise-L1", "CSC"), "nmi_error"])
    assert found["above"].tolist() == [True, False, False]


def test_controls_do_not_count() -> None:
    assert "random labels" not in set(cell_errors(EVIDENCE)["algorithm"])
    assert error_fact(EVIDENCE) == "above 0.005 in 1 of 3 cells, unknown in 1 with one repeat"


def test_the_tables_name_the_cells_above_the_limit() -> None:
    (iris,) = error_table(EVIDENCE).rows
    assert [cell.text for cell in iris] == ["Iris", "0.0115 *", "–"]
    assert iris[1].notes == ("PKO+HSC, L0", "1 of 2 above", "2 to 4 repeats")
    assert iris[2].notes == ("one repeat",)
    (flagged,) = flagged_table(EVIDENCE).rows
    assert [cell.text for cell in flagged] == ["Iris", "clean", "PKO+HSC", "4", "0.5000", "0.0115", "22"]


def test_a_score_shows_its_error() -> None:
    table = score_table(EVIDENCE, "clean", "nmi")
    notes = {row[0].text: row[1].notes for row in table.rows}
    assert notes["PKO+HSC"][0] == "SE 0.0115 *"
    assert notes["CSC"][0] == "SE 0.0000"
    assert not any(note.startswith("SE") for note in notes["random labels (control)"])
    assert "* marks those above 0.005: 1 of 2 entries." in table.caption
    assert table.data.set_index("algorithm")["error"]["PKO+HSC"] == pytest.approx(np.sqrt(4 * 0.02**2 / 3) / 2)


def test_one_repeat_has_no_error() -> None:
    single = Evidence(fake.frame(fake.scores({"iris": {"CSC": 0.4, "STSC": [0.1, 0.2]}})), fake.run())
    table = score_table(single, "clean", "nmi")
    assert table.rows[0][1].notes[0] == error_note(float("nan")) == "one repeat"
    assert table.caption.endswith(error_remark(table.data["error"]))
    assert table.caption.endswith("1 of 2 entries. With one repeat, and therefore no standard error: 1.")
