"""Averages over levels, with failures and missing levels."""

import numpy as np
import pytest

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.experiments import other_levels
from hypercut.analysis.outcomes import outcome
from hypercut.errors import InputError
from tests import rows as fake
from tests.rows import levels


def average(rows, experiment, metric="nmi", **run):
    table = Evidence(fake.frame(rows), fake.run(**run)).averages(experiment)
    return table[table["metric"] == metric].set_index(["dataset", "algorithm"])


def test_noise_average_counts_the_clean_set_as_one_of_eleven():
    found = average(levels("noise", [1.0] + [0.45] * 10), "noise").loc["orl", "CSC"]
    assert found["mean"] == pytest.approx((1.0 + 4.5) / 11)
    assert found["complete"]


def test_fewer_levels_are_listed_and_the_clean_set_alone_is_no_noise_result():
    found = average(levels("outlier", [0.9, 0.7]), "outlier").loc["orl", "CSC"]
    assert found["mean"] == pytest.approx(0.8)
    assert (found["levels"], found["complete"]) == ("L0 L1", False)
    assert average(levels("clean", [0.9]), "noise").empty


def test_every_level_weighs_the_same_whatever_its_repeats():
    clean, outliers = [0.7, 0.9], [0.3, 0.4, 0.5]
    rows = fake.scores({"orl": {"CSC": clean}}) + fake.scores({"orl": {"CSC": outliers}}, "outlier-L1")
    found = average(rows, "outlier").loc["orl", "CSC"]
    first, second = np.var(clean, ddof=1), np.var(outliers, ddof=1)
    assert found["mean"] == pytest.approx((0.8 + 0.4) / 2)
    assert found["spread"] == pytest.approx(np.sqrt(first + second) / 2)
    assert found["error"] == pytest.approx(np.sqrt(first / 2 + second / 3) / 2)


def test_sigma_is_chosen_on_the_mean_over_repeats_and_at_each_level():
    def cell(setting, small, large):
        return [
            fake.row("orl", setting, "CSC", score, repeat=repeat, sigma_factor=factor)
            for factor, values in ((0.2, small), (0.4, large))
            for repeat, score in enumerate(values)
        ]

    # The best single run is at 0.2, the best mean at 0.4; under outliers it is the other way round.
    rows = cell("clean", [0.9, 0.1], [0.6, 0.6]) + cell("outlier-L1", [0.5, 0.5], [0.7, 0.1])
    assert average(rows, "clean").loc["orl", "CSC"]["mean"] == pytest.approx(0.6)
    assert average(rows, "outlier").loc["orl", "CSC"]["mean"] == pytest.approx((0.6 + 0.5) / 2)


def test_sweeps_and_readings_are_no_part_of_the_averages():
    rows = [*levels("clean", [0.5], "PKO+HSC"), fake.sweep_row("orl", "neighbors", 0.9, n_neighbors=5)]
    rows += [fake.row("orl", "clean", "PKO+HSC", 0.9, variation="balance-degree", parameters='{"balance": "degree"}')]
    assert average(rows, "clean").loc["orl", "PKO+HSC"]["mean"] == pytest.approx(0.5)
    assert set(Evidence(fake.frame(rows), fake.run()).sweeps["variation"]) == {"neighbors"}


def test_a_cell_with_two_sets_of_parameters_raises():
    rows = [fake.row("orl", "clean", "CSC", 0.5), fake.row("orl", "clean", "CSC", 0.6, parameters='{"a": 1}')]
    with pytest.raises(InputError, match="orl · clean · CSC"):
        average(rows, "clean")


@pytest.mark.parametrize(
    ("ours", "other", "error", "expected"),
    [
        (0.6, 0.5, 0.0, 1),
        (0.5, 0.6, 0.0, -1),
        (0.5, 0.505, 0.0, 0),
        (0.51, 0.5, 0.0, 0),  # 0.51 − 0.5 is 0.010000000000000009
        (0.5, 0.51, 0.0, 0),
        (0.511, 0.5, 0.0, 1),
        (0.6, 0.5, 0.06, 0),
        (0.6, 0.5, float("nan"), 1),
    ],
)
def test_outcome(ours, other, error, expected):
    assert outcome(ours, other, error) == expected


def comparable(rows, experiment, **noise):
    """Return the datasets whose averages are compared with published figures."""
    evidence = Evidence(fake.frame(rows), fake.run(config={"corruptions": {"noise": noise}}))
    return sorted(set(evidence.comparable_averages(experiment)["dataset"]))


def test_real_sets_of_the_paper_in_full_and_the_trajectories_are_comparable():
    rows = fake.scores({"orl": {"CSC": 0.5}, "traj": {"CSC": 0.5}, "digits": {"CSC": 0.5}})
    rows += fake.scores({"yaleb": {"CSC": 0.5}}, data_kind="stand-in")
    rows += fake.scores({"usps": {"CSC": 0.5}}, complete=False)
    rows += fake.scores({"mine": {"CSC": 0.5}}, data_kind="own")
    assert comparable(rows, "clean") == ["orl", "traj"]


def test_outliers_are_comparable_on_four_sets_at_the_papers_levels():
    rows = [row for name in ("orl", "iris", "yaleb") for row in levels("outlier", [0.5] * 4, dataset=name)]
    rows += levels("outlier", [0.5] * 3, dataset="mnist")
    assert comparable(rows, "outlier") == ["orl", "yaleb"]
    rows[3]["level"] = 0.65
    assert comparable([row for row in rows if row["dataset"] == "orl"], "outlier") == []
    found = average(rows[:4], "outlier").loc["orl", "CSC"]
    assert (found["levels"], found["complete"]) == ("L0 L1 L2", False)


@pytest.mark.parametrize("noise", [{"scale": "absolute"}, {"distribution": "uniform"}])
def test_other_noise_than_the_papers_is_not_comparable(noise):
    rows = levels("noise", [0.5] * 11) + levels("outlier", [0.5] * 4)[1:]
    assert comparable(rows, "noise", **noise) == []
    assert comparable(rows, "outlier", **noise) == comparable(rows, "noise") == ["orl"]


def test_levels_of_other_values_are_in_no_average():
    rows = [row | {"level": row["level"] / 20} for row in levels("noise", [0.5] * 11)]
    assert average(rows, "noise").empty
    rows = [*levels("noise", [0.5] * 11), fake.row("orl", "noise-L11", "CSC", 0.0, level=2.4)]
    found = average(rows, "noise").loc["orl", "CSC"]
    assert (found["mean"], found["complete"]) == (pytest.approx(0.5), True)
    evidence = Evidence(fake.frame(rows), fake.run())
    assert other_levels(evidence.cells, "noise") == ["L11 = 2.4"]
    assert len(evidence.level_scores("noise", "nmi")) == 11


@pytest.mark.parametrize(
    ("setting", "other", "column"),
    [
        ("clean", {"data_kind": "stand-in"}, "yaleb disagree on data_kind"),
        ("clean", {"complete": False}, "yaleb disagree on data_kind"),
        ("clean", {"n_samples": 99}, "yaleb disagree on data_kind"),
        ("noise-L1", {"level": 0.1}, r"noise-L1 disagree on level: 0\.2 and 0\.1"),
    ],
)
def test_rows_that_cannot_be_of_one_benchmark_are_an_error(setting, other, column):
    rows = [fake.row("yaleb", setting, "PKO+HSC", 0.5), fake.row("yaleb", setting, "CSC", 0.9, **other)]
    with pytest.raises(InputError, match=column):
        Evidence(fake.frame(rows), {})
