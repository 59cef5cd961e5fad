"""Averages over levels, and how failures and missing levels enter them."""

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


def test_fewer_levels_are_listed():
    found = average(levels("outlier", [0.9, 0.7]), "outlier").loc["orl", "CSC"]
    assert found["mean"] == pytest.approx(0.8)
    assert not found["complete"]
    assert found["levels"] == "L0 L1"


def test_a_set_without_corrupted_levels_is_no_noise_result():
    assert average(levels("clean", [0.9]), "noise").empty


def test_every_level_weighs_the_same_whatever_its_repeats():
    rows = fake.scores({"orl": {"CSC": [0.8, 0.8, 0.8, 0.8]}})
    rows += fake.scores({"orl": {"CSC": [0.2]}}, "outlier-L1")
    assert average(rows, "outlier").loc["orl", "CSC"]["mean"] == pytest.approx(0.5)


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


def test_spread_of_a_mean_over_levels():
    rows = fake.scores({"orl": {"CSC": [0.7, 0.9]}}) + fake.scores({"orl": {"CSC": [0.4, 0.6]}}, "outlier-L1")
    found = average(rows, "outlier").loc["orl", "CSC"]
    deviation = np.std([0.7, 0.9], ddof=1)
    assert found["spread"] == pytest.approx(np.sqrt(2) * deviation / 2)
    assert found["error"] == pytest.approx(np.sqrt(2 * deviation**2 / 2) / 2)


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


class TestComparable:
    """What may stand against published figures."""

    def sets(self, rows, experiment="clean"):
        return sorted(set(Evidence(fake.frame(rows), {}).comparable_averages(experiment)["dataset"]))

    def test_real_sets_of_the_paper_and_the_trajectories(self):
        rows = fake.scores({"orl": {"CSC": 0.5}, "traj": {"CSC": 0.5}, "digits": {"CSC": 0.5}})
        assert self.sets(rows) == ["orl", "traj"]

    def test_no_stand_in_subset_or_own_set(self):
        rows = fake.scores({"yaleb": {"CSC": 0.5}}, data_kind="stand-in")
        rows += fake.scores({"usps": {"CSC": 0.5}}, complete=False)
        rows += fake.scores({"mine": {"CSC": 0.5}}, data_kind="own")
        assert self.sets(rows) == []

    def test_outliers_are_of_four_sets_and_all_levels(self):
        rows = [row for name in ("orl", "iris") for row in levels("outlier", [0.5] * 4, dataset=name)]
        rows += levels("outlier", [0.5] * 3, dataset="mnist")
        assert self.sets(rows, "outlier") == ["orl"]

    def test_a_level_of_another_value_is_incomparable_corruptions(self):
        rows = levels("outlier", [0.5] * 4)
        assert self.sets(rows, "outlier") == ["orl"]
        rows[-1]["level"] = 0.65
        assert self.sets(rows, "outlier") == []
        found = average(rows, "outlier").loc["orl", "CSC"]
        assert (found["levels"], found["complete"]) == ("L0 L1 L2", False)

    def test_levels_that_are_all_others_have_no_average(self):
        rows = [row | {"level": row["level"] / 20} for row in levels("noise", [0.5] * 11)]
        assert average(rows, "noise").empty

    def test_a_further_level_is_in_no_average(self):
        rows = [*levels("noise", [0.5] * 11), fake.row("orl", "noise-L11", "CSC", 0.0, level=2.4)]
        found = average(rows, "noise").loc["orl", "CSC"]
        assert (found["mean"], found["complete"]) == (pytest.approx(0.5), True)
        evidence = Evidence(fake.frame(rows), fake.run())
        assert other_levels(evidence.cells, "noise") == ["L11 = 2.4"]
        assert len(evidence.level_scores("noise", "nmi")) == 11

    @pytest.mark.parametrize("noise", [{"scale": "absolute"}, {"distribution": "uniform"}])
    def test_other_noise_than_the_papers(self, noise):
        table = fake.frame(levels("noise", [0.5] * 11) + levels("outlier", [0.5] * 4)[1:])
        evidence = Evidence(table, fake.run(config={"corruptions": {"noise": noise}}))
        assert evidence.comparable_averages("noise").empty
        assert not evidence.comparable_averages("outlier").empty


class TestMixtures:
    """Rows that cannot be of one benchmark."""

    @pytest.mark.parametrize("other", [{"data_kind": "stand-in"}, {"complete": False}, {"n_samples": 99}])
    def test_two_datasets_of_one_name(self, other):
        rows = [fake.row("yaleb", "clean", "PKO+HSC", 0.5), fake.row("yaleb", "clean", "CSC", 0.9, **other)]
        with pytest.raises(InputError, match="Results of yaleb disagree on data_kind"):
            Evidence(fake.frame(rows), {})

    def test_two_levels_of_one_name(self):
        rows = [fake.row("orl", "noise-L1", "PKO+HSC", 0.5), fake.row("orl", "noise-L1", "CSC", 0.9, level=0.1)]
        with pytest.raises(InputError, match=r"Results of noise-L1 disagree on level: 0\.2 and 0\.1"):
            Evidence(fake.frame(rows), {})
