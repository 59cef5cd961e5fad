"""Each verdict, on results that confirm, contradict or leave open."""

import numpy as np
import pandas as pd
import pytest

from hypercut.report import published
from hypercut.report.claims import Verdict, claims
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import experiment_settings
from hypercut.report.gains import GAIN_COLUMNS, gains
from hypercut.report.similarity import Matrices
from tests.report import made


def judge(rows, matrices=None, gains_from=gains):
    evidence = Evidence(made.frame(rows), made.run())
    return {claim.name: claim for claim in claims(evidence, gains_from(evidence), matrices)}


def no_gains(_):
    """For claims that gains have no part in: they take most of the time."""
    return pd.DataFrame(columns=GAIN_COLUMNS)


def full(experiments=("clean", "noise", "outlier"), change=None):
    """All sets, levels and algorithms of the paper with its averages, or what ``change`` makes of a score."""
    rows = []
    for experiment in experiments:
        for setting in experiment_settings(experiment)[0 if experiment == "clean" else 1 :]:
            for dataset in published.datasets(experiment):
                for algorithm in published.ALGORITHMS:
                    nmi, purity = (
                        published.scores(experiment, metric).loc[algorithm, dataset] for metric in published.METRICS
                    )
                    score = change(dataset, setting, algorithm, nmi) if change else nmi
                    given = {"purity": purity if score == nmi else score}
                    rows.append(made.row(dataset, setting, algorithm, score, **given))
    return rows


def sweep(values, name="weights"):
    parameters = {"weights": "alpha", "neighbors": "n_neighbors", "communities": "communities_per_cluster"}[name]
    return [
        made.sweep_row(dataset, name, score, **{"beta": 0.2, parameters: number})
        for dataset, scores in values.items()
        for number, score in enumerate(scores)
    ]


@pytest.fixture(scope="module")
def as_published():
    return judge(full())


@pytest.mark.parametrize(
    "name",
    [
        *("best-clean", "best-noise", "most-noise-levels", "every-outlier-level"),
        *("gain-clean", "gain-noise", "gain-outlier", "component-cahsm", "component-dhpc"),
    ],
)
def test_the_papers_own_figures_confirm_it(as_published, name):
    assert as_published[name].verdict == Verdict.CONFIRMED, as_published[name].finding


def test_every_claim_has_criterion_and_finding(as_published):
    for claim in as_published.values():
        assert claim.criterion.endswith(".")
        assert claim.finding.endswith(".")
    assert len(as_published) == 19


def test_one_clear_loss_contradicts_a_claim_about_all():
    found = judge(full(["clean"], lambda d, _, a, score: 0.99 if (d, a) == ("orl", "CSC") else score))
    assert found["best-clean"].verdict == Verdict.CONTRADICTED
    assert "CSC on ORL" in found["best-clean"].finding


def test_what_was_not_run_leaves_it_open():
    rows = [row for row in full(["clean"]) if row["dataset"] != "corel"]
    found = judge(rows)
    assert found["best-clean"].verdict == Verdict.UNDECIDED
    assert found["most-noise-levels"].verdict == Verdict.UNDECIDED
    assert found["gain-noise"].finding == "No comparable result yet."


def test_stand_ins_decide_nothing():
    rows = [row | {"data_kind": "stand-in", "nmi": 0.0} for row in full(["clean"])]
    assert {claim.verdict for claim in judge(rows).values()} == {Verdict.UNDECIDED}


def test_gain_below_zero_contradicts_and_across_zero_leaves_open():
    worse = judge(full(["clean"], lambda d, s, a, score: 0.8 * score if a == "PKO+HSC" else score))
    assert worse["gain-clean"].verdict == Verdict.CONTRADICTED
    mixed = {"orl": 1.3, "usps": 0.7, "iris": 0.7}
    open_ = judge(full(["clean"], lambda d, s, a, score: mixed.get(d, 1) * score if a == "PKO+HSC" else score))
    assert open_["gain-clean"].verdict == Verdict.UNDECIDED


def test_most_levels_is_decided_once_the_rest_cannot_turn_it():
    def lost(dataset, setting, algorithm, score):
        return 0.01 if algorithm == "PKO+HSC" and dataset in ("orl", "yaleb", "usps", "iris", "corel") else score

    assert (
        judge(full(["clean", "noise"], lost), gains_from=no_gains)["most-noise-levels"].verdict == Verdict.CONTRADICTED
    )
    part = [row for row in full(["clean", "noise"], lost) if row["dataset"] in ("orl", "usps", "mnist")]
    assert judge(part, gains_from=no_gains)["most-noise-levels"].verdict == Verdict.UNDECIDED


def test_insensitive_needs_all_sets_and_a_small_range():
    base = [row for row in full(["clean"]) if row["algorithm"] == "PKO+HSC"]

    def verdict(values, name="weights"):
        return judge(base + sweep(values, name), gains_from=no_gains)[f"insensitive-{name}"].verdict

    flat = {name: [0.5, 0.52, 0.51] for name in published.DATASETS}
    assert verdict(flat) == Verdict.CONFIRMED
    assert verdict({**flat, "yaleb": [0.3, 0.6]}) == Verdict.CONTRADICTED
    assert verdict({"orl": [0.5, 0.5]}) == Verdict.UNDECIDED
    assert verdict({"orl": [0.5, 0.5], "usps": [0.5, 0.5]}, "communities") == Verdict.CONFIRMED


def test_time_on_usps_and_scaling():
    rows = [row | {"n_samples": n} for row, n in zip(full(["clean"]), _sizes(), strict=True)]
    for row in rows:
        row.update(wall_seconds=20.0 * (row["n_samples"] / 9298) ** 2, shared_seconds=0.0)
    found = judge(rows, gains_from=no_gains)
    assert found["quadratic"].verdict == Verdict.CONFIRMED
    assert found["usps-time"].verdict == Verdict.CONFIRMED
    for row in rows:
        row.update(wall_seconds=200.0 * (row["n_samples"] / 9298) ** 3)
    found = judge(rows, gains_from=no_gains)
    assert found["quadratic"].verdict == Verdict.CONTRADICTED
    assert found["usps-time"].verdict == Verdict.CONTRADICTED


def _sizes():
    sizes = {"orl": 400, "yaleb": 2432, "usps": 9298, "mnist": 2000, "iris": 150, "traj": 2500, "corel": 1000}
    return [sizes[row["dataset"]] for row in full(["clean"])]


@pytest.mark.parametrize(("noise", "expected"), [(0.0, Verdict.CONFIRMED), (1.0, Verdict.CONTRADICTED)])
def test_closest_to_truth(noise, expected):
    truth = np.kron(np.eye(2), np.ones((2, 2)))
    similarities = {
        "A: pairwise": truth + 0.5,
        "A and B: pairwise + kNN": truth + 0.4,
        "S: all three": truth + 0.1 + noise,
    }
    matrices = Matrices("orl", 0.4, 0.6, 0.2, truth, similarities)
    assert judge(full(["clean"]), matrices, no_gains)["closest-to-truth"].verdict == expected
