"""The average gain is a ratio of means over datasets."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

from hypercut.analysis import bootstrap
from hypercut.analysis.bootstrap import interval
from hypercut.analysis.evidence import Evidence
from hypercut.analysis.gains import average_gains, gain
from hypercut.analysis.readings import gain_spans
from tests import rows as fake

CLEAN = {
    "orl": {"PKO+HSC": 0.9, "CSC": 0.5, "STSC": 0.9},
    "mnist": {"PKO+HSC": 0.3, "CSC": 0.5, "STSC": 0.9},
    "traj": {"PKO+HSC": 0.6, "CSC": 0.2, "STSC": 0.9},
}


def table(rows, **options):
    keys = ["scope", "experiment", "metric", "competitor"]
    gains = average_gains(Evidence(fake.frame(rows), fake.run()), **options)
    return gains[gains["size"] == "stated"].set_index(keys)


def test_it_is_a_ratio_of_means_over_the_datasets_that_both_have():
    found = table(fake.scores(CLEAN)).loc[:, "clean", "nmi", "CSC"]
    assert found["ours"].to_dict() == {"paper": pytest.approx(100 * (1.8 / 1.2 - 1)), "real": pytest.approx(20)}
    assert found.loc["paper", "datasets"] == "mnist orl traj"
    # Without the trajectories.
    assert found.loc["real", "published"] == pytest.approx(100 * ((0.8529 + 0.5672) / (0.8116 + 0.4882) - 1))
    assert found.loc["real", "printed"] == 8.07
    rows = [row for row in fake.scores(CLEAN) if (row["dataset"], row["algorithm"]) != ("traj", "CSC")]
    fewer = table(rows).loc["paper", "clean", "nmi", "CSC"]
    assert (fewer["datasets"], fewer["ours"]) == ("mnist orl", pytest.approx(20))


def test_stand_ins_and_own_sets_are_in_no_gain():
    rows = fake.scores(CLEAN)
    rows += fake.scores({"yaleb": {"PKO+HSC": 0.1, "CSC": 0.9}}, data_kind="stand-in")
    rows += fake.scores({"mine": {"PKO+HSC": 0.6, "CSC": 0.8}}, data_kind="own")
    assert table(rows).loc["paper", "clean", "nmi", "CSC"]["ours"] == pytest.approx(50)


def test_an_interval_needs_four_datasets():
    four = CLEAN | {"iris": {"PKO+HSC": 0.5, "CSC": 0.5}}
    found = table(fake.scores(four)).loc["paper", "clean", "nmi", "CSC"]
    # The extremes are four times the worst and the best dataset: both are likelier than what an interval leaves out.
    assert found["low"] == pytest.approx(100 * (0.3 / 0.5 - 1))
    assert found["high"] == pytest.approx(100 * (0.6 / 0.2 - 1))
    assert np.isnan(table(fake.scores(CLEAN)).loc["paper", "clean", "nmi", "CSC"]["low"])


def test_bootstrap_samples_of_few_datasets_are_enumerated():
    """Each of the 5⁵ ordered samples counts once."""
    ours, other = np.array([0.5, 0.6, 0.7, 0.4, 0.9]), np.array([0.4, 0.6, 0.5, 0.5, 0.6])
    samples = [list(sample) for sample in product(range(5), repeat=5)]
    gains = np.sort([100 * (ours[sample].sum() / other[sample].sum() - 1) for sample in samples])
    beyond = norm.cdf(-t.ppf(0.975, 4) * np.sqrt(5 / 4)) * len(gains)
    _, low, high = gain((ours, other))
    assert low == pytest.approx(gains[int(np.ceil(beyond)) - 1], abs=1e-8)
    assert high == pytest.approx(gains[int(np.ceil(len(gains) - beyond)) - 1], abs=1e-8)


def test_growth_is_the_difference_of_two_gains_over_the_same_samples():
    before = np.array([0.5, 0.6, 0.7, 0.4]), np.array([0.4, 0.6, 0.5, 0.5])
    after = 2 * before[0], before[1]
    value, low, high = gain(after, since=before)
    plain = gain(before)
    # Twice the score: the gain grows by 100 % and by itself, on every sample of the datasets.
    assert (value, low, high) == pytest.approx(tuple(100 + it for it in plain))


def test_drawn_samples_are_near_the_enumerated_ones(monkeypatch):
    values = np.random.default_rng(0).normal(size=9)
    exact = interval(bootstrap.resampled_means(values), 9)
    bootstrap._samples.cache_clear()
    monkeypatch.setattr(bootstrap, "ENUMERATED", 8)
    assert interval(bootstrap.resampled_means(values), 9) == pytest.approx(exact, abs=0.05)
    bootstrap._samples.cache_clear()


def test_the_last_digit_of_equal_scores_decides_nothing():
    differences = np.array([0.3 - (0.1 + 0.2), -0.3, -0.2, -0.1])  # the first is −5.6e−17
    low, high = interval(bootstrap.resampled_means(differences), 4)
    assert low == pytest.approx(-0.3)
    assert not high < 0


def test_a_span_over_readings_is_of_gains_over_the_same_datasets():
    keys = ["size", "scope", "experiment", "metric", "competitor", "ours", "low", "datasets"]
    rows = [["indicated", "paper", "noise", "nmi", name, 10.0, 8.0, "iris orl"] for name in ("CSC", "STSC")]
    ours = pd.DataFrame(rows, columns=keys)
    nearest = ours.assign(ours=12.0, low=-1.0, datasets=["iris orl", "iris"])
    clean = pd.DataFrame(columns=["experiment", "metric", "competitor", "ours", "low"])
    spans = gain_spans(SimpleNamespace(clean_gains=clean), ours, nearest)
    assert spans[["competitor", "least", "most"]].to_numpy().tolist() == [["CSC", 10.0, 12.0]]


def test_users_algorithms_and_references_are_competitors_and_controls_are_not():
    rows = fake.scores({"orl": {"PKO+HSC": 0.6, "mine": 0.5, "KMeans": 0.4, "random labels": 0.1}})
    competitors = set(table(rows).index.get_level_values("competitor"))
    assert competitors == {"mine", "KMeans"}
