"""Each verdict, on results that confirm a claim, contradict it or leave it open."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from hypercut.analysis import gains
from hypercut.analysis.claims import CRITERIA, judge, lacking
from hypercut.analysis.evidence import Evidence
from hypercut.analysis.experiments import experiment_settings
from hypercut.analysis.verdicts import Verdict, decide
from hypercut.paper import published
from hypercut.paper.claims import claims
from hypercut.report.findings import current_matrices
from hypercut.report.sections.claims import described, numbers_in_words
from hypercut.results.matrices import NAMES, Matrices, result_digest, save_matrices
from tests import rows as fake

SWEEPS = {claim.sweep: claim for claim in claims().values() if claim.sweep}


def judged(rows, matrices=None, gains_from=gains.average_gains):
    evidence = Evidence(fake.frame(rows), fake.run())
    return {it.claim.name: it for it in judge(evidence, gains_from(evidence), matrices)}


def numbers(judgement):
    """Return the decision at the stated sizes."""
    return judgement.sizes["stated"].numbers


def no_gains(_):
    """Return no gains: they take most of the time, and these claims do not use them."""
    return pd.DataFrame(columns=gains.COLUMNS)


def full(experiments=("clean", "noise", "outlier"), change=None):
    """All sets, levels and algorithms of the paper with its averages, or what ``change`` makes of a score."""
    rows = []
    for experiment in experiments:
        nmi, purity = (published.scores(experiment, metric) for metric in published.METRICS)
        for setting in experiment_settings(experiment)[0 if experiment == "clean" else 1 :]:
            for dataset in published.datasets(experiment):
                for algorithm in published.ALGORITHMS:
                    printed = nmi.loc[algorithm, dataset]
                    score = change(dataset, setting, algorithm, printed) if change else printed
                    given = {"purity": purity.loc[algorithm, dataset]} if score == printed else {}
                    rows.append(fake.row(dataset, setting, algorithm, score, **given))
    return rows


def sweep(values, name="weights"):
    """Return a sweep over the values of the claim, or over as many as there are scores."""
    claim = SWEEPS[name]
    return [
        fake.sweep_row(dataset, name, score, **dict(zip(claim.parameters, value, strict=True)))
        for dataset, scores in values.items()
        for value, score in zip(sorted(claim.swept[1]), scores, strict=False)
    ]


def test_a_contradiction_prevails_and_only_complete_results_confirm():
    assert decide(True, True, complete=False) == Verdict.CONTRADICTED
    assert decide(True, False, complete=False) == Verdict.UNTESTABLE
    assert decide(True, False, complete=True) == Verdict.CONFIRMED
    assert decide(False, False, complete=True) == Verdict.UNDECIDED


def test_every_kind_of_criterion_has_a_function_and_a_description():
    assert {claim.kind for claim in claims().values()} == set(CRITERIA)
    evidence = Evidence(fake.frame(full(["clean"])), fake.run())
    for claim in described(evidence, judge(evidence, gains.average_gains(evidence))):
        assert claim.finding.endswith(".")
        assert ("Not run in full" in claim.finding) == (claim.verdict == Verdict.UNTESTABLE)


def test_the_numbers_that_decide_are_those_that_the_criterion_states():
    for claim in claims().values():
        for number in (claim.confirmed, claim.contradicted):
            if number == number and claim.kind != "published gains reproduce":
                text = f"{number:.0%}" if claim.kind == "never lower at a level" else f"{number:g}"
                assert text in claim.criterion


def test_variants_are_the_papers_own_range_and_the_competitors_that_are_no_variants():
    ranges = np.ptp(published.weight_scores("nmi").to_numpy(), axis=1)
    for sweep, claim in SWEEPS.items():
        limits = {it.confirmed for it in claim.variants.values()} - {claim.confirmed}
        assert limits == {round(ranges.max(), 4)}, sweep
    (without_c,) = [pair for pair in published.WEIGHTS if sum(pair) == 1]
    assert {it.omitted for it in SWEEPS["weights"].variants.values()} == {(), (without_c,)}
    others = tuple(name for name in published.COMPETITORS if name not in published.VARIANTS)
    assert [it.competitors for it in claims()["gain-clean"].variants.values()] == [others]


def test_variants_are_judged_and_decide_nothing():
    """Below PKO+NC alone, which is a claim of its own."""
    claim = judged(full(["clean"], lambda d, s, a, score: {"PKO+HSC": 0.6, "PKO+NC": 0.7}.get(a, 0.5)))["gain-clean"]
    assert claim.verdict == Verdict.CONTRADICTED
    assert list(claim.sizes["stated"].variants.values()) == [Verdict.CONFIRMED]
    assert "the fact that decides “trace ratio helps”" in numbers_in_words(claim)
    drops_c = {name: [0.5] * 8 + [0.2 if name == "orl" else 0.5] for name in published.DATASETS}
    pairs = [*sorted(set(published.WEIGHTS) - {(0.6, 0.4)}), (0.6, 0.4)]
    rows = [
        fake.sweep_row(dataset, "weights", score, alpha=alpha, beta=beta)
        for dataset, scores in drops_c.items()
        for (alpha, beta), score in zip(pairs, scores, strict=True)
    ]
    found = insensitive(rows).sizes["stated"]
    assert found.verdict == Verdict.CONTRADICTED
    assert list(found.variants.values()) == [Verdict.CONTRADICTED, Verdict.CONFIRMED, Verdict.CONFIRMED]


def test_the_papers_own_figures_confirm_its_claims():
    found = judged(full())
    confirmed = {name for name, judgement in found.items() if judgement.verdict == Verdict.CONFIRMED}
    assert confirmed >= {
        *("best-clean", "best-noise", "most-noise-levels", "every-outlier-level"),
        *("gain-clean", "gain-noise", "gain-outlier", "component-cahsm", "component-dhpc"),
    }


def test_one_clear_loss_contradicts_a_claim_about_all_and_what_was_not_run_leaves_it_open():
    rows = full(["clean"], lambda d, _, a, score: 0.99 if (d, a) == ("orl", "CSC") else score)
    lost = judged(rows, gains_from=no_gains)["best-clean"]
    assert lost.verdict == Verdict.CONTRADICTED
    losses = numbers(lost).query("outcome < 0")
    assert set(zip(losses["dataset"], losses["competitor"], strict=True)) == {("orl", "CSC")}
    found = judged([row for row in full(["clean"]) if row["dataset"] != "corel"], gains_from=no_gains)
    assert found["best-clean"].verdict == found["most-noise-levels"].verdict == Verdict.UNTESTABLE


def test_stand_ins_decide_nothing():
    rows = [row | {"data_kind": "stand-in", "nmi": 0.0} for row in full(["clean"])]
    assert {it.verdict for it in judged(rows).values()} == {Verdict.UNTESTABLE}


def test_gain_below_zero_contradicts_and_across_zero_leaves_open():
    worse = judged(full(["clean"], lambda d, s, a, score: 0.8 * score if a == "PKO+HSC" else score))
    assert worse["gain-clean"].verdict == Verdict.CONTRADICTED
    mixed = {"orl": 1.3, "usps": 0.7, "iris": 0.7}
    open_ = judged(full(["clean"], lambda d, s, a, score: mixed.get(d, 1) * score if a == "PKO+HSC" else score))
    assert open_["gain-clean"].verdict == Verdict.UNDECIDED


@pytest.mark.parametrize("score", [0.9, 0.1])
def test_averages_over_part_of_the_datasets_decide_nothing(score):
    """Four of the paper's sets decide nothing, however far PKO+HSC is ahead or behind."""

    def change(dataset, setting, algorithm, _):
        # The lead is not the same everywhere: it grows, or falls, under noise.
        ours = (0.5 + score) / 2 if setting == "clean" else score
        return ours if algorithm == "PKO+HSC" else 0.5

    found = judged([row for row in full(change=change) if row["dataset"] in ("orl", "usps", "mnist", "iris")])
    about = [it for it in found.values() if "gains" in it.claim.kind]
    assert len(about) == 9
    assert {it.verdict for it in about} == {Verdict.UNTESTABLE}


def test_robustness_is_the_growth_of_the_gains_under_noise():
    def change(dataset, setting, algorithm, _):
        return (0.6 if setting == "clean" else 0.7) if algorithm == "PKO+HSC" else 0.5

    claim = judged(full(["clean", "noise"], change))["robust"]
    assert claim.verdict == Verdict.CONFIRMED
    # Under noise, the mean is over eleven levels, including the clean data.
    assert numbers(claim)["ours"].tolist() == pytest.approx([100 * (0.6 + 10 * 0.7) / (11 * 0.5) - 120] * 8)


def test_gains_of_the_papers_size_need_all_of_them():
    def as_printed(evidence, count=42):
        rows = gains.average_gains(evidence)
        rows = rows[rows["scope"] == "paper"].assign(published=lambda t: t["ours"], low=-99.0, high=99.0)
        return rows[:count]

    assert judged(full(), gains_from=as_printed)["size-of-gains"].verdict == Verdict.CONFIRMED
    fewer = judged(full(), gains_from=lambda evidence: as_printed(evidence, 40))
    assert fewer["size-of-gains"].verdict == Verdict.UNTESTABLE


def test_most_levels_is_decided_once_the_rest_cannot_turn_it():
    def lost(dataset, setting, algorithm, score):
        return 0.01 if algorithm == "PKO+HSC" and dataset in ("orl", "yaleb", "usps", "iris", "corel") else score

    rows = full(["clean", "noise"], lost)
    assert judged(rows, gains_from=no_gains)["most-noise-levels"].verdict == Verdict.CONTRADICTED
    part = [row for row in rows if row["dataset"] in ("orl", "usps", "mnist")]
    assert judged(part, gains_from=no_gains)["most-noise-levels"].verdict == Verdict.UNTESTABLE


def test_lower_within_a_tie_is_neither_the_highest_nor_a_loss():
    """PKO+HSC is on average 0.005 below CSC on Iris, and above all other methods everywhere."""

    def change(dataset, setting, algorithm, score):
        if algorithm == "PKO+HSC":
            return 0.9
        return 0.905 if (dataset, algorithm) == ("iris", "CSC") else 0.5

    found = judged(full(change=change), gains_from=no_gains)
    names = ("best-clean", "best-noise", "every-outlier-level")
    assert [found[name].verdict for name in names] == [Verdict.UNDECIDED, Verdict.UNDECIDED, Verdict.CONFIRMED]


def insensitive(rows, name="weights"):
    """Judge the claim about a sweep: every dataset, every value, and a small range."""
    base = [row for row in full(["clean"]) if row["algorithm"] == "PKO+HSC"]
    return judged(base + rows, gains_from=no_gains)[f"insensitive-{name}"]


@pytest.mark.parametrize("name", SWEEPS)
def test_all_datasets_and_values_of_a_sweep_confirm_and_two_values_of_one_dataset_can_contradict(name):
    datasets, values = SWEEPS[name].swept
    flat = {dataset: [0.5, 0.52, *[0.51] * (len(values) - 2)] for dataset in datasets}
    assert insensitive(sweep(flat, name), name).verdict == Verdict.CONFIRMED
    # One value less, or one dataset less.
    assert insensitive(sweep(flat, name)[:-1], name).verdict == Verdict.UNTESTABLE
    fewer = {dataset: flat[dataset] for dataset in datasets[1:]}
    assert insensitive(sweep(fewer, name), name).verdict == Verdict.UNTESTABLE
    assert insensitive(sweep({"orl": [0.3, 0.6]}, name), name).verdict == Verdict.CONTRADICTED


@pytest.mark.parametrize(
    ("spread", "expected"), [(0.0, Verdict.CONTRADICTED), (0.01, Verdict.CONTRADICTED), (0.1, Verdict.UNDECIDED)]
)
def test_a_range_within_the_noise_of_repeats_does_not_contradict(spread, expected):
    """0.08 on ORL: more than allowed, but not by two standard errors if the repeats differ."""
    means = {dataset: [0.5] * 9 for dataset in published.DATASETS} | {"orl": [0.5] * 8 + [0.58]}
    rows = [
        row | {"repeat": repeat, "nmi": row["nmi"] + (repeat - 0.5) * spread}
        for row in sweep(means)
        for repeat in range(2)
    ]
    claim = insensitive(rows)
    assert claim.verdict == expected
    assert numbers(claim).set_index("dataset")["range"]["orl"] == pytest.approx(0.08)


def test_weights_that_table_2_does_not_have_are_reported_and_do_not_decide():
    flat = sweep({dataset: [0.5] * 9 for dataset in published.DATASETS})
    claim = insensitive([*flat, fake.sweep_row("orl", "weights", 0.1, alpha=0.0, beta=0.0)])
    assert claim.verdict == Verdict.CONFIRMED
    found = numbers(claim).set_index("dataset").loc["orl"]
    assert (found["values"], found["all_values"], found["all_range"]) == (9, 10, pytest.approx(0.4))


def test_the_full_benchmark_has_the_values_of_the_claims():
    sweeps = yaml.safe_load((Path(__file__).parents[2] / "config.yaml").read_text())["sweeps"]
    for name, claim in SWEEPS.items():
        values = [value if isinstance(value, list) else [value] for value in sweeps[name]]
        assert claim.swept[1] <= set(map(tuple, values))


def test_processor_time_decides_about_growth_and_wall_time_about_the_seconds_on_usps():
    sizes = {"orl": 400, "yaleb": 2432, "usps": 9298, "mnist": 2000, "iris": 150, "traj": 2500, "corel": 1000}

    def verdicts(cpu, wall):
        rows = [row | {"n_samples": sizes[row["dataset"]], "shared_seconds": 0.0} for row in full(["clean"])]
        for row in rows:
            row.update(cpu_seconds=cpu(row["n_samples"] / 9298), wall_seconds=wall(row["n_samples"] / 9298))
        found = judged(rows, gains_from=no_gains)
        return found["quadratic"], found["usps-time"]

    growth, usps = verdicts(cpu=lambda size: 200 * size**2, wall=lambda size: 20 * size**3)
    assert (growth.verdict, usps.verdict) == (Verdict.CONFIRMED, Verdict.CONFIRMED)
    assert numbers(growth) == (pytest.approx(2), pytest.approx(9298 / 150))
    assert numbers(usps) == (pytest.approx(20), pytest.approx(200))
    growth, usps = verdicts(cpu=lambda size: 20 * size**3, wall=lambda size: 200 * size**2)
    assert (growth.verdict, usps.verdict) == (Verdict.CONTRADICTED, Verdict.CONTRADICTED)


def matrices(noise=0.0):
    truth = np.kron(np.eye(2), np.ones((2, 2)))
    similarities = {"A": truth + 0.5, "AB": truth + 0.4, "S": truth + 0.1 + noise}
    return Matrices(0.4, 0.6, 0.2, "", np.array([0, 0, 1, 1]), similarities)


@pytest.mark.parametrize(("noise", "expected"), [(0.0, Verdict.CONFIRMED), (1.0, Verdict.CONTRADICTED)])
def test_closest_to_truth_is_about_the_whole_real_set(noise, expected):
    rows = full(["clean"])
    assert judged(rows, matrices(noise), no_gains)["closest-to-truth"].verdict == expected
    for other in ({"data_kind": "stand-in"}, {"complete": False}):
        changed = [row | (other if row["dataset"] == "orl" else {}) for row in rows]
        assert judged(changed, matrices(noise), no_gains)["closest-to-truth"].verdict == Verdict.UNTESTABLE


def test_what_is_lacking_is_named_with_its_experiments():
    rows = [row for row in full() if (row["dataset"], row["setting"]) != ("yaleb", "noise-L3")]
    rows = [row | ({"data_kind": "stand-in"} if row["dataset"] == "corel" else {}) for row in rows]
    rows = [row | ({"complete": False} if row["dataset"] == "iris" else {}) for row in rows]
    evidence = Evidence(fake.frame(rows), fake.run())
    both = ["clean", "noise"]
    assert lacking(evidence, claims()["robust"]) == {"yaleb": ["noise"], "iris": both, "corel": both}
    assert lacking(evidence, claims()["gain-outlier"]) == {}


@pytest.mark.parametrize("changed", [{}, {"code": "other"}, {"data": "other"}, {"parameters": '{"alpha": 0.1}'}])
def test_similarity_matrices_of_other_results_are_stale(tmp_path, changed):
    path = tmp_path / "similarity.npz"
    table = fake.frame([fake.row("orl", "clean", "PKO+HSC", 0.8)])
    similarities = dict.fromkeys(NAMES, np.eye(4))
    save_matrices(path, replace(matrices(), similarities=similarities, result=result_digest(table)))
    found = current_matrices(Evidence(table.assign(**changed), fake.run()), path)
    assert (found is None) == bool(changed)
