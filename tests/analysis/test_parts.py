"""A random part of a dataset is compared with the published scores of the whole, and counts in no average."""

import pytest

from hypercut.analysis.evidence import Evidence, table_scores
from hypercut.analysis.gains import average_gains
from hypercut.analysis.label_free import label_free_losses
from hypercut.analysis.leaderboard import leaderboard
from hypercut.analysis.ranks import ranking
from hypercut.analysis.weights import weight_data
from hypercut.paper import published
from tests import rows as fake

SCORES = {
    "iris": {"PKO+HSC": 0.5, "CSC": 0.4, "STSC": 0.3},
    "usps": {"PKO+HSC": 0.6, "CSC": 0.5, "STSC": 0.4},
    "usps465": {"PKO+HSC": 0.1, "CSC": 0.8, "STSC": 0.9},
    "libras": {"PKO+HSC": 0.7, "CSC": 0.6, "STSC": 0.5},
}
TITLE = "USPS, 465 of 9298 digits, a new subset in each repeat"


def evidence(**given) -> Evidence:
    rows = fake.scores(SCORES, **given)
    rows += fake.scores({name: {"AK+NC": 0.5} for name in SCORES}, role="beyond", sigma_factor=None, **given)
    rows += [fake.sweep_row("usps465", "weights", 0.5, alpha=0.4, beta=0.4) | given]
    return Evidence(fake.frame(rows), fake.run(datasets={"usps465": {"kind": "real", "title": TITLE}}))


def test_it_follows_the_whole_under_a_name_of_its_own() -> None:
    found = evidence()
    assert list(map(found.label, found.datasets)) == ["USPS", "USPS-465", "Iris", "libras"]


def test_it_is_compared_with_the_published_scores_of_the_whole() -> None:
    data = table_scores(evidence(), "clean", "nmi").set_index(["dataset", "algorithm"])
    printed = published.scores("clean", "nmi")["usps"]
    for algorithm in ("PKO+HSC", "CSC", "STSC"):
        assert data.loc[("usps465", algorithm), "published"] == printed[algorithm]
        assert data.loc[("usps", algorithm), "published"] == printed[algorithm]
    assert data.loc[("usps465", "CSC"), "difference"] == pytest.approx(0.8 - printed["CSC"])
    assert table_scores(evidence(complete=False), "clean", "nmi")["published"].isna().all()  # another size
    weights = weight_data(evidence(), "nmi")
    assert weights["published"].tolist() == [published.weight_scores("nmi").loc["usps", (0.4, 0.4)]]


def test_it_is_in_no_gain_rank_or_mean() -> None:
    found = evidence()
    gains = average_gains(found)
    assert not gains["datasets"].str.contains("usps465").any()
    assert "usps465" not in ranking(found, "clean", "nmi").scores.index
    board = leaderboard(found, "clean", "nmi").set_index(["algorithm", "sigma"])
    assert board.loc[("PKO+HSC", "with labels"), "mean_score"].unique() == [pytest.approx(0.6)]  # of 0.5, 0.6 and 0.7
    losses = label_free_losses(found)
    assert set(losses.loc[losses["algorithm"] == "CSC", "datasets"]) == {3}
