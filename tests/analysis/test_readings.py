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
from hypercut.analysis.readings import AS_PRINTED, ReadingScores
from hypercut.analysis.verdicts import Verdict
from hypercut.analysis.weights import weight_data
from hypercut.paper import published
from hypercut.paper.readings import readings
from hypercut.report.findings import find
from hypercut.report.sections.readings import distance_table, nearest_gain_table, reading_table
from tests import rows as fake

#: The paper's datasets at the indicated sizes.
DATASETS = ["orl", "yaleb373", "usps465", "mnist599", "iris", "traj", "corel500"]
#: Those that the paper has with outliers.
WITH_OUTLIERS = DATASETS[:4]

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


def test_a_reading_has_its_rows_for_the_algorithms_it_changes_and_the_cells_for_the_others():
    under = scores_under(cells() + of_reading("balance-degree", {"PKO+HSC": 0.9}))
    found = values(under, readings()["balance-degree"])
    assert (found["orl", "PKO+HSC"], found["orl", "CSC"]) == (0.9, SCORES["CSC"])
    assert len(found) == len(DATASETS) * len(published.ALGORITHMS)
    assert values(under, None)["orl", "PKO+HSC"] == SCORES["PKO+HSC"]
    # A missing result is not replaced by the cell.
    missing = [row for row in of_reading("balance-degree", {}) if row["algorithm"] != "PK+HSC"]
    assert ("orl", "PK+HSC") not in values(scores_under(cells() + missing), readings()["balance-degree"])


def test_of_a_grid_the_best_parameters_count():
    rows = cells()
    for weight, score in ((0.2, 0.4), (0.4, 0.8), (0.6, 0.6)):
        text = json.dumps({"alpha": weight})
        rows += of_reading("weights-best", {"PK+HSC": score, "PO+HSC": 1 - score}, parameters=text)
    found = values(scores_under(rows), readings()["weights-best"])
    summary = evidence_of(rows).under(readings()["weights-best"]).summary
    summary = summary[summary["rule"] == "oracle"].set_index(["dataset", "algorithm"])["nmi_mean"]
    for scores in (found, summary):
        assert (scores["orl", "PK+HSC"], scores["orl", "PO+HSC"]) == (0.8, 0.6)


@pytest.mark.parametrize("name", ["sigma-metric", "nrsc-sigma"])
def test_choices_of_sigma_equal_a_loop_over_the_cells(name):
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
            key = (under.parts.get(dataset, dataset), algorithm, "", 0)
            own = [it for it in rows if (it["dataset"], it["algorithm"], it["variation"], it["repeat"]) == key]
            chosen_by = by if algorithm in reading.algorithms else "nmi"
            assert mean == pytest.approx(max(own, key=lambda row: row[chosen_by])[metric])


@pytest.mark.parametrize(("names", "count"), [(None, 3), (["balance-degree"], 1), (["nrsc-sigma"], 2)])
def test_a_choice_of_sigma_that_the_configuration_leaves_out_is_left_out(names, count):
    rows = cells() + of_reading("balance-degree", {})
    assert len(scores_under(rows, config={"readings": {"names": names}}).single) == count


def test_only_repeats_that_all_have_are_compared():
    rows = cells({**SCORES, "PKO+HSC": [0.6, 0.9]}) + of_reading("balance-degree", {"PKO+HSC": 0.7})
    # The other cells have one repeat.
    assert values(scores_under(rows), None)["orl", "PKO+HSC"] == 0.6


def test_a_part_with_readings_takes_the_place_of_the_whole_and_stand_ins_do_not_compare():
    own = ["orl", "yaleb", "usps465", "mnist", "iris", "traj"]
    wholes = cells(dict.fromkeys(SCORES, 0.9), ["usps"]) + cells(datasets=["yaleb", "mnist"])
    rows = cells() + wholes + cells(datasets=["corel"], data_kind="stand-in")
    under = scores_under(rows + of_reading("balance-degree", {}, own))
    assert under.datasets == ["orl", "yaleb", "usps", "mnist", "iris", "traj"]
    assert under.parts == {"usps": "usps465"}
    assert values(under, None)["usps", "CSC"] == SCORES["CSC"]
    printed = published.scores("clean", "nmi")[under.datasets]
    distances = printed.sub(pd.Series(SCORES), axis=0).abs()
    found = under.distances.loc[AS_PRINTED]
    assert (found["cells"], found["mean"]) == (distances.size, pytest.approx(distances.to_numpy().mean()))


def test_distance_compares_with_as_printed_on_the_same_cells():
    published_orl = published.scores("clean", "nmi")["orl"]
    rows = cells() + of_reading("balance-degree", published_orl, ["orl"])
    found = scores_under(rows).distances.loc["balance-degree"]
    apart = {name: abs(SCORES[name] - published_orl[name]) for name in published.ALGORITHMS}
    changed = readings()["balance-degree"].algorithms
    assert found["cells"] == len(published.ALGORITHMS)
    assert found["as_printed"] == pytest.approx(np.mean(list(apart.values())))
    assert found["mean"] == pytest.approx(sum(apart[name] for name in apart if name not in changed) / len(apart))


def test_a_run_that_has_readings_but_no_clean_cells_yet_has_no_distance():
    rows = cells(setting="noise-L5") + of_reading("noise-uniform", {}, setting="noise-L5")
    under = scores_under(rows)
    assert under.distances["cells"].eq(0).all()
    assert under.nearest() is None


def test_the_nearest_changes_the_method_and_has_the_most_cells():
    printed = {name: published.scores("clean", "nmi").loc[name].mean() for name in published.ALGORITHMS}
    rows = cells() + of_reading("balance-degree", printed) + of_reading("ratio-step", {"PKO+HSC": 0.1})
    rows += of_reading("weights-best", printed)  # of PK+HSC and PO+HSC
    rows += of_reading("balance-norm", published.scores("clean", "nmi")["orl"], ["orl"])
    assert scores_under(rows).nearest() == readings()["balance-degree"]


def full(*more, scores=SCORES):
    """The cells at all levels of the indicated sizes, so that the claims are testable there, and readings."""
    rows = []
    for experiment in published.EXPERIMENTS:
        settings = experiment_settings(experiment)
        for setting in settings if experiment == "clean" else settings[1:]:
            datasets = WITH_OUTLIERS if experiment == "outlier" else DATASETS
            rows += cells(scores, setting=setting, datasets=datasets)
    return rows + list(more)


def judged(rows, nearest=None, **run):
    """The judgements, with those of readings, by claim."""
    evidence = evidence_of(rows, **run)
    found = judge(evidence, average_gains(evidence))
    return {it.claim.name: it for it in under_readings(found, ReadingScores(evidence), nearest or {})}


def turned(judgement):
    """Reading → verdict, of those that turn a claim."""
    rows = judgement.tested[judgement.tested["turned"].astype(bool)]
    return rows.set_index("reading")["verdict"].to_dict()


#: The last is a contradiction lost in the noise: a claim depends on a reading only if some reading confirms it.
MIXED = dict(zip(DATASETS, (0.6, 0.8, 0.65, 0.75, 0.7, 0.6, 0.8), strict=True))


@pytest.mark.parametrize(
    ("scores", "verdict", "turns"),
    [
        (dict.fromkeys(DATASETS, 0.8), Verdict.DEPENDS, {"balance-degree": Verdict.CONFIRMED}),
        (dict.fromkeys(DATASETS, 0.61), Verdict.CONTRADICTED, {}),
        (dict.fromkeys(["orl", "iris"], 0.8), Verdict.CONTRADICTED, {}),
        (MIXED, Verdict.CONTRADICTED, {"balance-degree": Verdict.UNDECIDED}),
    ],
    ids=["confirmed", "agrees", "two datasets", "undecided"],
)
def test_a_reading_turns_a_verdict_if_it_differs_on_enough_datasets(scores, verdict, turns):
    rows = [row for name, score in scores.items() for row in of_reading("balance-degree", {"PKO+HSC": score}, [name])]
    found = judged(full(*rows))
    claim = found["component-dhpc"]
    assert (claim.sizes["indicated"].verdict, claim.indicated) == (Verdict.CONTRADICTED, verdict)
    assert claim.verdict == Verdict.UNTESTABLE  # the stated sizes were not run
    assert turned(claim) == turns
    assert ("balance-degree" in set(claim.tested["reading"])) == (len(scores) > 2)
    assert found["gain-outlier"].tested.empty  # no reading is run with outliers


def test_readings_that_do_not_concern_a_claim_are_not_counted(monkeypatch):
    """Ours, and those that change neither side."""
    ours = replace(readings()["balance-degree"], kind="ours")
    monkeypatch.setattr(analysis_readings, "readings", lambda: readings() | {"balance-degree": ours})
    rows = [*of_reading("stsc-kmeans", {"STSC": 0.9}), *of_reading("ratio-initial", {"PKO+HSC": 0.8})]
    found = judged(full(*rows, *of_reading("balance-degree", {"PKO+HSC": 0.8})))
    assert found["component-dhpc"].indicated == Verdict.CONTRADICTED
    assert set(found["component-dhpc"].tested["reading"]) == {"sigma-metric"}
    assert set(found["component-knn"].tested["reading"]) == {"sigma-metric"}


def test_what_is_not_testable_as_printed_stays_so():
    """The clean sets alone do not confirm a claim about noise and outliers too."""
    claim = judged(cells() + of_reading("balance-degree", {"PKO+HSC": 0.2}))["component-knn"]
    assert claim.indicated == Verdict.UNTESTABLE
    assert turned(claim) == {"balance-degree": Verdict.CONTRADICTED}


def test_a_reading_that_agrees_with_the_verdict_on_all_experiments_turns_nothing():
    """Contradicted under noise, undecided on clean data; the reading contradicts there too."""
    level = SCORES | {"PKO+HSC": 0.7}
    rows = [row for row in full() if row["setting"] != "clean"] + cells(level)
    claim = judged(rows + of_reading("balance-degree", {"PKO+HSC": 0.6}))["component-dhpc"]
    assert claim.indicated == Verdict.CONTRADICTED
    assert turned(claim) == {}


def test_noise_readings_are_judged_at_their_level():
    found = judged(full(*of_reading("noise-uniform", {"PKO+HSC": 0.9}, setting="noise-L5")))
    assert found["gain-noise"].indicated == Verdict.DEPENDS
    assert turned(found["gain-noise"]) == {"noise-uniform": Verdict.CONFIRMED}
    assert "noise-uniform" not in set(found["gain-clean"].tested["reading"])


def test_claims_about_noise_and_outliers_are_judged_at_the_levels_of_the_readings():
    """The lead of PKO+HSC grows under noise and outliers in one reading."""
    rows = of_reading("balance-degree", {})
    rows += of_reading("balance-degree", {"PKO+HSC": 0.9}, setting="noise-L5")
    rows += of_reading("balance-degree", {"PKO+HSC": 0.9}, WITH_OUTLIERS, setting="outlier-L2")
    found = judged(full(*rows))
    for name in ("most-noise-levels", "best-noise", "gain-noise", "every-outlier-level", "gain-outlier"):
        assert (found[name].sizes["indicated"].verdict, found[name].indicated) == (
            Verdict.CONTRADICTED,
            Verdict.DEPENDS,
        ), name
        assert turned(found[name]) == {"balance-degree": Verdict.CONFIRMED}, name
    # As printed, the gains over CSC and the others are the same with noise and without.
    assert (found["robust"].sizes["indicated"].verdict, found["robust"].indicated) == (
        Verdict.UNDECIDED,
        Verdict.DEPENDS,
    )
    assert found["best-clean"].indicated == Verdict.CONTRADICTED
    # A claim about several experiments is judged on all of them together.
    assert turned(found["component-dhpc"]) == {}


def test_outliers_need_all_four_datasets():
    rows = of_reading("balance-degree", {"PKO+HSC": 0.9}, WITH_OUTLIERS[:3], setting="outlier-L2")
    assert judged(full(*rows))["gain-outlier"].tested.empty


def test_a_gain_over_fewer_datasets_than_the_reading_has_decides_nothing():
    changed = of_reading("balance-degree", {"PKO+NC": 0.95})
    rows = [row for row in changed if row["algorithm"] != "PKO+NC" or row["dataset"] in DATASETS[:3]]
    under = scores_under(cells() + rows)
    found = under.verdicts.set_index(["reading", "claim"])["verdict"]
    assert found["balance-degree", "component-dhpc"] == Verdict.UNTESTABLE
    # Nor does it widen the range of gains over readings.
    gains = under.clean_gains
    assert set(gains[gains["competitor"] == "PKO+NC"]["reading"]) == {"", "sigma-metric"}


NEAREST = {"readings": {"nearest": "balance-degree"}}


def rows_at_full_protocol():
    rows = []
    for setting in ("clean", "noise-L1", "outlier-L1"):
        rows += cells(setting=setting, datasets=["orl", "usps465", "iris"])
        rows += of_reading("balance-degree", {"PKO+HSC": 0.8}, ["orl", "usps465"], setting=setting)
    return rows


def test_the_nearest_takes_the_place_of_the_cells_that_it_changes():
    evidence = evidence_of(rows_at_full_protocol(), config=NEAREST)
    assert evidence.nearest == readings()["balance-degree"]
    under = evidence.under(evidence.nearest)
    found = under.summary[under.summary["rule"] == "oracle"].set_index(["dataset", "setting", "algorithm"])["nmi_mean"]
    assert (found["orl", "noise-L1", "PKO+HSC"], found["orl", "noise-L1", "CSC"]) == (0.8, SCORES["CSC"])
    assert ("iris", "clean", "PKO+HSC") not in found.index
    scores = table_scores(evidence, "clean", "nmi", under).set_index(["dataset", "algorithm"])
    assert scores.loc[("orl", "PKO+HSC"), ["ours", "nearest"]].tolist() == [SCORES["PKO+HSC"], 0.8]
    assert scores.loc[[("orl", "CSC"), ("iris", "PKO+HSC")], "nearest"].isna().all()
    table = nearest_gain_table(evidence.nearest, average_gains(evidence), average_gains(under))
    assert next(row for row in table.rows if row[0].text == "CSC")[1].text == "+20.00 → +60.00"


def test_there_is_no_nearest_on_clean_data_alone_or_without_configuration():
    rows = rows_at_full_protocol()
    assert evidence_of([row for row in rows if row["setting"] == "clean"], config=NEAREST).nearest is None
    for config in ({}, {"readings": None}, {"readings": {}}, {"readings": {"nearest": None}}):
        assert evidence_of(rows, config=config).nearest is None


def test_a_reading_of_ours_is_never_the_nearest():
    rows = cells() + of_reading("ratio-initial", published.scores("clean", "nmi").mean(axis=1))
    assert scores_under(rows).nearest() == readings()["sigma-metric"]
    rows += of_reading("ratio-initial", {}, setting="noise-L1")
    assert evidence_of(rows, config={"readings": {"nearest": "ratio-initial"}}).nearest is None


def test_the_verdict_of_the_nearest_at_the_full_protocol_turns_the_verdict_as_printed():
    rows = full(*of_reading("balance-degree", {}, setting="noise-L1"))
    claim = judged(rows, {"gain-outlier": Verdict.CONFIRMED}, config=NEAREST)["gain-outlier"]
    assert claim.indicated == Verdict.DEPENDS
    assert claim.nearest == Verdict.CONFIRMED


def test_the_nearest_is_judged_at_the_indicated_sizes():
    rows = full()
    for experiment in published.EXPERIMENTS:
        for setting in experiment_settings(experiment):
            rows += of_reading("balance-degree", {"PKO+HSC": 0.8}, setting=setting)
    found = find(evidence_of(rows, config=NEAREST))
    assert found.nearest.verdicts["component-dhpc"] == Verdict.CONFIRMED
    claim = next(it for it in found.judged if it.claim.name == "component-dhpc")
    assert (claim.indicated, claim.verdict) == (Verdict.DEPENDS, Verdict.UNTESTABLE)


def test_distances_are_at_both_sizes():
    """As published on the wholes; the reading as published on the parts."""
    printed = published.scores("clean", "nmi")
    rows = fake.scores({name: printed[name].to_dict() for name in published.DATASETS})
    rows += cells(datasets=[*published.PARTS])
    for name in DATASETS:
        rows += of_reading("features-unit", printed[published.PARTS.get(name, name)], [name])
    table = distance_table(scores_under(rows)).data.set_index(["reading", "size"])["distance"]
    assert table[AS_PRINTED, "stated"] == pytest.approx(0)
    assert table["features-unit", "indicated"] == pytest.approx(0)
    apart = printed[list(published.INDICATED)].sub(pd.Series(SCORES), axis=0).abs()
    assert table[AS_PRINTED, "indicated"] == pytest.approx(apart.to_numpy().sum() / printed.size)


def test_a_reading_of_too_few_datasets_is_not_testable():
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
