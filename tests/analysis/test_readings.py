"""Scores, distances and verdicts under other readings of the paper, on made-up rows."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hypercut.analysis import readings as analysis_readings
from hypercut.analysis.claims import judge, under_readings
from hypercut.analysis.evidence import Evidence, table_scores
from hypercut.analysis.experiments import experiment_settings
from hypercut.analysis.gains import average_gains
from hypercut.analysis.readings import AS_PRINTED, DATASETS, ReadingScores
from hypercut.analysis.verdicts import Verdict
from hypercut.analysis.weights import weight_data
from hypercut.paper import published
from hypercut.paper.readings import readings
from hypercut.report.findings import find
from hypercut.report.sections.readings import nearest_gain_table, reading_table
from tests import rows as fake

#: Below PKO+NC and above the others, on every dataset.
SCORES = dict.fromkeys(published.ALGORITHMS, 0.5) | {"PKO+HSC": 0.6, "PKO+NC": 0.7}


def cells(scores=SCORES, datasets=DATASETS, **given):
    return fake.scores(dict.fromkeys(datasets, scores), **given)


def of_reading(name, scores, datasets=DATASETS, **given):
    """Rows of a reading for its algorithms, by default with the scores of the cells."""
    values = {algorithm: scores.get(algorithm, SCORES[algorithm]) for algorithm in readings()[name].algorithms}
    return fake.scores(dict.fromkeys(datasets, values), variation=name, **given)


def evidence_of(rows, **run):
    return Evidence(fake.frame(rows), fake.run(**run))


def scores_under(rows, **run):
    return ReadingScores(evidence_of(rows, **run))


def values(under, reading, metric="nmi"):
    """The scores under a reading: (dataset, algorithm) → mean."""
    rows = under.scores(reading)
    rows = rows[rows["metric"] == metric]
    return rows.set_index(["dataset", "algorithm"])["mean"].to_dict()


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
        assert ("orl", "PK+HSC") not in values(scores_under(cells() + changed), readings()["balance-degree"])

    def test_of_a_grid_the_best_parameters_count(self):
        rows = cells()
        for weight, score in ((0.2, 0.4), (0.4, 0.8), (0.6, 0.6)):
            text = json.dumps({"alpha": weight})
            rows += of_reading("weights-best", {"PK+HSC": score, "PO+HSC": 1 - score}, parameters=text)
        found = values(scores_under(rows), readings()["weights-best"])
        assert (found["orl", "PK+HSC"], found["orl", "PO+HSC"]) == (0.8, 0.6)
        summary = evidence_of(rows).under(readings()["weights-best"]).summary
        summary = summary[summary["rule"] == "oracle"].set_index(["dataset", "algorithm"])["nmi_mean"]
        assert (summary["orl", "PK+HSC"], summary["orl", "PO+HSC"]) == (0.8, 0.6)

    @pytest.mark.parametrize("name", ["sigma-metric", "nrsc-sigma"])
    def test_choices_of_sigma_equal_a_loop_over_the_cells(self, name):
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
                key = (dataset, algorithm, "", 0)
                own = [it for it in rows if (it["dataset"], it["algorithm"], it["variation"], it["repeat"]) == key]
                chosen_by = by if algorithm in reading.algorithms else "nmi"
                assert mean == pytest.approx(max(own, key=lambda row: row[chosen_by])[metric])

    @pytest.mark.parametrize(("names", "count"), [(None, 3), (["balance-degree"], 1), (["nrsc-sigma"], 2)])
    def test_a_choice_of_sigma_that_the_configuration_leaves_out_is_left_out(self, names, count):
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
        found = under.distances.loc[AS_PRINTED]
        assert found["cells"] == len(distances)
        assert found["mean"] == pytest.approx(np.mean(distances))

    def test_distance_compares_with_as_printed_on_the_same_cells(self):
        published_orl = published.scores("clean", "nmi")["orl"]
        rows = cells() + of_reading("balance-degree", published_orl, ["orl"])
        found = scores_under(rows).distances.loc["balance-degree"]
        apart = {name: abs(SCORES[name] - published_orl[name]) for name in published.ALGORITHMS}
        changed = readings()["balance-degree"].algorithms
        assert found["cells"] == len(published.ALGORITHMS)
        assert found["as_printed"] == pytest.approx(np.mean(list(apart.values())))
        assert found["mean"] == pytest.approx(sum(apart[name] for name in apart if name not in changed) / len(apart))

    def test_effects_are_sorted_and_include_as_printed(self):
        rows = cells() + of_reading("balance-degree", {"PKO+HSC": 0.9}) + of_reading("ratio-step", {"PKO+HSC": 0.3})
        found = scores_under(rows).effects.query("competitor == 'PKO+NC'")
        assert found["reading"].tolist()[0] == "ratio-step"
        assert found["reading"].tolist()[-1] == "balance-degree"
        assert AS_PRINTED in set(found["reading"])
        assert found["mean"].is_monotonic_increasing
        assert found[["mean", "low"]].to_numpy()[-1].tolist() == pytest.approx([0.2, 0.2])

    def test_the_nearest_changes_the_method_and_has_the_most_cells(self):
        printed = {name: published.scores("clean", "nmi").loc[name].mean() for name in published.ALGORITHMS}
        rows = cells() + of_reading("balance-degree", printed) + of_reading("ratio-step", {"PKO+HSC": 0.1})
        rows += of_reading("weights-best", printed)  # of PK+HSC and PO+HSC
        rows += of_reading("balance-norm", published.scores("clean", "nmi")["orl"], ["orl"])
        assert scores_under(rows).nearest() == readings()["balance-degree"]


def full(*more):
    """The cells at all levels, so that the claims are testable, and readings."""
    rows = []
    for experiment in published.EXPERIMENTS:
        settings = experiment_settings(experiment)
        for setting in settings if experiment == "clean" else settings[1:]:
            rows += cells(setting=setting, datasets=published.datasets(experiment))
    return rows + cells(datasets=["usps465"]) + list(more)


def judged(rows, nearest=None, **run):
    """The judgements, with those of readings, by claim."""
    evidence = evidence_of(rows, **run)
    found = judge(evidence, average_gains(evidence))
    at_nearest = {it.claim.name: replace(it, verdict=nearest[it.claim.name]) for it in found if nearest}
    return {it.claim.name: it for it in under_readings(found, ReadingScores(evidence), at_nearest)}


def turned(judgement):
    """Reading → verdict, of those that turn a claim."""
    rows = judgement.tested[judgement.tested["turned"].astype(bool)]
    return rows.set_index("reading")["verdict"].to_dict()


class TestVerdicts:
    def test_a_reading_turns_a_verdict(self):
        found = judged(full(*of_reading("balance-degree", {"PKO+HSC": 0.8})))
        claim = found["component-dhpc"]
        assert (claim.as_printed, claim.verdict) == (Verdict.CONTRADICTED, Verdict.DEPENDS)
        assert turned(claim) == {"balance-degree": Verdict.CONFIRMED}
        assert found["gain-outlier"].tested.empty  # no reading is run with outliers

    def test_readings_that_agree_leave_the_verdict(self):
        claim = judged(full(*of_reading("balance-degree", {"PKO+HSC": 0.61})))["component-dhpc"]
        assert claim.verdict == Verdict.CONTRADICTED
        assert set(claim.tested["reading"]) == {"balance-degree", "sigma-metric"}
        assert turned(claim) == {}

    def test_a_reading_that_is_ours_does_not_count(self, monkeypatch):
        ours = replace(readings()["balance-degree"], kind="ours")
        monkeypatch.setattr(analysis_readings, "readings", lambda: readings() | {"balance-degree": ours})
        claim = judged(full(*of_reading("balance-degree", {"PKO+HSC": 0.8})))["component-dhpc"]
        assert claim.verdict == Verdict.CONTRADICTED
        assert "balance-degree" not in set(claim.tested["reading"])

    def test_readings_that_change_neither_side_or_are_ours_are_not_counted(self):
        rows = [*of_reading("stsc-kmeans", {"STSC": 0.9}), *of_reading("ratio-initial", {"PKO+HSC": 0.8})]
        found = judged(full(*rows))
        assert set(found["component-dhpc"].tested["reading"]) == {"sigma-metric"}
        assert set(found["component-knn"].tested["reading"]) == {"sigma-metric"}

    def test_two_datasets_turn_nothing(self):
        claim = judged(full(*of_reading("balance-degree", {"PKO+HSC": 0.8}, ["orl", "iris"])))["component-dhpc"]
        assert claim.verdict == Verdict.CONTRADICTED
        assert "balance-degree" not in set(claim.tested["reading"])

    def test_what_is_not_testable_as_printed_stays_so(self):
        """The clean sets alone do not confirm a claim about noise and outliers too."""
        rows = cells() + cells(datasets=["usps"]) + of_reading("balance-degree", {"PKO+HSC": 0.2})
        claim = judged(rows)["component-knn"]
        assert claim.verdict == Verdict.UNTESTABLE
        assert turned(claim) == {"balance-degree": Verdict.CONTRADICTED}

    def test_a_reading_that_agrees_with_the_verdict_on_all_experiments_turns_nothing(self):
        """Contradicted under noise, undecided on clean data; the reading contradicts there too."""
        level = SCORES | {"PKO+HSC": 0.7}
        rows = [row for row in full() if row["setting"] != "clean"] + cells(level, [*DATASETS, "usps"])
        claim = judged(rows + of_reading("balance-degree", {"PKO+HSC": 0.6}))["component-dhpc"]
        assert claim.verdict == Verdict.CONTRADICTED
        assert turned(claim) == {}

    def test_noise_readings_are_judged_at_their_level(self):
        rows = full() + cells(datasets=["usps465"], setting="noise-L5")
        rows += of_reading("noise-uniform", {"PKO+HSC": 0.9}, setting="noise-L5")
        claim = judged(rows)["gain-noise"]
        assert claim.verdict == Verdict.DEPENDS
        assert turned(claim) == {"noise-uniform": Verdict.CONFIRMED}

    def test_a_contradiction_that_is_lost_in_the_noise_stays_one(self):
        """A claim depends on the reading only if some reading confirms it."""
        scores = zip(DATASETS, (0.6, 0.8, 0.65, 0.75, 0.7, 0.6, 0.8), strict=True)
        rows = [row for name, score in scores for row in of_reading("balance-degree", {"PKO+HSC": score}, [name])]
        claim = judged(full(*rows))["component-dhpc"]
        assert claim.verdict == Verdict.CONTRADICTED
        assert turned(claim) == {"balance-degree": Verdict.UNDECIDED}

    def test_a_gain_over_fewer_datasets_than_the_reading_has_decides_nothing(self):
        changed = of_reading("balance-degree", {"PKO+NC": 0.95})
        rows = [row for row in changed if row["algorithm"] != "PKO+NC" or row["dataset"] in DATASETS[:3]]
        found = scores_under(cells() + rows).verdicts.set_index(["reading", "claim"])["verdict"]
        assert found["balance-degree", "component-dhpc"] == Verdict.UNTESTABLE

    def test_it_does_not_widen_the_span_of_gains(self):
        scores = {name: dict.fromkeys(published.ALGORITHMS, 0.5) | {"PKO+HSC": 0.4} for name in DATASETS}
        for name in DATASETS[:3]:
            scores[name]["PKO+HSC"] = 0.9
        rows = fake.scores(scores)
        for name, datasets in (("balance-degree", DATASETS[:5]), ("balance-norm", DATASETS)):
            own = {
                it: {algorithm: scores[it][algorithm] for algorithm in readings()[name].algorithms} for it in datasets
            }
            rows += fake.scores(own, variation=name)
        gains = scores_under(rows).clean_gains
        assert set(gains["reading"]) == {"", "balance-norm", "sigma-metric"}
        assert gains.groupby(["metric", "competitor"])["ours"].nunique().eq(1).all()


NEAREST = {"readings": {"nearest": "balance-degree"}}


class TestNearest:
    """The reading that is run at the full protocol."""

    def rows(self):
        rows = []
        for setting in ("clean", "noise-L1", "outlier-L1"):
            rows += cells(setting=setting, datasets=["orl", "usps", "iris"])
            rows += of_reading("balance-degree", {"PKO+HSC": 0.8}, ["orl", "usps"], setting=setting)
        return rows

    def test_it_takes_the_place_of_the_cells_that_it_changes(self):
        evidence = evidence_of(self.rows(), config=NEAREST)
        assert evidence.nearest == readings()["balance-degree"]
        found = evidence.under(evidence.nearest).summary
        found = found[found["rule"] == "oracle"].set_index(["dataset", "setting", "algorithm"])["nmi_mean"]
        assert found["orl", "noise-L1", "PKO+HSC"] == 0.8
        assert found["orl", "noise-L1", "CSC"] == SCORES["CSC"]
        assert ("iris", "clean", "PKO+HSC") not in found.index

    def test_there_is_none_on_clean_data_alone_or_without_configuration(self):
        clean = [row for row in self.rows() if row["setting"] == "clean"]
        assert evidence_of(clean, config=NEAREST).nearest is None
        for config in ({}, {"readings": None}, {"readings": {}}, {"readings": {"nearest": None}}):
            assert evidence_of(self.rows(), config=config).nearest is None

    def test_tables_have_it_beside_as_printed_for_what_it_changes(self):
        evidence = evidence_of(self.rows(), config=NEAREST)
        under = evidence.under(evidence.nearest)
        found = table_scores(evidence, "clean", "nmi", under).set_index(["dataset", "algorithm"])
        assert found.loc[("orl", "PKO+HSC"), ["ours", "nearest"]].tolist() == [SCORES["PKO+HSC"], 0.8]
        assert found.loc[[("orl", "CSC"), ("iris", "PKO+HSC")], "nearest"].isna().all()
        table = nearest_gain_table(evidence.nearest, average_gains(evidence), average_gains(under))
        row = next(row for row in table.rows if row[0].text == "CSC")
        assert row[1].text == "+20.00 → +60.00"

    def test_its_verdict_at_the_full_protocol_turns_that_as_printed(self):
        rows = full(*of_reading("balance-degree", {}, [*DATASETS, "usps"], setting="noise-L1"))
        nearest = dict.fromkeys(judged(cells()), Verdict.UNTESTABLE) | {"gain-outlier": Verdict.CONFIRMED}
        claim = judged(rows, nearest, config=NEAREST)["gain-outlier"]
        assert claim.verdict == Verdict.DEPENDS
        assert claim.nearest.verdict == Verdict.CONFIRMED

    def test_it_says_nothing_on_a_claim_that_it_makes_meaningless(self):
        rows = full()
        for experiment in published.EXPERIMENTS:
            for setting in experiment_settings(experiment):
                rows += of_reading("ratio-initial", {"PKO+HSC": 0.8}, [*DATASETS, "usps"], setting=setting)
        found = find(evidence_of(rows, config={"readings": {"nearest": "ratio-initial"}}))
        assert "component-knn" in found.nearest.verdicts
        assert "component-dhpc" not in found.nearest.verdicts
        claim = next(it for it in found.judged if it.claim.name == "component-dhpc")
        assert claim.verdict == Verdict.CONTRADICTED


class TestSection:
    def test_table_has_as_printed_first_and_the_verdicts_that_change(self):
        table = reading_table(scores_under(cells() + of_reading("balance-degree", {"PKO+HSC": 0.8})))
        assert [row[0].text for row in table.rows] == ["as printed", "balance-degree", "sigma-metric", "nrsc-sigma"]
        assert "trace ratio helps: contradicted → confirmed" in table.rows[1][-1].text
        few = ["orl", "iris"]
        rows = cells(datasets=few) + of_reading("balance-degree", {"PKO+HSC": 0.8}, few)
        assert reading_table(scores_under(rows)).rows[1][-1].text == "not testable"


def test_no_row_of_a_reading_is_in_the_papers_tables():
    without = evidence_of([*cells(), fake.sweep_row("orl", "weights", 0.5, alpha=0.4, beta=0.4)])
    more = of_reading("balance-degree", {"PKO+HSC": 0.99})
    more += of_reading("weights-best", {"PK+HSC": 0.98}, parameters='{"alpha": 0.4, "beta": 0.4}')
    more += fake.scores({"orl": {"PKO+HSC": 0.97}}, variation="balance-degree+ratio-step")  # of an earlier version
    evidence = Evidence(pd.concat([without.table, fake.frame(more)], ignore_index=True), fake.run())
    for metric in published.METRICS:
        pd.testing.assert_frame_equal(table_scores(evidence, "clean", metric), table_scores(without, "clean", metric))
        pd.testing.assert_frame_equal(weight_data(evidence, metric), weight_data(without, metric))
    pd.testing.assert_frame_equal(average_gains(evidence), average_gains(without))
