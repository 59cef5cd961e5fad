"""The means with σ chosen with and without labels are over the same datasets and levels for all algorithms."""

import pandas as pd
import pytest

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.label_free import label_free_losses
from tests import rows as fake
from tests.rows import levels


def losses(rows: list[dict], experiment: str = "clean") -> pd.DataFrame:
    found = label_free_losses(Evidence(fake.frame(rows), fake.run()))
    return found[(found["experiment"] == experiment) & (found["metric"] == "nmi")].set_index("algorithm")


def test_means_are_over_the_same_levels() -> None:
    rows = [*levels("noise", [0.9, 0.1], "PKO+HSC", "orl"), *levels("noise", [0.8, 0.2], "CSC", "orl")]
    rows += [*levels("noise", [0.9, 0.1, 0.1], "PKO+HSC", "iris"), *levels("noise", [0.9, 0.8], "CSC", "iris")]
    assert losses(rows, "noise")["oracle"].tolist() == [pytest.approx(0.5)] * 2


def test_means_and_the_share_of_edges_are_over_the_cells_that_all_algorithms_have() -> None:
    cells = [("orl", "PKO+HSC", 0.4), ("orl", "CSC", 0.2), ("iris", "PKO+HSC", 0.6)]
    rows = [
        fake.row(dataset, "clean", algorithm, 0.9 if factor == best else 0.5, sigma_factor=factor)
        for dataset, algorithm, best in cells
        for factor in (0.2, 0.4, 0.6)
    ]
    rows += fake.scores({"yaleb": {"PKO+HSC": 0.1, "CSC": 0.1}}, data_kind="stand-in")
    found = losses(rows)
    assert found["datasets"].tolist() == [1, 1]
    assert found["oracle"].tolist() == [0.9, 0.9]
    assert found["at_edge"].to_dict() == {"PKO+HSC": 0.0, "CSC": 1.0}
