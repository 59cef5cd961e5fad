"""A random part is compared with the published scores of the whole, and replaces it at the indicated sizes."""

import pytest

from hypercut.analysis.claims import judge
from hypercut.analysis.evidence import Evidence, table_scores
from hypercut.analysis.gains import average_gains
from hypercut.analysis.label_free import label_free_losses
from hypercut.analysis.leaderboard import leaderboard
from hypercut.analysis.ranks import ranking
from hypercut.analysis.verdicts import Verdict
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


def test_it_takes_the_place_of_the_whole_at_the_indicated_size() -> None:
    found = evidence().at("indicated")
    assert found.datasets == ["usps", "iris", "libras"]
    data = table_scores(found, "clean", "nmi").set_index(["dataset", "algorithm"])["ours"]
    assert (data["usps", "CSC"], data["iris", "CSC"]) == (0.8, 0.4)
    assert weight_data(found, "nmi")["dataset"].tolist() == ["usps"]
    gains = average_gains(evidence()).query("scope == 'paper' and metric == 'nmi' and competitor == 'CSC'")
    assert gains["datasets"].tolist() == ["iris usps"] * 2
    both = dict(zip(gains["size"], gains["ours"], strict=True))
    assert both == pytest.approx({"stated": 100 * (1.1 / 0.9 - 1), "indicated": 100 * (0.6 / 1.2 - 1)})


def test_a_whole_without_its_part_is_missing_at_the_indicated_size() -> None:
    rows = fake.scores({**SCORES, "mnist": {"PKO+HSC": 0.5, "CSC": 0.4}})
    table = Evidence(fake.frame(rows), fake.run())
    assert "mnist" not in table.at("indicated").datasets
    # A gain over fewer datasets cannot be compared with the gain at the stated sizes.
    gains = average_gains(table)
    assert set(gains["competitor"]) == {"CSC", "STSC"}
    assert set(gains.loc[gains["size"] == "indicated", "competitor"]) == {"STSC"}


def test_each_size_has_a_verdict_of_its_own() -> None:
    """Behind CSC on the whole of USPS, and ahead of all on its part and elsewhere."""
    ahead = dict.fromkeys(published.ALGORITHMS, 0.5) | {"PKO+HSC": 0.6}
    datasets = [*published.DATASETS, *published.PARTS]
    rows = fake.scores({name: ahead | ({"CSC": 0.9} if name == "usps" else {}) for name in datasets})
    found = Evidence(fake.frame(rows), fake.run())
    judged = {it.claim.name: it for it in judge(found, average_gains(found))}
    claim = judged["best-clean"]
    assert (claim.verdict, claim.indicated) == (Verdict.CONTRADICTED, Verdict.CONFIRMED)
    assert judged["quadratic"].indicated is None  # time is measured at one size


def test_it_is_in_no_gain_rank_or_mean() -> None:
    found = evidence()
    gains = average_gains(found)
    assert not gains["datasets"].str.contains("usps465").any()
    assert "usps465" not in ranking(found, "clean", "nmi").scores.index
    board = leaderboard(found, "clean", "nmi").set_index(["algorithm", "sigma"])
    assert board.loc[("PKO+HSC", "with labels"), "mean_score"].unique() == [pytest.approx(0.6)]  # of 0.5, 0.6 and 0.7
    losses = label_free_losses(found)
    assert set(losses.loc[losses["algorithm"] == "CSC", "datasets"]) == {3}
