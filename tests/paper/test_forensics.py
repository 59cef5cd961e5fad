"""The properties of the published figures, and made-up tables with and without each property."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from hypercut.paper import forensics, published


def random_table(seed, rows=8, columns=7):
    """Return scores like those of independent measurements, printed with four decimals."""
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


#: Dataset → best N, purities that fit it, distinct purities.
BEST = {
    **{"orl": (400, 9, 9), "yaleb": (373, 5, 7), "usps": (465, 8, 8), "mnist": (599, 6, 8)},
    **{"iris": (100, 2, 9), "traj": (500, 4, 9), "corel": (500, 8, 8)},
}
PURITIES = published.weight_scores("purity")


def test_indicated_sizes():
    assert forensics.indicated() == {**published.SAMPLES, **published.INDICATED}
    assert all(size < published.SAMPLES[name] for name, size in published.INDICATED.items())
    rows = forensics.published_sizes().set_index("dataset")
    assert rows[["best", "fitting", "distinct"]].apply(tuple, axis=1).to_dict() == BEST
    assert (rows.loc["mnist", "multiple"], rows.loc["mnist", "most_fitting"]) == (3 * 599, 7)


@pytest.mark.parametrize("dataset", BEST)
def test_indicated_sizes_do_not_hang_on_the_random_rows(dataset):
    counts = forensics.fit_counts(PURITIES.loc[dataset], published.SAMPLES[dataset])
    chance = forensics.chance_of_best(PURITIES.loc[dataset], counts, np.random.default_rng(1))
    assert chance > 0.05 if dataset in ("iris", "traj") else chance < 0.005


def test_table_1_repeats_entries_of_table_2():
    for metric in published.METRICS:
        for dataset, score in published.scores("clean", metric).loc[published.METHOD].items():
            assert score in published.weight_scores(metric).loc[dataset].tolist()


@pytest.mark.parametrize("samples", [3, 32, 465])
def test_fits_agrees_with_a_search_over_all_counts(samples):
    shares = np.arange(samples + 1) / samples
    every = np.arange(10_001) / 10_000
    nearest = np.abs(every[:, None] - shares).min(axis=1)
    assert forensics.fits(every, [samples])[0].tolist() == (nearest < 0.5e-4 + 1e-12).tolist()


def test_the_chance_is_how_often_random_figures_fit():
    # Equal figures are one piece of evidence.
    row = pd.Series([0.5, 0.61, 0.61, 0.667, 0.7])
    counts = forensics.fit_counts(row, 400)
    random = np.random.default_rng(0).integers(5000, 7001, (20_000, 4)) / 10_000
    for samples in (12, 100, 400):
        often = (
            forensics.fits(random.ravel(), [samples]).reshape(-1, 4).sum(axis=1) >= counts["fitting"][samples]
        ).mean()
        assert often == pytest.approx(counts["chance"][samples], abs=0.01)
    assert (counts["fitting"][100], counts["fitting"][300]) == (3, 3)


def test_the_chance_of_the_best_is_how_often_random_rows_do_as_well():
    row = pd.Series([0.81, 0.8333, 0.8471, 0.8752, 0.93])
    counts = forensics.fit_counts(row, 60)
    rng, smallest = np.random.default_rng(0), []
    for _ in range(1000):
        figures = rng.choice(np.arange(8100, 9301), 5, replace=False) / 10_000
        smallest.append(binom.sf(forensics.fits(figures, counts.index).sum(axis=1) - 1, 5, counts["share"]).min())
    often = np.mean(np.array(smallest) <= counts["chance"].min() * (1 + 1e-9))
    assert forensics.chance_of_best(row, counts, rng) == pytest.approx(often, abs=0.015)
    assert 0.02 < often < 0.05


def test_a_planted_size_is_indicated_and_none_for_random_figures():
    rng, samples = np.random.default_rng(0), 250
    counts = rng.choice(np.arange(samples // 2, samples), 8, replace=False)
    table = pd.DataFrame([counts / samples, rng.uniform(0.5, 1, 8)], index=["planted", "random"]).round(4)
    table.iloc[0, 7] = 0.5004
    found = forensics.sizes(table, {"planted": 400, "random": 400}).set_index("dataset")
    assert found["indicated"].to_dict() == {"planted": samples, "random": 400}
    assert found.loc["planted", "fitting"] >= 7


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
