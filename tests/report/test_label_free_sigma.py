"""The means with σ chosen with and without labels are over the same datasets and levels for all algorithms."""

import pandas as pd
import pytest

from hypercut.report.evidence import Evidence
from hypercut.report.sections.label_free_sigma import label_free_losses, loss_chart, loss_table
from tests import rows as fake
from tests.report.test_averages import levels


def losses(rows: list[dict], experiment: str = "clean") -> pd.DataFrame:
    found = label_free_losses(Evidence(fake.frame(rows), fake.run()))
    return found[(found["experiment"] == experiment) & (found["metric"] == "nmi")].set_index("algorithm")


def test_means_are_over_the_datasets_that_all_algorithms_have() -> None:
    rows = fake.scores({"orl": {"PKO+HSC": 0.9, "CSC": 0.8}, "iris": {"PKO+HSC": 0.5}})
    found = losses(rows)
    assert found["datasets"].tolist() == [1, 1]
    assert found["oracle"].tolist() == [0.9, 0.8]


def test_means_are_over_the_same_levels() -> None:
    rows = [*levels("noise", [0.9, 0.1], "PKO+HSC", "orl"), *levels("noise", [0.8, 0.2], "CSC", "orl")]
    rows += [*levels("noise", [0.9, 0.1, 0.1], "PKO+HSC", "iris"), *levels("noise", [0.9, 0.8], "CSC", "iris")]
    assert losses(rows, "noise")["oracle"].tolist() == [pytest.approx(0.5)] * 2


def test_the_share_of_edges_is_over_the_cells_that_all_algorithms_have() -> None:
    def cell(dataset: str, algorithm: str, best: float) -> list[dict]:
        factors = (0.2, 0.4, 0.6)
        return [
            fake.row(dataset, "clean", algorithm, 0.9 if factor == best else 0.5, sigma_factor=factor)
            for factor in factors
        ]

    rows = [*cell("orl", "PKO+HSC", 0.4), *cell("orl", "CSC", 0.2), *cell("iris", "PKO+HSC", 0.6)]
    assert losses(rows)["at_edge"].to_dict() == {"PKO+HSC": 0.0, "CSC": 1.0}


def test_the_captions_say_which_datasets_the_means_are_over() -> None:
    rows = fake.scores({name: {"PKO+HSC": 0.9, "CSC": 0.8} for name in ("orl", "usps", "usps465")})
    evidence = Evidence(fake.frame(rows), fake.run())
    found = label_free_losses(evidence)
    (chart,) = loss_chart(found, evidence.roles)
    for caption in (loss_table(found).caption, chart.caption):
        assert "datasets that all these algorithms have, without stand-ins and parts of other datasets" in caption
    assert "Datasets: 2 (clean)." in loss_table(found).caption
