"""The σ that each rule chooses, and the means there."""

import numpy as np
import pytest

from hypercut.results.summary import per_sigma, summarize
from hypercut.run.failures import Status
from tests import rows as fake


def rows(scores: dict[float, list[float | None]], information: dict[float, float] | None = None):
    """Return the rows of one cell from the NMI of each repeat at each σ, None for a failed clustering."""
    factors = list(scores)
    repeats = len(scores[factors[0]])
    table = fake.table(["iris"], ["clean"], ["CSC"], repeats=repeats, factors=factors)
    for index, row in table.iterrows():
        score = scores[row["sigma_factor"]][row["repeat"]]
        failed = score is None
        table.loc[index, ["nmi", "purity"]] = (np.nan, np.nan) if failed else (score, score / 2)
        table.loc[index, "status"] = Status.FAILED if failed else Status.OK
        table.loc[index, "neighbor_information"] = (
            np.nan if failed else (information or {}).get(row["sigma_factor"], 1.0)
        )
    return table


def chosen(table, rule: str):
    summary = summarize(table).set_index("rule")
    return summary.loc[rule]


def test_means_and_deviations_over_repeats() -> None:
    found = chosen(rows({0.2: [0.1, 0.3], 0.4: [0.5, 0.7], 0.6: [0.2, 0.2]}), "oracle")
    assert found["sigma_factor"] == 0.4
    assert (found["nmi_mean"], found["purity_mean"]) == pytest.approx((0.6, 0.3))
    assert found["nmi_std"] == pytest.approx(np.std([0.5, 0.7], ddof=1))
    assert (found["repeats"], found["failed"], found["at_edge"]) == (2, 0, False)


def test_failures_count_as_zero_in_both_rules() -> None:
    table = rows({0.2: [0.9, None], 0.4: [0.5, 0.5], 0.6: [0.1, 0.1]}, {0.2: 3.0, 0.4: 2.0, 0.6: 1.0})
    assert chosen(table, "oracle")["sigma_factor"] == 0.4
    assert chosen(table, "unsupervised")["sigma_factor"] == 0.4
    assert chosen(table, "oracle")["failed_anywhere"] == 1
    scales = per_sigma(table).set_index("sigma_factor")
    assert scales.loc[0.2, "nmi_mean"] == pytest.approx(0.45)
    assert scales.loc[0.2, "neighbor_information_mean"] == pytest.approx(1.5)


def test_the_unsupervised_rule_ignores_true_classes() -> None:
    table = rows({0.2: [0.9, 0.9], 0.4: [0.1, 0.1]}, {0.2: 1.0, 0.4: 2.0})
    found = chosen(table, "unsupervised")
    assert (found["sigma_factor"], found["nmi_mean"]) == (0.4, pytest.approx(0.1))


def test_the_edge_of_the_grid_is_flagged_and_ties_go_to_the_smallest_scale() -> None:
    found = chosen(rows({0.2: [0.5], 0.4: [0.5], 0.6: [0.4]}), "oracle")
    assert (found["sigma_factor"], found["at_edge"]) == (0.2, True)


def test_an_algorithm_without_a_scale() -> None:
    found = summarize(fake.table(["iris"], ["clean"], ["STSC"])).set_index("rule")
    assert np.isnan(found.loc["oracle", "sigma_factor"])
    assert not found["at_edge"].any()
