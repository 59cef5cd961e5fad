"""The evidence for a gain over one competitor, on scores with a known answer."""

import numpy as np
import pandas as pd
import pytest

from hypercut.analysis.bootstrap import coverage
from hypercut.analysis.competitors import against_competitors, holm
from hypercut.analysis.evidence import Evidence
from hypercut.analysis.gains import average_gains
from hypercut.paper import published
from tests import rows as fake

#: PKO+HSC is ahead of CSC everywhere, equal to STSC within 0.01, behind PKO+NC on one dataset only.
OURS = dict(zip(published.DATASETS, (0.5, 0.6, 0.7, 0.8, 0.5, 0.6, 0.7), strict=True))
SCORES = {
    name: {"PKO+HSC": score, "CSC": score - 0.1, "STSC": score + 0.005, "PKO+NC": score + 0.4 * (name == "orl")}
    for name, score in OURS.items()
}


@pytest.fixture(scope="module")
def lines() -> pd.DataFrame:
    evidence = Evidence(fake.frame(fake.scores(SCORES)), fake.run())
    return against_competitors(evidence, average_gains(evidence), "stated").query("metric == 'nmi'")


def test_better_equivalent_and_worse_are_probabilities(lines: pd.DataFrame) -> None:
    found = lines.set_index("competitor")[["better", "equivalent", "worse"]]
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert found.idxmax(axis=1).to_dict() == {"CSC": "better", "STSC": "equivalent", "PKO+NC": "equivalent"}
    assert found.loc["CSC", "better"] > 0.99
    assert found.loc["PKO+NC", "better"] < found.loc["PKO+NC", "worse"]


def test_one_dataset_left_out_moves_the_gain_by_what_it_contributes(lines: pd.DataFrame) -> None:
    found = lines.set_index("competitor").loc["PKO+NC"]
    rest = sum(OURS.values()) - max(OURS.values())
    # Without ORL the two are equal; without the highest score the loss on ORL weighs the most.
    assert (found["least"], found["most"]) == pytest.approx((100 * (rest / (rest + 0.4) - 1), 0))


def test_p_is_corrected_for_the_competitors_of_a_table(lines: pd.DataFrame) -> None:
    """PKO+HSC wins and loses all seven: two in 2⁷ by chance, and three comparisons."""
    found = lines.set_index("competitor")["p"]
    assert found["CSC"] == found["STSC"] == pytest.approx(3 * 2 / 2**7)
    assert found["PKO+NC"] == 1
    assert holm(pd.Series([0.01, np.nan, 0.2])).tolist() == pytest.approx([0.02, np.nan, 0.2], nan_ok=True)


def test_intervals_over_four_datasets_are_the_range_of_single_ones() -> None:
    """All four samples of a median are on one side in 1 of 8 cases."""
    assert (coverage(4), coverage(7)) == (0.875, 0.95)
