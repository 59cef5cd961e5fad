"""What the published figures say about themselves, and made-up tables that have each property or do not."""

import numpy as np
import pandas as pd
import pytest

from hypercut.paper import forensics, published


def random_table(seed, rows=8, columns=7):
    """Scores as independent measurements would give them: printed with four decimals."""
    values = np.random.default_rng(seed).uniform(0.4, 0.9, (rows, columns)).round(4)
    return pd.DataFrame(values, index=[f"row {i}" for i in range(rows)], columns=[f"set {i}" for i in range(columns)])


def test_39_of_the_42_printed_gains_follow_from_the_tables():
    gains = forensics.published_gains()
    assert (len(gains), gains["agrees"].sum()) == (42, 39)
    others = gains[~gains["agrees"]].set_index(["experiment", "metric", "competitor"])
    assert others["printed"].to_dict() == {
        ("clean", "purity", "NRSC"): 25.55,
        ("clean", "purity", "STSC"): 21.58,
        ("noise", "purity", "NRSC"): 35.19,
    }
    assert others["recomputed"].round(2).tolist() == [25.24, 21.52, 35.15]


@pytest.mark.parametrize("wrong", [-0.1, 0.1])
def test_a_gain_of_another_table_does_not_agree(wrong):
    table = pd.DataFrame([[0.6, 0.9], [0.5, 0.5]], index=["ours", "other"])
    found = forensics.check_gains(table, pd.Series({"other": 50.0 + wrong}), "ours").iloc[0]
    assert not found["agrees"]
    assert found["low"] < 50 < found["high"]


def test_purities_of_table_2_are_shares_of_the_samples_of_orl_corel_and_a_part_of_usps():
    rows = forensics.published_granularity()
    rows = rows[rows["table"] == 2].set_index("dataset")
    explained = rows["explaining"].map(list).to_dict()
    assert {name: explained[name] for name in ("orl", "corel")} == {"orl": [400], "corel": [500, 1000]}
    assert (rows.loc[["orl", "corel"], "chance_stated"] < 1e-7).all()
    usps = rows.loc["usps"]
    assert (usps["figures"], usps["distinct"], usps["smallest"]) == (9, 8, 465)
    assert usps["chance"] == pytest.approx(2.2e-11, rel=0.02)
    # The probability that some N up to 465 fits: the sum of the chances is below the bound.
    chances = sum(forensics.chance_of_fit(published.weight_scores("purity").loc["usps"], n) for n in range(1, 466))
    assert 1e-9 < chances < usps["chance_counted"] == pytest.approx(465 * usps["chance"])
    for dataset in ("yaleb", "mnist", "iris", "traj"):
        assert explained[dataset] == []
        assert rows.loc[dataset, ["smallest", "chance"]].isna().all()
        assert forensics.explaining(published.weight_scores("purity").loc[dataset], 2999) == []


def test_the_chance_to_fit_is_how_often_random_figures_fit():
    random = np.random.default_rng(0).integers(0, 10_001, 100_000) / 10_000
    for samples in (7, 465, 9298):
        assert forensics.fits(random, samples).mean() == pytest.approx(forensics.share_that_fits(samples), abs=0.005)
    assert forensics.share_that_fits(10_000) == 1
    # Equal figures are one piece of evidence.
    assert forensics.chance_of_fit(np.array([0.5, 0.5, 0.25]), 4) == pytest.approx((5 / 10_001) ** 2)


@pytest.mark.parametrize("samples", [3, 32, 465])
def test_fits_agrees_with_a_search_over_all_counts(samples):
    shares = np.arange(samples + 1) / samples
    every = np.arange(10_001) / 10_000
    nearest = np.abs(every[:, None] - shares).min(axis=1)
    assert forensics.fits(every, samples).tolist() == (nearest < 0.5e-4 + 1e-12).tolist()


def test_exactly_one_pair_of_rows_differs_by_a_constant():
    found = forensics.published_differences()
    assert set(zip(found["first"], found["second"], strict=True)) == {("PKO+HSC", "PKO+NC")}
    facts = found[["experiment", "metric", "low", "high"]].itertuples(index=False, name=None)
    assert list(facts) == [
        ("clean", "nmi", 0.0103, 0.0103),
        ("clean", "purity", 0.0167, 0.0168),
        ("noise", "nmi", 0.0147, 0.0147),
        ("noise", "purity", 0.0179, 0.0180),
    ]
    assert found["datasets"].map(len).tolist() == [5, 5, 3, 4]
    # Three equal differences among seven are not rare enough when 168 pairs were looked at.
    clean, *noise = found["chance_counted"].groupby(found["experiment"]).agg(list)
    assert max(clean) < 1e-5
    assert noise[0][0] == 1 > 100 * noise[0][1]


@pytest.mark.parametrize("constant", [0.0103, -0.2])
@pytest.mark.parametrize("count", [3, 5, 7])
def test_a_planted_constant_is_found(constant, count):
    table = random_table(0)
    planted = table.columns[:count]
    table.loc["row 5", planted] = table.loc["row 2", planted] - constant
    table.loc["row 5", planted[0]] += 0.0001
    (row,) = forensics.constant_differences(table.round(4)).itertuples()
    assert (row.first, row.second, row.datasets) == ("row 2", "row 5", tuple(planted))
    assert (row.low, row.high) == (pytest.approx(constant - 0.0001), pytest.approx(constant))
    assert row.chance < 10.0 ** (1 - count * 1.5)


def test_the_chance_bounds_how_often_random_differences_agree():
    rng = np.random.default_rng(0)
    often, bounds = 0, []
    for _ in range(4000):
        differences = rng.integers(0, 60, 7)
        often += bool(forensics.agreeing(differences, 3))
        bounds.append(forensics.chance_of_agreement(differences, 3))
    assert 0.5 * np.mean(bounds) < often / 4000 < np.mean(bounds)
