import numpy as np
import pytest

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.outcomes import duels
from hypercut.analysis.ranks import cliques, iman_davenport, ranking
from tests import rows as fake

SCORES = {
    "orl": {"PKO+HSC": 0.9, "CSC": 0.8, "STSC": 0.7},
    "mnist": {"PKO+HSC": 0.9, "CSC": 0.5, "STSC": 0.7},
    "usps": {"PKO+HSC": 0.4, "CSC": 0.8, "STSC": 0.4},
    "iris": {"PKO+HSC": 0.9, "CSC": 0.895, "STSC": 0.7},
}


def evidence(values, **given):
    return Evidence(fake.frame(fake.scores(values, **given)), fake.run())


def test_mean_ranks_share_ties():
    ranks = ranking(evidence(SCORES), "clean", "nmi").mean_ranks
    assert ranks.to_dict() == {
        "PKO+HSC": pytest.approx((1 + 1 + 2.5 + 1) / 4),
        "CSC": pytest.approx((2 + 3 + 1 + 2) / 4),
        "STSC": pytest.approx((3 + 2 + 2.5 + 3) / 4),
    }
    assert list(ranks.index) == ["PKO+HSC", "CSC", "STSC"]


def test_ranks_are_of_the_algorithms_on_the_datasets_that_all_have():
    values = {name: {**scores, "KMeans": 1.0, "true labels": 1.0} for name, scores in SCORES.items()}
    found = ranking(evidence({**values, "corel": {"PKO+HSC": 0.1, "CSC": 0.9}}), "clean", "nmi").scores
    assert "corel" not in found.index
    assert set(found.columns) == {"PKO+HSC", "CSC", "STSC"}


def test_critical_difference_is_that_of_demsar():
    # Demšar (2006), table 5: q = 2.343 for three algorithms at 0.05.
    assert ranking(evidence(SCORES), "clean", "nmi").critical_difference == pytest.approx(
        2.343 * np.sqrt(3 * 4 / (6 * 4)), abs=1e-3
    )


def test_the_statistic_of_iman_and_davenport_is_that_of_demsar():
    # Demšar (2006), section 3.2.2: four algorithms, 14 datasets.
    assert iman_davenport(9.28, datasets=14, algorithms=4) == pytest.approx(3.69, abs=5e-3)


def test_friedman_sees_a_clear_order_and_not_an_accident():
    clear = {name: {"PKO+HSC": 0.9, "CSC": 0.5, "STSC": 0.1} for name in ("orl", "usps", "mnist", "iris", "corel")}
    # All five datasets have the same of the six orders.
    assert ranking(evidence(clear), "clean", "nmi").p_value == pytest.approx(6.0**-4)
    clear["iris"] = clear["corel"] = {"PKO+HSC": 0.5, "CSC": 0.9, "STSC": 0.1}
    # χ² = 7.6, F = 4 · 7.6 / (5 · 2 − 7.6) with 2 and 8 degrees of freedom: p = (1 + F/4)^−4.
    assert ranking(evidence(clear), "clean", "nmi").p_value == pytest.approx((1 + 7.6 / 2.4) ** -4)
    assert ranking(evidence(SCORES), "clean", "nmi").p_value > 0.1


def test_too_few_datasets_or_equal_scores_are_not_tested():
    few = ranking(evidence({name: SCORES[name] for name in ("orl", "usps")}), "clean", "nmi")
    assert not few.testable
    assert np.isnan([few.p_value, few.critical_difference]).all()
    alike = {name: dict.fromkeys(("PKO+HSC", "CSC", "STSC"), 0.5) for name in ("orl", "usps", "mnist")}
    assert np.isnan(ranking(evidence(alike), "clean", "nmi").p_value)


def test_wins_ties_and_losses():
    found = duels(evidence(SCORES)).set_index(["experiment", "metric", "competitor"])
    assert found.loc["clean", "nmi", "CSC"].to_dict() == {"wins": 2, "ties": 1, "losses": 1}
    assert found.loc["clean", "nmi", "STSC"].to_dict() == {"wins": 3, "ties": 1, "losses": 0}


@pytest.mark.parametrize("other", [[0.5, 0.5], 0.5])
def test_a_difference_within_two_standard_errors_is_a_tie_also_with_a_single_repeat(other):
    noisy = {"orl": {"PKO+HSC": [0.4, 0.8], "CSC": other}}
    assert duels(evidence(noisy)).iloc[0][["wins", "ties", "losses"]].tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("ranks", "difference", "expected"),
    [
        ([1.0, 2.0, 3.0], 0.5, []),
        ([1.0, 2.0, 3.0], 5.0, [(0, 2)]),
        ([1.0, 1.5, 2.2, 4.0], 1.0, [(0, 1), (1, 2)]),
        ([1.0, 2.0], 1.0, []),  # as far apart as the critical difference: significant
    ],
)
def test_bars_join_what_does_not_differ_significantly(ranks, difference, expected):
    assert cliques(np.array(ranks), difference) == expected
