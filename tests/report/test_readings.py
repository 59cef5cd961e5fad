"""Scores, distances and verdicts under other readings of the paper, on made-up rows."""

import json

import numpy as np
import pandas as pd
import pytest

from hypercut.paper import published
from hypercut.paper.readings import Reading, pairs, readings
from hypercut.report import readings as report_readings
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import experiment_settings
from hypercut.report.findings import find
from hypercut.report.readings import DATASETS, ReadingScores
from hypercut.report.sections.claims import judge, with_readings
from hypercut.report.sections.gains import average_gains
from hypercut.report.sections.readings import (
    cut_sentence,
    effects,
    nearest_gain_table,
    nearest_sentences,
    nearest_verdict_table,
    pair_table,
    reading_table,
    section,
    specification_curves,
    verdict_changes,
)
from hypercut.report.sections.scores import score_data
from hypercut.report.sections.weights import weight_data
from hypercut.report.verdicts import Verdict, decide
from tests import rows as fake

#: Below PKO+NC and above the others, on every dataset.
SCORES = dict.fromkeys(published.ALGORITHMS, 0.5) | {"PKO+HSC": 0.6, "PKO+NC": 0.7}


def cells(scores=SCORES, datasets=DATASETS, **given):
    return fake.scores(dict.fromkeys(datasets, scores), **given)


def of_reading(name, scores, datasets=DATASETS, **given):
    """Rows of a reading for its algorithms, by default with the scores of the cells."""
    algorithms = (readings() | pairs())[name].algorithms
    values = {algorithm: scores.get(algorithm, SCORES[algorithm]) for algorithm in algorithms}
    return fake.scores(dict.fromkeys(datasets, values), variation=name, **given)


def scores_under(rows, **run):
    return ReadingScores(Evidence(fake.frame(rows), fake.run(**run)))


def values(under, reading, metric="nmi"):
    """The scores under a reading: (dataset, algorithm) → mean."""
    rows = under.scores(reading)
    rows = rows[rows["metric"] == metric]
    return rows.set_index(["dataset", "algorithm"])["mean"].to_dict()


def verdicts(rows):
    """The verdicts, with those of readings, by claim."""
    evidence = Evidence(fake.frame(rows), fake.run())
    judged = judge(evidence, average_gains(evidence))
    return {claim.name: claim for claim in with_readings(judged, ReadingScores(evidence), {})}


class TestScores:
    def test_a_reading_has_its_rows_for_the_algorithms_it_changes_and_the_cells_for_the_others(self):
        under = scores_under(cells() + of_reading("balance-degree", {"PKO+HSC": 0.9}))
        found = values(under, readings()["balance-degree"])
        assert found["orl", "PKO+HSC"] == 0.9
        assert found["orl", "CSC"] == SCORES["CSC"]
        assert len(found) == len(DATASETS) * len(published.ALGORITHMS)
        assert values(under, None)["orl", "PKO+HSC"] == SCORES["PKO+HSC"]

    def test_a_missing_result_is_not_replaced_by_the_cell(self):
        changed = [row for row in of_reading("balance-degree", {}) if row["algorithm"] != "PK+HSC"]
        under = scores_under(cells() + changed)
        assert ("orl", "PK+HSC") not in values(under, readings()["balance-degree"])

    def test_in_a_pair_an_algorithm_that_one_of_them_changes_has_the_rows_of_that_one(self):
        pair = pairs()["features-unit+balance-degree"]
        assert "CSC" not in pair.algorithms
        rows = cells() + of_reading("features-unit", {"CSC": 0.3, "PKO+HSC": 0.31})
        rows += of_reading("balance-degree", {"PKO+HSC": 0.32}) + of_reading(pair.name, {"PKO+HSC": 0.33}, ["orl"])
        under = scores_under(rows)
        found = values(under, pair)
        assert found["orl", "PKO+HSC"] == 0.33
        assert found["orl", "CSC"] == 0.3
        assert under.datasets_of(pair) == ["orl"]
        neither = pairs()["balance-degree+ratio-step"]
        single = of_reading("ratio-step", {"RWDSM": 0.2})
        found = values(scores_under(rows + single + of_reading(neither.name, {}, ["orl"])), neither)
        assert found["orl", "RWDSM"] == 0.2
        assert found["orl", "PKO+NC"] == SCORES["PKO+NC"]
        assert found["orl", "STSC"] == SCORES["STSC"]

    def test_of_a_grid_the_best_parameters_count(self):
        rows = cells()
        for weight, score in ((0.2, 0.4), (0.4, 0.8), (0.6, 0.6)):
            text = json.dumps({"alpha": weight})
            rows += of_reading("weights-best", {"PK+HSC": score, "PO+HSC": 1 - score}, parameters=text)
        found = values(scores_under(rows), readings()["weights-best"])
        assert found["orl", "PK+HSC"] == 0.8
        assert found["orl", "PO+HSC"] == 0.6

    @pytest.mark.parametrize("name", ["sigma-metric", "nrsc-sigma"])
    def test_choices_of_scale_equal_a_loop_over_the_cells(self, name):
        rng = np.random.default_rng(0)
        rows = of_reading("stsc-kmeans", {})
        for row in cells():
            for factor, repeat in ((0.2, 0), (0.2, 1), (0.4, 0), (0.4, 1), (0.6, 0), (0.6, 1)):
                drawn = dict(zip(("nmi", "purity", "neighbor_information"), rng.random(3), strict=True))
                rows.append(row | drawn | {"sigma_factor": factor, "repeat": repeat})
        # The reading that was run has one repeat only, which decides for all.
        under, reading = scores_under(rows), readings()[name]
        for metric in published.METRICS:
            by = {"each metric": metric, "without labels": "neighbor_information"}[reading.select]
            for (dataset, algorithm), mean in values(under, reading, metric).items():
                own = [
                    row
                    for row in rows
                    if (row["dataset"], row["algorithm"], row["variation"], row["repeat"])
                    == (dataset, algorithm, "", 0)
                ]
                chosen_by = by if algorithm in reading.algorithms else "nmi"
                assert mean == pytest.approx(max(own, key=lambda row: row[chosen_by])[metric])

    @pytest.mark.parametrize(("names", "count"), [(None, 3), (["balance-degree"], 1), (["nrsc-sigma"], 2)])
    def test_a_choice_of_scale_that_the_configuration_leaves_out_is_left_out(self, names, count):
        rows = cells() + of_reading("balance-degree", {})
        assert len(scores_under(rows, config={"readings": {"names": names}}).single) == count

    def test_only_repeats_that_all_have_are_compared(self):
        rows = cells({**SCORES, "PKO+HSC": [0.6, 0.9]}) + of_reading("balance-degree", {"PKO+HSC": 0.7})
        # The other cells have one repeat.
        assert values(scores_under(rows), None)["orl", "PKO+HSC"] == 0.6

    def test_usps465_stands_for_usps_and_stand_ins_do_not_compare(self):
        rows = [row | ({"data_kind": "stand-in"} if row["dataset"] == "corel" else {}) for row in cells()]
        rows += cells(datasets=["usps"])
        rows += of_reading("balance-degree", {}, [name for name in DATASETS if name != "corel"])
        under = scores_under(rows)
        assert under.datasets == ["orl", "yaleb", "usps465", "mnist", "iris", "traj"]
        printed = published.scores("clean", "nmi")
        distances = [
            abs(SCORES[algorithm] - printed.loc[algorithm, published.PARTS.get(name, name)])
            for name in under.datasets
            for algorithm in published.ALGORITHMS
        ]
        found = under.distance(None)
        assert found is not None
        assert found.cells == len(distances)
        assert found.mean == pytest.approx(np.mean(distances))

    def test_distance_compares_with_as_printed_on_the_same_cells(self):
        published_orl = published.scores("clean", "nmi")["orl"]
        rows = cells() + of_reading("balance-degree", published_orl, ["orl"])
        found = scores_under(rows).distance(readings()["balance-degree"])
        apart = {name: abs(SCORES[name] - published_orl[name]) for name in published.ALGORITHMS}
        changed = readings()["balance-degree"].algorithms
        assert found is not None
        assert found.cells == len(published.ALGORITHMS)
        assert found.as_printed == pytest.approx(np.mean(list(apart.values())))
        assert found.mean == pytest.approx(sum(apart[name] for name in apart if name not in changed) / len(apart))


class TestVerdicts:
    def full(self, *more):
        """The cells at all levels, so that the claims are testable, and readings."""
        rows = []
        for experiment in published.EXPERIMENTS:
            for setting in report_settings(experiment):
                rows += cells(setting=setting, datasets=published.datasets(experiment))
        return rows + cells(datasets=["usps465"]) + list(more)

    def test_a_reading_turns_a_verdict(self):
        claims = verdicts(self.full(*of_reading("balance-degree", {"PKO+HSC": 0.8})))
        claim = claims["component-dhpc"]
        assert claim.verdict == Verdict.DEPENDS
        assert claim.readings.startswith("As printed: contradicted. Clean data, 7 datasets: holds in 1 of ")
        assert claim.readings.endswith("turned by: balance-degree (confirmed).")
        # Those of the levels of noise have no reading.
        assert claims["gain-outlier"].readings == ""

    def test_readings_that_agree_leave_the_verdict(self):
        claim = verdicts(self.full(*of_reading("balance-degree", {"PKO+HSC": 0.61})))["component-dhpc"]
        assert claim.verdict == Verdict.CONTRADICTED
        # As printed, the reading, and each metric at its own σ.
        assert "holds in 0 of 3 readings (contradicted in 3); turned by: none." in claim.readings

    def test_a_reading_that_is_ours_does_not_count(self, monkeypatch):
        ours = Reading("balance-degree", ("balance",), "", "ours", "", readings()["balance-degree"].algorithms)
        monkeypatch.setattr(report_readings, "readings", lambda: readings() | {"balance-degree": ours})
        claim = verdicts(self.full(*of_reading("balance-degree", {"PKO+HSC": 0.8})))["component-dhpc"]
        assert claim.verdict == Verdict.CONTRADICTED
        assert "balance-degree" not in claim.readings

    def test_readings_that_change_neither_side_are_not_counted(self):
        claim = verdicts(self.full(*of_reading("stsc-kmeans", {"STSC": 0.9})))["component-dhpc"]
        assert "of 2 readings" in claim.readings

    def test_without_readings_the_verdicts_are_as_printed(self):
        claims = verdicts(self.full())
        assert claims["component-dhpc"].verdict == Verdict.CONTRADICTED
        assert not any(claim.readings for claim in claims.values())

    def test_two_datasets_turn_nothing(self):
        rows = self.full(*of_reading("balance-degree", {"PKO+HSC": 0.8}, ["orl", "iris"]))
        claim = verdicts(rows)["component-dhpc"]
        assert claim.verdict == Verdict.CONTRADICTED
        assert "balance-degree" not in claim.readings

    def test_what_is_not_testable_as_printed_stays_so(self):
        """The clean sets alone do not confirm a claim about noise and outliers too."""
        claim = verdicts(cells() + cells(datasets=["usps"]) + of_reading("balance-degree", {"PKO+HSC": 0.2}))
        assert claim["component-knn"].verdict == Verdict.UNTESTABLE
        assert claim["component-knn"].reason.startswith("not run in full: ORL, YaleB, USPS, MNIST (noise, outliers)")
        assert "turned by: balance-degree (contradicted)" in claim["component-knn"].readings

    def test_a_reading_that_agrees_with_the_verdict_on_all_experiments_turns_nothing(self):
        """Contradicted under noise, undecided on clean data; the reading contradicts there too."""
        level = SCORES | {"PKO+HSC": 0.7}
        rows = [row for row in self.full() if row["setting"] != "clean"] + cells(level, [*DATASETS, "usps"])
        claim = verdicts(rows + of_reading("balance-degree", {"PKO+HSC": 0.6}))["component-dhpc"]
        assert claim.verdict == Verdict.CONTRADICTED
        assert "turned by: none" in claim.readings

    def test_noise_readings_are_judged_at_their_level(self):
        rows = self.full() + cells(datasets=["usps465"], setting="noise-L5")
        rows += of_reading("noise-uniform", {"PKO+HSC": 0.9}, setting="noise-L5")
        claim = verdicts(rows)["gain-noise"]
        assert claim.verdict == Verdict.DEPENDS
        assert "Noise L5, 7 datasets: holds in 1 of 2 readings (contradicted in 1); turned by: noise" in claim.readings

    def test_a_contradiction_that_is_lost_in_the_noise_stays_one(self):
        """A claim depends on the reading only if some reading confirms it."""
        scores = zip(DATASETS, (0.6, 0.8, 0.65, 0.75, 0.7, 0.6, 0.8), strict=True)
        rows = [row for name, score in scores for row in of_reading("balance-degree", {"PKO+HSC": score}, [name])]
        claim = verdicts(self.full(*rows))["component-dhpc"]
        assert claim.verdict == Verdict.CONTRADICTED
        assert "(contradicted in 2, undecided in 1)" in claim.readings
        assert "turned by: balance-degree (undecided)" in claim.readings

    def test_a_reading_without_trace_ratio_says_nothing_about_it(self):
        claims = verdicts(self.full(*of_reading("ratio-initial", {"PKO+HSC": 0.8})))
        assert "of 2 readings" in claims["component-dhpc"].readings  # as printed, and each metric at its own σ
        assert "of 3 readings" in claims["component-knn"].readings

    def test_five_verdicts(self):
        assert [str(verdict) for verdict in Verdict] == [
            *("confirmed", "contradicted", "depends on the reading", "undecided", "not testable")
        ]
        assert len({verdict.css for verdict in Verdict}) == len(Verdict)
        assert decide(True, True, complete=False) == Verdict.CONTRADICTED
        assert decide(True, False, complete=False) == Verdict.UNTESTABLE
        assert decide(True, False, complete=True) == Verdict.CONFIRMED
        assert decide(False, False, complete=True) == Verdict.UNDECIDED


def report_settings(experiment):
    settings = experiment_settings(experiment)
    return settings if experiment == "clean" else settings[1:]


class TestSection:
    def test_no_section_without_readings(self):
        found = section(scores_under(cells()))
        assert found.optional
        assert not found.tables
        assert not found.figures

    def test_effects_are_sorted_and_include_as_printed(self):
        rows = cells() + of_reading("balance-degree", {"PKO+HSC": 0.9}) + of_reading("ratio-step", {"PKO+HSC": 0.3})
        found = effects(scores_under(rows), "PKO+NC")
        names = [reading.name if reading else "" for reading, _ in found]
        assert names[0] == "ratio-step"
        assert names[-1] == "balance-degree"
        assert "" in names
        means = [effect.mean for _, effect in found]
        assert means == sorted(means)
        assert means[-1] == pytest.approx(0.2)
        assert found[-1][1].low == pytest.approx(0.2)

    def test_curve_draws_the_effects_in_order_above_the_decisions(self):
        rows = cells() + of_reading("balance-degree", {"PKO+HSC": 0.9}) + of_reading("ratio-step", {"PKO+HSC": 0.3})
        (drawn,) = specification_curves(scores_under(rows))
        above, below = drawn.figure.axes[:2]
        labels = [label.get_text() for label in below.get_xticklabels()]
        assert labels[0] == "step"
        assert labels[-1] == "degree"
        assert above.get_title(loc="left") == "PKO+HSC − PKO+NC"
        assert [label.get_text() for label in below.get_yticklabels()] == [
            *("Balance of A, B and C", "Trace ratio", "Choice of σ")
        ]

    def test_table_has_as_printed_first_and_the_verdicts_that_change(self):
        under = scores_under(cells() + of_reading("balance-degree", {"PKO+HSC": 0.8}))
        table = reading_table(under)
        assert [row[0].text for row in table.rows] == ["as printed", "balance-degree", "sigma-metric", "nrsc-sigma"]
        assert "trace ratio helps: contradicted → confirmed" in table.rows[1][-1].text
        assert verdict_changes(under, "sigma-metric") == {}
        assert "3 of 24 readings have results, on 7 of the paper's 7 datasets" in table.caption

    def test_too_few_datasets_are_not_testable(self):
        rows = cells(datasets=["orl", "iris"]) + of_reading("balance-degree", {"PKO+HSC": 0.8}, ["orl", "iris"])
        assert reading_table(scores_under(rows)).rows[1][-1].text == "not testable"

    def test_nearest_reading_and_nearest_pair(self):
        printed = {name: published.scores("clean", "nmi").loc[name].mean() for name in published.ALGORITHMS}
        pair = "balance-degree+ratio-step"
        rows = cells() + of_reading("balance-degree", printed) + of_reading("ratio-step", {"PKO+HSC": 0.1})
        rows += of_reading(pair, printed, ["orl", "iris", "usps465", "corel"])
        text = " ".join(nearest_sentences(scores_under(rows)))
        assert "nearest single reading is balance-degree" in text
        assert "The configuration runs no reading at the full protocol." in text
        assert f"ORL, USPS-465, Iris, Corel, the nearest is {pair}" in text
        assert "found by looking" in text
        other = nearest_sentences(scores_under(rows, config={"readings": {"nearest": "ratio-step"}}))
        assert "runs another one, ratio-step" in other[0]
        assert [row[0].text for row in pair_table(scores_under(rows)).rows] == [pair]

    def test_a_reading_on_fewer_cells_is_not_the_nearest(self):
        printed = published.scores("clean", "nmi")["orl"]
        rows = cells() + of_reading("balance-degree", {}) + of_reading("ratio-step", printed, ["orl"])
        assert "nearest single reading is balance-degree" in nearest_sentences(scores_under(rows))[0]

    def test_whether_the_trace_ratio_is_ahead_anywhere(self):
        rows = cells() + of_reading("balance-degree", {"PKO+HSC": 0.8}) + of_reading("ratio-step", {})
        text = cut_sentence(scores_under(rows))
        assert "above zero in 1 of 4 readings (balance-degree +0.100 [+0.100, +0.100])" in text
        assert "below zero in 3 of 4 readings" in text


class TestNearest:
    """The reading that is run at the full protocol."""

    RUN = fake.run(config={"readings": {"nearest": "balance-degree"}})

    def rows(self):
        rows = []
        for setting in ("clean", "noise-L1", "outlier-L1"):
            rows += cells(setting=setting, datasets=["orl", "usps", "iris"])
            rows += of_reading("balance-degree", {"PKO+HSC": 0.8}, ["orl", "usps"], setting=setting)
        return rows

    def test_it_takes_the_place_of_the_cells_that_it_changes(self):
        evidence = Evidence(fake.frame(self.rows()), self.RUN)
        assert evidence.nearest == readings()["balance-degree"]
        found = evidence.under(evidence.nearest).summary
        found = found[found["rule"] == "oracle"].set_index(["dataset", "setting", "algorithm"])["nmi_mean"]
        assert found["orl", "noise-L1", "PKO+HSC"] == 0.8
        assert found["orl", "noise-L1", "CSC"] == SCORES["CSC"]
        assert ("iris", "clean", "PKO+HSC") not in found.index

    def test_of_a_grid_the_best_parameters_count(self):
        rows = cells(datasets=["orl"])
        for score in (0.4, 0.8):
            text = json.dumps({"alpha": score})
            rows += of_reading("weights-best", {"PK+HSC": score, "PO+HSC": 1 - score}, ["orl"], parameters=text)
        found = Evidence(fake.frame(rows), self.RUN).under(readings()["weights-best"]).summary
        found = found[found["rule"] == "oracle"].set_index("algorithm")["nmi_mean"]
        assert found[["PK+HSC", "PO+HSC"]].tolist() == [0.8, 0.6]

    def test_clean_data_alone_are_not_the_full_protocol(self):
        rows = [row for row in self.rows() if row["setting"] == "clean"]
        assert Evidence(fake.frame(rows), self.RUN).nearest is None

    @pytest.mark.parametrize("config", [{}, {"readings": None}, {"readings": {}}, {"readings": {"nearest": None}}])
    def test_there_need_not_be_one(self, config):
        assert Evidence(fake.frame(self.rows()), fake.run(config=config)).nearest is None

    def test_tables_have_it_beside_as_printed_for_what_it_changes(self):
        evidence = Evidence(fake.frame(self.rows()), self.RUN)
        data = score_data(evidence, "clean", "nmi", evidence.under(evidence.nearest))
        found = data.set_index(["dataset", "algorithm"])
        assert found.loc[("orl", "PKO+HSC"), "nearest"] == 0.8
        assert found.loc[("orl", "PKO+HSC"), "ours"] == SCORES["PKO+HSC"]
        assert pd.isna(found.loc[("orl", "CSC"), "nearest"])
        assert pd.isna(found.loc[("iris", "PKO+HSC"), "nearest"])

    def test_gains_and_verdicts_side_by_side(self):
        evidence = Evidence(fake.frame(self.rows()), self.RUN)
        under = evidence.under(evidence.nearest)
        table = nearest_gain_table(evidence.nearest, average_gains(evidence), average_gains(under))
        row = next(row for row in table.rows if row[0].text == "CSC")
        assert row[1].text == "+20.00 → +60.00"
        judged = judge(evidence, average_gains(evidence))
        shown = nearest_verdict_table(evidence.nearest, judged, {"gain-clean": Verdict.CONFIRMED})
        assert [cell.text for cell in shown.rows[0][1:]] == ["not testable", "confirmed"]

    def test_its_verdict_at_the_full_protocol_turns_that_as_printed(self):
        rows = TestVerdicts().full(*of_reading("balance-degree", {}, [*DATASETS, "usps"], setting="noise-L1"))
        evidence = Evidence(fake.frame(rows), self.RUN)
        judged = judge(evidence, average_gains(evidence))
        found = with_readings(judged, ReadingScores(evidence), {"gain-outlier": Verdict.CONFIRMED})
        claim = next(claim for claim in found if claim.name == "gain-outlier")
        assert claim.verdict == Verdict.DEPENDS
        assert "At the full protocol under balance-degree: confirmed." in claim.readings

    def test_it_says_nothing_on_a_claim_that_it_makes_meaningless(self):
        assert "component-dhpc" in readings()["ratio-initial"].not_for
        rows = TestVerdicts().full()
        for experiment in published.EXPERIMENTS:
            for setting in experiment_settings(experiment):
                rows += of_reading("ratio-initial", {"PKO+HSC": 0.8}, [*DATASETS, "usps"], setting=setting)
        run = fake.run(config={"readings": {"nearest": "ratio-initial"}})
        found = find(Evidence(fake.frame(rows), run))
        assert "component-knn" in found.nearest.verdicts
        assert "component-dhpc" not in found.nearest.verdicts
        claim = next(claim for claim in found.claims if claim.name == "component-dhpc")
        assert claim.verdict == Verdict.CONTRADICTED
        assert "ratio-initial" not in claim.readings


class TestPartial:
    """A reading that was run on fewer datasets than the cells, for all or some algorithms."""

    FEW = DATASETS[:3]

    def test_a_gain_over_fewer_datasets_decides_nothing(self):
        rows = TestVerdicts().full()
        rows = [row for row in rows if row["variation"] == ""]
        changed = of_reading("balance-degree", {"PKO+NC": 0.95})
        rows += [row for row in changed if row["algorithm"] != "PKO+NC" or row["dataset"] in self.FEW]
        under = scores_under(rows)
        found = under.verdicts.set_index(["reading", "claim"])["verdict"]
        assert found["balance-degree", "component-dhpc"] == Verdict.UNTESTABLE

    def test_it_does_not_widen_the_span_of_gains(self):
        scores = {name: dict.fromkeys(published.ALGORITHMS, 0.5) | {"PKO+HSC": 0.4} for name in DATASETS}
        for name in self.FEW:
            scores[name]["PKO+HSC"] = 0.9
        rows = fake.scores(scores)
        for name, datasets in (("balance-degree", DATASETS[:5]), ("balance-norm", DATASETS)):
            algorithms = readings()[name].algorithms
            own = {it: {algorithm: scores[it][algorithm] for algorithm in algorithms} for it in datasets}
            rows += fake.scores(own, variation=name)
        gains = scores_under(rows).clean_gains()
        assert set(gains["reading"]) == {"", "balance-norm", "sigma-metric"}
        assert gains.groupby(["metric", "competitor"])["ours"].nunique().eq(1).all()


def test_no_row_of_a_reading_is_in_the_papers_tables():
    without = Evidence(fake.frame([*cells(), fake.sweep_row("orl", "weights", 0.5, alpha=0.4, beta=0.4)]), fake.run())
    more = of_reading("balance-degree", {"PKO+HSC": 0.99}) + of_reading(
        "weights-best", {"PK+HSC": 0.98}, parameters='{"alpha": 0.4, "beta": 0.4}'
    )
    more += of_reading("balance-degree+ratio-step", {"PKO+HSC": 0.97})
    evidence = Evidence(pd.concat([without.table, fake.frame(more)], ignore_index=True), fake.run())
    for metric in published.METRICS:
        pd.testing.assert_frame_equal(score_data(evidence, "clean", metric), score_data(without, "clean", metric))
        pd.testing.assert_frame_equal(weight_data(evidence, metric), weight_data(without, metric))
    pd.testing.assert_frame_equal(average_gains(evidence), average_gains(without))


def test_variations_that_are_expected_and_missing_are_named():
    expected = {"cells": [], "variations": [["orl", "clean", "balance-degree", name] for name in ("PKO+HSC", "PK+HSC")]}
    rows = [row for row in of_reading("balance-degree", {}, ["orl"]) if row["algorithm"] != "PK+HSC"]
    evidence = Evidence(fake.frame(cells() + rows), fake.run(expected=expected))
    assert evidence.missing == [("orl", "clean", "PK+HSC", "balance-degree")]
