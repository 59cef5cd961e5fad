"""Section "The paper's claims": each with a criterion that does not depend on the outcome, and a verdict.

A claim about all results can be contradicted by some of them, but confirmed only by all; a claim about an average needs
every dataset of the paper's average. :func:`judge` gives the verdicts as printed, :func:`with_readings` what other
readings of the paper make of them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd

from hypercut.benchmark.matrices import NAMES, Matrices
from hypercut.paper import published
from hypercut.paper.forensics import average_gain
from hypercut.paper.protocol import RECONSTRUCTIONS, SIMILARITY_DATASET
from hypercut.paper.readings import COUNTED
from hypercut.report.bootstrap import interval, resampled_gains
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import EXPERIMENT_NAMES, METRIC_NAMES, experiment_settings, pair_name
from hypercut.report.outcomes import TIE, compare, outcome
from hypercut.report.readings import FEWEST_FOR_VERDICT, NOISE_CLAIMS, ReadingScores
from hypercut.report.render.page import Section
from hypercut.report.render.table import Table, counted, number, text_rows
from hypercut.report.sections.cost import clustering_costs, scaling_exponent
from hypercut.report.sections.gains import on_common_datasets, scope_scores
from hypercut.report.sections.published_figures import CUT_PAIR, difference_sentence
from hypercut.report.verdicts import Verdict, above_zero, decide, never_lower

#: "Not very sensitive" allows this range of NMI over a sweep, on every dataset.
INSENSITIVE = 0.05

#: Share of single levels that may be lost by chance without contradicting a claim.
CHANCE = 0.05

#: Exponents of processor time against N up to the first confirm N², above the second contradict it.
QUADRATIC, BEYOND_QUADRATIC = 2.3, 2.7

#: Multiples of the paper's running time, in wall time: up to the first confirms it, above the second contradicts it.
SAME_TIME, OTHER_TIME = 2.0, 10.0


TEXT = [
    "Each claim has a criterion that does not depend on the outcome. Scores are judged under the paper's protocol, σ "
    "chosen with the labels, on the paper's datasets that are real (or the generated trajectories) and complete. Costs "
    "are means over σ.",
    "Confirmed and contradicted: the criterion or its opposite is met. Undecided: all results are available, "
    "and neither is met. Not testable: results are missing that could decide. Depends on the reading: confirmed under "
    "some readings of the paper but not under all.",
]
READINGS_TEXT = (
    "Readings are run on clean data (those of the noise at level L5). A verdict under a reading therefore applies the "
    "part of the criterion for that setting, over the datasets that the reading has (at least "
    f"{FEWEST_FOR_VERDICT}). The count includes the results as printed and the readings of the kinds text and "
    "plausible that change PKO+HSC or a competitor of the claim."
)
#: The claims in few words.
SHORT = {
    "best-clean": "best on every clean set",
    "gain-clean": "gains on clean data",
    "most-noise-levels": "best at most noise levels",
    "best-noise": "best under noise",
    "gain-noise": "gains under noise",
    "every-outlier-level": "better under outliers",
    "gain-outlier": "gains under outliers",
    "size-of-gains": "size of the gains",
    "robust": "gains grow under noise",
    "component-knn": "kNN hypergraph helps",
    "component-overclustering": "over-clustering helps",
    "component-dhpc": "trace ratio helps",
    "component-cahsm": "beats RWDSM",
    "insensitive-weights": "insensitive to α and β",
    "insensitive-neighbors": "insensitive to k",
    "insensitive-communities": "insensitive to the number of communities",
    "closest-to-truth": "S closer to the truth than A and A + B",
    "quadratic": "time at most N²",
    "usps-time": "time on USPS",
}
#: Verdicts that say nothing about the claim.
NOT_DECIDED = (Verdict.UNDECIDED, Verdict.UNTESTABLE)
NOTHING_YET = "No comparable result yet."


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, its criterion and our verdict."""

    name: str
    """in links and files"""
    title: str
    source: str
    """where the paper makes it"""
    criterion: str
    verdict: Verdict
    finding: str
    """the numbers that decide"""
    reason: str = ""
    """why it is not testable"""
    readings: str = ""
    """in how many readings it holds, and which turn it"""


def judge(evidence: Evidence, gains: pd.DataFrame, matrices: Matrices | None = None) -> list[Claim]:
    """Return every claim with its verdict as printed; ``gains`` are those with σ chosen with the labels."""
    judged = judge_scores(evidence, gains)
    judged += [_insensitive(evidence, name) for name in SENSITIVITIES]
    judged += [_closest_to_truth(evidence, matrices), _quadratic(evidence), _usps_time(evidence)]
    return [claim if claim.verdict == Verdict.UNTESTABLE else replace(claim, reason="") for claim in judged]


def judge_scores(evidence: Evidence, gains: pd.DataFrame) -> list[Claim]:
    """Return the claims about scores of PKO+HSC and its competitors."""
    paper = gains[gains["scope"] == "paper"]
    # A gain over fewer datasets than the paper's decides nothing: the missing ones could reverse it.
    sets = paper["experiment"].map({name: len(published.datasets(name)) for name in published.EXPERIMENTS})
    paper = paper.assign(whole=(paper["n_datasets"] == sets).astype(bool))
    judged = [_best_everywhere(evidence, "clean"), _gain_positive(evidence, paper, "clean")]
    judged += [_most_levels(evidence), _best_everywhere(evidence, "noise"), _gain_positive(evidence, paper, "noise")]
    judged += [_every_outlier_level(evidence), _gain_positive(evidence, paper, "outlier")]
    judged += [_gains_reproduce(evidence, paper), _gain_grows(evidence)]
    judged += [_component(evidence, paper, name) for name in COMPONENTS]
    return judged


def _lacking(evidence: Evidence, experiments: Iterable[str], algorithms: Iterable[str]) -> str:
    """Return which results of the paper's datasets are missing, and why; "" if none."""
    standins: list[str] = []
    subsets: list[str] = []
    absent: dict[str, list[str]] = {}
    algorithms = set(algorithms)
    for dataset in published.DATASETS:
        runs = [name for name in experiments if dataset in published.datasets(name)]
        if evidence.kind(dataset) in ("stand-in", "own"):
            standins += [evidence.label(dataset)] if runs else []
            continue
        if dataset in evidence.facts.index and not evidence.facts.loc[dataset, "complete"]:
            subsets += [evidence.label(dataset)] if runs else []
            continue
        missing = [name for name in runs if not algorithms <= evidence.complete_algorithms(name, dataset)]
        if missing:
            where = ", ".join(EXPERIMENT_NAMES[name] for name in missing)
            absent.setdefault(where, []).append(published.DATASETS[dataset])
    not_run = [f"{', '.join(names)} ({where})" for where, names in absent.items()]
    parts = [("no real data", standins), ("only subsets", subsets), ("not run in full", not_run)]
    return "; ".join(f"{what}: {', '.join(names)}" for what, names in parts if names)


def _best_everywhere(evidence: Evidence, experiment: str) -> Claim:
    """Judge a claim about every dataset, competitor and metric: one clear loss contradicts it."""
    compared = compare(evidence.comparable_averages(experiment))
    results = list(compared[["dataset", "competitor", "outcome"]].itertuples(index=False, name=None))
    everywhere = "on every clean set" if experiment == "clean" else "averaged over the noise levels, on every dataset"
    return Claim(
        name=f"best-{experiment}",
        title=f"PKO+HSC has the highest NMI and purity {everywhere}.",
        source=f"Section 3.4, Table {published.EXPERIMENTS[experiment]}",
        criterion="It is lower than none of the seven competitors, on any dataset, in either metric; contradicted if "
        f"it is lower once by more than {TIE} and two standard errors.",
        verdict=never_lower(compared, len(published.datasets(experiment))),
        finding=_count_losses(results, evidence),
        reason=_lacking(evidence, [experiment], published.ALGORITHMS),
    )


def _count_losses(results: list[tuple[str, str, int]], evidence: Evidence) -> str:
    """Describe (dataset, competitor, outcome): how many wins, ties and losses, and the losses."""
    if not results:
        return NOTHING_YET
    marks = [result for *_, result in results]
    text = f"{marks.count(1)} wins, {marks.count(0)} ties, {marks.count(-1)} losses in {len(marks)} comparisons"
    lost: dict[str, set[str]] = {}
    for dataset, competitor, result in results:
        if result < 0:
            lost.setdefault(competitor, set()).add(dataset)
    where = [
        f"{name} on {', '.join(evidence.label(dataset) for dataset in evidence.datasets if dataset in lost[name])}"
        for name in published.COMPETITORS
        if name in lost
    ]
    return f"{text}; it loses to {'; '.join(where)}." if where else f"{text}."


def _comparable_levels(evidence: Evidence, experiment: str) -> Iterator[pd.DataFrame]:
    """Yield, per metric, the scores of the eight algorithms by dataset and level, where all eight were run."""
    for metric in published.METRICS:
        scores = evidence.level_scores(experiment, metric)
        if not set(published.ALGORITHMS) <= set(scores.columns):
            continue
        comparable = scores.index.isin(evidence.comparable_datasets(experiment), level="dataset")
        yield scores.loc[comparable, published.ALGORITHMS].dropna()


def _level_count(experiment: str) -> int:
    """Return the number of (dataset, level, metric) in the paper's figures."""
    return len(published.datasets(experiment)) * len(experiment_settings(experiment)) * len(published.METRICS)


def _most_levels(evidence: Evidence) -> Claim:
    best = judged = 0
    for scores in _comparable_levels(evidence, "noise"):
        best += int((scores[published.METHOD] >= scores.max(axis=1) - 1e-12).sum())
        judged += len(scores)
    expected = _level_count("noise")
    return Claim(
        name="most-noise-levels",
        title="PKO+HSC has the highest NMI and purity at most noise levels.",
        source="Section 3.4, figures of the noise curves",
        criterion="It has the highest mean of the eight algorithms in more than half of all datasets × 11 levels × 2 "
        "metrics; decided only if missing results could not reverse it.",
        verdict=decide(
            best > expected / 2,
            best + (expected - judged) < expected / 2,
            complete=judged == expected or best > expected / 2,
        ),
        finding=f"Highest in {best} of the {judged} comparisons that were run; the paper's figures have {expected}.",
        reason=_lacking(evidence, ["noise"], published.ALGORITHMS),
    )


def _every_outlier_level(evidence: Evidence) -> Claim:
    results = [
        (dataset, name, outcome(row[published.METHOD], row[name]))
        for scores in _comparable_levels(evidence, "outlier")
        for (dataset, _), row in scores.iterrows()
        for name in published.COMPETITORS
    ]
    losses = sum(result < 0 for *_, result in results)
    lower = sum(
        int(scores[published.COMPETITORS].gt(scores[published.METHOD] + 1e-12, axis=0).to_numpy().sum())
        for scores in _comparable_levels(evidence, "outlier")
    )
    expected = _level_count("outlier") * len(published.COMPETITORS)
    return Claim(
        name="every-outlier-level",
        title="PKO+HSC consistently has higher NMI and purity under outliers.",
        source="Section 3.4, figure of the outlier curves",
        criterion=f"It is lower in none of all {expected} comparisons (7 competitors, 4 datasets, 4 levels, 2 "
        f"metrics); contradicted if it is lower by more than {TIE} in more than {CHANCE:.0%}, since single levels are "
        "noisy.",
        verdict=decide(lower == 0, losses > CHANCE * expected, complete=len(results) == expected),
        finding=_count_losses(results, evidence),
        reason=_lacking(evidence, ["outlier"], published.ALGORITHMS),
    )


def _gain_positive(evidence: Evidence, paper: pd.DataFrame, experiment: str) -> Claim:
    rows = paper[(paper["experiment"] == experiment) & paper["competitor"].isin(published.COMPETITORS)]
    return Claim(
        name=f"gain-{experiment}",
        title=f"PKO+HSC gains on average over each of the seven competitors ({EXPERIMENT_NAMES[experiment]}).",
        source="Section 3.4, average gains",
        criterion="All 14 average gains (7 competitors, NMI and purity) over all of the paper's datasets have 95 % "
        "bootstrap intervals above zero; contradicted if one interval is below zero.",
        verdict=_above_zero(rows, len(published.COMPETITORS) * len(published.METRICS)),
        finding=_describe_gains(rows),
        reason=_lacking(evidence, [experiment], published.ALGORITHMS),
    )


def _above_zero(rows: pd.DataFrame, expected: int) -> Verdict:
    """Judge whether all ``expected`` intervals are above zero; only those over all datasets (``whole``) decide."""
    return above_zero(rows[rows["whole"]], expected)


def _describe_gains(rows: pd.DataFrame) -> str:
    if rows.empty:
        return NOTHING_YET
    worst = rows.loc[rows["ours"].idxmin()] if rows["ours"].notna().any() else rows.iloc[0]
    return (
        f"{_count_intervals(rows)}, over {counted(int(rows['n_datasets'].max()), 'dataset')}; smallest gain "
        f"{number(worst['ours'], 2, sign=True)} % ({METRIC_NAMES[worst['metric']]}, over {worst['competitor']})."
    )


def _count_intervals(rows: pd.DataFrame) -> str:
    above, below = int((rows["low"] > 0).sum()), int((rows["high"] < 0).sum())
    return f"{above} of {counted(int(rows['low'].notna().sum()), 'interval')} above zero, {below} below"


def _gains_reproduce(evidence: Evidence, paper: pd.DataFrame) -> Claim:
    known = paper[paper["published"].notna() & paper["low"].notna()]
    rows = known[known["whole"]]
    inside = int(((rows["low"] <= rows["published"]) & (rows["published"] <= rows["high"])).sum())
    total = len(published.METRICS) * len(published.EXPERIMENTS) * len(published.COMPETITORS)
    outside = len(rows) - inside
    return Claim(
        name="size-of-gains",
        title="The 42 published gains agree with ours.",
        source="Section 3.4, average gains",
        criterion="At least 90 % of the 42 published gains lie in our 95 % intervals over all of the paper's datasets; "
        "contradicted if more than half lie outside.",
        verdict=decide(inside >= 0.9 * total, outside > total / 2, complete=len(rows) == total),
        finding=f"{inside} of {len(rows)} lie inside, {outside} outside; {len(known) - len(rows)} more are over fewer "
        f"datasets, {total - len(known)} not run.",
        reason=_lacking(evidence, published.EXPERIMENTS, published.ALGORITHMS),
    )


#: The competitors that are not variants of PKO+HSC.
OTHER_METHODS = ["CSC", "NRSC", "RWDSM", "STSC"]


def _gain_grows(evidence: Evidence) -> Claim:
    """Judge robustness: the lead over other methods is larger under noise than on the clean sets."""
    experiments = ("clean", "noise")
    scores = {key: scope_scores(evidence, *key, "paper") for key in product(experiments, published.METRICS)}
    parts = []
    for metric, competitor in product(published.METRICS, OTHER_METHODS):
        clean, noise = (on_common_datasets(scores[experiment, metric], competitor) for experiment in experiments)
        both = clean.add_suffix("_clean").join(noise.add_suffix("_noise"), how="inner")
        if both.empty:
            continue
        c, n = (both[[f"ours_{name}", f"other_{name}"]].to_numpy().T for name in experiments)
        low, high = interval(resampled_gains(*n) - resampled_gains(*c), len(both))
        whole = len(both) == len(published.datasets("noise"))
        parts.append((average_gain(*n) - average_gain(*c), low, high, whole))
    table = pd.DataFrame(parts, columns=["growth", "low", "high", "whole"]).astype({"whole": bool})
    finding = NOTHING_YET
    if parts:
        least, most = (number(value, 1, sign=True) for value in (table["growth"].min(), table["growth"].max()))
        finding = f"From clean data to noise, gains change by {least} to {most} percentage points; "
        finding += f"{_count_intervals(table)}."
    return Claim(
        name="robust",
        title=f"PKO+HSC is more robust: its average gain over {', '.join(OTHER_METHODS)} grows under noise.",
        source="Abstract, Section 3.4 and conclusion",
        criterion=f"The average gain under noise minus that on the clean sets, over all of the paper's datasets, has a "
        f"95 % interval above zero over {', '.join(OTHER_METHODS)} in both metrics; contradicted if one interval is "
        "below. Outliers do not count: the paper has them on four datasets only.",
        verdict=_above_zero(table, len(OTHER_METHODS) * len(published.METRICS)),
        finding=finding,
        reason=_lacking(evidence, experiments, [published.METHOD, *OTHER_METHODS]),
    )


#: Parts of the method: the claim that each helps, and the competitor that lacks it.
COMPONENTS = {
    "knn": ("The kNN hypergraph helps: PKO+HSC beats PO+HSC on average.", "PO+HSC"),
    "overclustering": ("The over-clustering hypergraph helps: PKO+HSC beats PK+HSC on average.", "PK+HSC"),
    "dhpc": ("The trace ratio cuts better than the normalised cut: PKO+HSC beats PKO+NC on average.", "PKO+NC"),
    "cahsm": ("The context-aware similarity beats random-walk diffusion (RWDSM) under the same cut.", "RWDSM"),
}


def _component(evidence: Evidence, paper: pd.DataFrame, name: str) -> Claim:
    title, competitor = COMPONENTS[name]
    rows = paper[paper["competitor"] == competitor]
    means = [
        f"{pair_name((row.experiment, row.metric))} {number(row.ours, 2, sign=True)} %"
        + ("" if row.whole else f" (over {counted(row.n_datasets, 'dataset')})")
        for row in rows.itertuples()
    ]
    gains = f"Gain: {'; '.join(means)}." if means else NOTHING_YET
    # What the paper printed about the same two rows bears on how its evidence is read.
    printed = difference_sentence(published.METHOD, competitor) if (published.METHOD, competitor) == CUT_PAIR else ""
    return Claim(
        name=f"component-{name}",
        title=title,
        source="Sections 3.2 and 3.4",
        criterion=f"All six average gains over {competitor} (clean, noise, outliers; NMI, purity) over all of the "
        "paper's datasets have 95 % intervals above zero; contradicted if one interval is below.",
        verdict=_above_zero(rows, len(published.EXPERIMENTS) * len(published.METRICS)),
        finding=" ".join(filter(None, [gains, _as_reconstructed(evidence, competitor), printed])),
        reason=_lacking(evidence, published.EXPERIMENTS, [published.METHOD, competitor]),
    )


def _as_reconstructed(evidence: Evidence, competitor: str) -> str:
    """Say how a reconstruction scores next to its published figures; nothing for other competitors."""
    averages = evidence.comparable_averages("clean")
    ours = averages[(averages["algorithm"] == competitor) & (averages["metric"] == "nmi")].set_index("dataset")["mean"]
    if competitor not in RECONSTRUCTIONS or ours.empty:
        return ""
    paper = published.scores("clean", "nmi").loc[competitor, list(ours.index)]
    return (
        f"{competitor} is our reconstruction: its mean NMI on clean data is {number(ours.mean(), 3)}, published "
        f"{number(paper.mean(), 3)}."
    )


@dataclass(frozen=True)
class Sensitivity:
    """A claim that parameters hardly matter: on which datasets and over which values it is judged."""

    about: str
    source: str
    range: str
    """the values in words"""
    parameters: tuple[str, ...]
    datasets: Sequence[str]
    values: frozenset[tuple[float, ...]]
    """a sweep may have more"""


def _swept_count(sweep: str, parameter: str, about: str, source: str, range: str) -> Sensitivity:
    """Return a claim about a count, on the datasets and values of the paper's figure."""
    datasets, values = published.sensitivity_figure(sweep)
    exact = frozenset((float(value),) for value in values)
    return Sensitivity(about, source, range.format(", ".join(map(str, values))), (parameter,), datasets, exact)


_PAIRS = frozenset((float(alpha), float(beta)) for alpha, beta in published.WEIGHTS)
SENSITIVITIES = {
    "weights": Sensitivity(
        "the weights (α, β)",
        "Table 2",
        "the nine pairs of Table 2",
        ("alpha", "beta"),
        list(published.DATASETS),
        _PAIRS,
    ),
    "neighbors": _swept_count("neighbors", "n_neighbors", "the number of neighbours k", "figure over k", "k = {}"),
    "communities": _swept_count(
        "communities",
        "communities_per_cluster",
        "the number of communities",
        "figure over communities",
        "{} times K communities",
    ),
}


def _insensitive(evidence: Evidence, sweep: str) -> Claim:
    claimed = SENSITIVITIES[sweep]
    datasets = [name for name in claimed.datasets if evidence.comparable(name, "clean")]
    scores = {name: _swept(evidence, sweep, name) for name in datasets}
    judged = {name: found[found.index.isin(claimed.values)] for name, found in scores.items()}
    everything = datasets == claimed.datasets and all(set(found.index) == claimed.values for found in judged.values())
    ranges = [_range(found) for found in judged.values()]
    finding = _describe_ranges(evidence, judged)
    finding = f"Range of NMI: {finding}." if finding else "No comparable sweep yet."
    if any(len(scores[name]) > len(judged[name]) for name in datasets):
        finding += f" Over all values that were run: {_describe_ranges(evidence, scores)}."
    if sweep == "weights":
        printed = published.weight_scores("nmi")
        spans = (printed.max(axis=1) - printed.min(axis=1)).sort_values()
        finding += (
            f" The paper's own Table 2 spans {spans.iloc[-1]:.3f} on {published.DATASETS[spans.index[-1]]} and more "
            f"than {INSENSITIVE} on {int((spans > INSENSITIVE).sum())} of its 7 sets."
        )
    return Claim(
        name=f"insensitive-{sweep}",
        title=f"PKO+HSC is not very sensitive to {claimed.about}.",
        source=f"Section 3.4, {claimed.source}",
        criterion=f"The mean NMI varies by at most {INSENSITIVE} over {claimed.range}, on each of the "
        f"{len(claimed.datasets)} datasets that the paper shows; contradicted if it varies by more than that and two "
        "standard errors on one.",
        verdict=decide(
            all(width <= INSENSITIVE for width, _ in ranges),
            any(width - 2 * error > INSENSITIVE for width, error in ranges),
            complete=everything,
        ),
        finding=finding,
        reason=_lacking_values(evidence, claimed, judged),
    )


def _lacking_values(evidence: Evidence, claimed: Sensitivity, judged: Mapping[str, pd.DataFrame]) -> str:
    short = [name for name in claimed.datasets if name not in judged or set(judged[name].index) != claimed.values]
    return f"values not run, or no real data: {', '.join(evidence.label(name) for name in short)}" if short else ""


def _swept(evidence: Evidence, sweep: str, dataset: str) -> pd.DataFrame:
    """Return the ``mean`` NMI of a dataset and its standard ``error``, by the values of the swept parameters."""
    rows = evidence.sweeps[(evidence.sweeps["variation"] == sweep) & (evidence.sweeps["dataset"] == dataset)]
    values = rows.reindex(columns=list(SENSITIVITIES[sweep].parameters)).astype(float).round(9)
    rows = rows.reindex(columns=["nmi_mean", "nmi_std", "repeats"]).astype(float)
    scores = pd.DataFrame({"mean": rows["nmi_mean"], "error": rows["nmi_std"] / np.sqrt(rows["repeats"])})
    return scores.set_axis(pd.Index(list(values.itertuples(index=False, name=None)), tupleize_cols=False))


def _range(scores: pd.DataFrame) -> tuple[float, float]:
    """Return the range of the means and its standard error, which is 0 where repeats are too few to tell."""
    if len(scores) < 2:
        return 0.0, 0.0
    ends = scores.loc[[scores["mean"].idxmin(), scores["mean"].idxmax()]]
    return float(np.ptp(ends["mean"])), float(np.sqrt((ends["error"].fillna(0.0) ** 2).sum()))


def _describe_ranges(evidence: Evidence, scores: Mapping[str, pd.DataFrame]) -> str:
    return "; ".join(
        f"{evidence.label(name)} {_range(found)[0]:.3f} ({len(found)} values)"
        for name, found in scores.items()
        if len(found) > 1
    )


def _closest_to_truth(evidence: Evidence, matrices: Matrices | None) -> Claim:
    verdict, finding = Verdict.UNTESTABLE, "The similarity matrices were not computed."
    reason = _lacking(evidence, ["clean"], []) if matrices is not None else "not run: the similarity matrices"
    if matrices is not None:
        found = {symbol: matrices.alignment(symbol) for symbol in matrices.similarities}
        closest = found["S"] > max(found["A"], found["AB"])
        verdict = decide(closest, not closest, complete=True)
        if not evidence.comparable(SIMILARITY_DATASET, "clean"):
            verdict, reason = Verdict.UNTESTABLE, f"not the whole real set: {evidence.label(SIMILARITY_DATASET)}"
        parts = ", ".join(f"{NAMES[symbol]} {found[symbol]:.3f}" for symbol in ("A", "AB"))
        finding = f"Alignment with the truth of {evidence.label(SIMILARITY_DATASET)}: S {found['S']:.3f}; {parts}."
        finding += _alone(found)
    return Claim(
        name="closest-to-truth",
        title="On ORL, S is closer to the ground truth than A and A + B, the other matrices of the paper's figure.",
        source="Section 2.1, figure of the similarity matrices",
        criterion="The cosine of S with the true same-class matrix, over all pairs, exceeds that of A and that of "
        "A + B. The paper shows neither B nor C alone, so they do not decide.",
        verdict=verdict,
        finding=finding,
        reason=reason,
    )


def _alone(found: Mapping[str, float]) -> str:
    """Say how close to the truth B and C are by themselves, which the paper does not show."""
    alone = {symbol: found[symbol] for symbol in ("B", "C") if symbol in found}
    if not alone:
        return ""
    values = ", ".join(f"{NAMES[symbol]} {value:.3f}" for symbol, value in alone.items())
    closer = [NAMES[symbol] for symbol, value in alone.items() if value > found["S"]]
    return f" Alone: {values}." + (f" Closer than S: {' and '.join(closer)}." if closer else "")


def _quadratic(evidence: Evidence) -> Claim:
    exponent, span = scaling_exponent(evidence, published.METHOD)
    return Claim(
        name="quadratic",
        title="The time of PKO+HSC grows at most as N².",
        source="Section 3.1, complexity analysis",
        criterion=f"The exponent of processor time against N is at most {QUADRATIC}; contradicted above "
        f"{BEYOND_QUADRATIC}. It needs at least four clean sets, no stand-ins, that span a factor of 10. A rough "
        "measure, since K and the number of features differ too.",
        verdict=decide(exponent <= QUADRATIC, span >= 10 and exponent > BEYOND_QUADRATIC, complete=span >= 10),
        finding=f"Exponent {exponent:.2f} of processor time, over N that span a factor of {span:.0f}."
        if np.isfinite(exponent)
        else "Too few datasets.",
        reason="not run: clean sets that span a factor of 10 in N",
    )


def _usps_time(evidence: Evidence) -> Claim:
    rows = clustering_costs(evidence)
    rows = rows[(rows["dataset"] == "usps") & (rows["algorithm"] == published.METHOD)]
    verdict, finding = Verdict.UNTESTABLE, "USPS was not run in full."
    if len(rows) and evidence.comparable("usps", "clean"):
        wall, cpu = rows[["wall_seconds", "cpu_seconds"]].iloc[0]
        factor = wall / published.USPS_SECONDS
        verdict = decide(factor <= SAME_TIME, factor > OTHER_TIME, complete=True)
        finding = (
            f"{wall:.1f} s of wall time ({cpu:.1f} s of processor time) on our machine, {published.USPS_SECONDS} s in "
            "the paper."
        )
    return Claim(
        name="usps-time",
        title=f"PKO+HSC takes at most about {published.USPS_SECONDS} seconds on USPS (N = 9298).",
        source="Section 3.1, complexity analysis",
        criterion=f"It takes at most {SAME_TIME:g} times as long on our machine, in wall time including the "
        f"communities; contradicted above {OTHER_TIME:g} times.",
        verdict=verdict,
        finding=finding,
        reason=_lacking(evidence, ["clean"], []) or "not run: USPS (clean)",
    )


def with_readings(
    claims: Sequence[Claim], under: ReadingScores, nearest: Mapping[str, Verdict], gains: pd.DataFrame | None = None
) -> list[Claim]:
    """Return the claims with what other readings make of them.

    ``nearest`` are the verdicts and ``gains`` the average gains of the nearest reading at the full protocol. A claim
    depends on the reading if it is confirmed under some of them but not under all.
    """
    return [_with_readings(claim, under, nearest.get(claim.name, Verdict.UNTESTABLE), gains) for claim in claims]


def _with_readings(claim: Claim, under: ReadingScores, in_full: Verdict, gains: pd.DataFrame | None) -> Claim:
    """``in_full`` is the verdict of the reading that is run at the full protocol, by the whole criterion."""
    tested = under.testable(claim=claim.name)
    tested = tested[tested["counts"].astype(bool)]
    nearest = under.evidence.nearest
    sentences, verdicts = [], []
    if nearest and nearest.kind in COUNTED and in_full != Verdict.UNTESTABLE:
        tested = tested[tested["reading"] != nearest.name]  # the whole criterion supersedes its part
        verdicts.append(in_full)
        found = _range_of_gains(claim.name, gains)
        if in_full != claim.verdict or found:
            sentences.append(f"At the full protocol under {nearest.name}: {in_full}{found}.")
    # A reading that says on clean data only what the whole criterion says turns nothing.
    turned = tested[(tested["verdict"] != tested["as_printed"]) & (tested["verdict"] != claim.verdict)]
    verdicts += list(turned["verdict"])
    if len(tested):
        sentences.append(_count_readings(claim, tested, turned))
    depends = claim.verdict != Verdict.UNTESTABLE and any(_holds(it) != _holds(claim.verdict) for it in verdicts)
    if depends:
        sentences.insert(0, f"As printed: {claim.verdict}.")
    return replace(claim, verdict=Verdict.DEPENDS if depends else claim.verdict, readings=" ".join(sentences))


def _range_of_gains(claim: str, gains: pd.DataFrame | None) -> str:
    """Return the range of the gains over the competitor of a component; nothing for other claims."""
    component = COMPONENTS.get(claim.removeprefix("component-"))
    if component is None or gains is None:
        return ""
    found = gains.loc[(gains["scope"] == "paper") & (gains["competitor"] == component[1]), "ours"]
    if found.empty:
        return ""
    return f", gains from {number(found.min(), 1, sign=True)} to {number(found.max(), 1, sign=True)} %"


def _holds(verdict: Verdict) -> bool:
    return verdict == Verdict.CONFIRMED


def _count_readings(claim: Claim, tested: pd.DataFrame, turned: pd.DataFrame) -> str:
    """Say in how many readings a claim holds, what it is in the others, and which turn it."""
    widest = tested.loc[tested["datasets"].idxmax()]
    counts = pd.Series([widest["as_printed"], *tested["verdict"]]).value_counts()
    others = [f"{it} in {counts[it]}" for it in Verdict if it in counts and not _holds(it)]
    parts = [f"{', '.join(rows['reading'])} ({verdict})" for verdict, rows in turned.groupby("verdict", sort=False)]
    where = "Noise L5" if claim.name in NOISE_CLAIMS else "Clean data"
    rests = sorted(set(tested["datasets"]))
    datasets = counted(rests[0], "dataset") if len(rests) == 1 else f"{rests[0]} to {rests[-1]} datasets"
    holds = f"holds in {counts.get(Verdict.CONFIRMED, 0)} of {len(tested) + 1} readings"
    remaining = f" ({', '.join(others)})" if others else ""
    return f"{where}, {datasets}: {holds}{remaining}; turned by: {'; '.join(parts) or 'none'}."


def claim_table(claims: Sequence[Claim]) -> Table:
    """Return the verdicts as a table, which is a file only: the page shows the claims as text."""
    columns = ["claim", "verdict", "reason", "readings", "finding", "criterion", "source"]
    rows = [[it.title, str(it.verdict), it.reason, it.readings, it.finding, it.criterion, it.source] for it in claims]
    data = pd.DataFrame(rows, columns=columns)
    data.insert(0, "name", [claim.name for claim in claims])
    caption = "The paper's claims and our verdicts."
    return Table("claims", "The paper's claims", caption, columns, text_rows(rows), data, numeric=False)


def section(claims: Sequence[Claim]) -> Section:
    """Return the section: the claims that are decided, then, folded, the others."""
    text = [*TEXT, READINGS_TEXT] if any(claim.readings for claim in claims) else TEXT
    decided = [claim for claim in claims if claim.verdict not in NOT_DECIDED]
    undecided = [claim for claim in claims if claim.verdict in NOT_DECIDED]
    return Section("claims", "The paper's claims", text, claims=decided, undecided=undecided)
