"""The standard error of each cell: computed, marked, counted and listed."""

import numpy as np
import pytest

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.precision import cell_errors
from hypercut.report.sections.standard_errors import error_table
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
    assert found["above"].tolist() == [True, False, False]  # without the control


def test_the_tables_name_the_cells_above_the_limit() -> None:
    (iris,) = error_table(EVIDENCE).rows
    assert [cell.text for cell in iris] == ["Iris", "0.0115", "–"]
    assert iris[1].notes == ("PKO+HSC, L0", "1 of 2 above")
    assert iris[2].notes == ("one repeat",)
