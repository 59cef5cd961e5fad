"""Whether our results support the claims of the paper.

``paper/claims.toml`` has the claims with their criteria. Each kind of criterion has a function here, see
:data:`CRITERIA`, that returns the verdict and the numbers that decide. A claim about all results can be contradicted by
some of them, but confirmed only by all; a claim about an average needs every dataset of the paper's average.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from hypercut.analysis.costs import clustering_costs, scaling_exponent
from hypercut.analysis.evidence import Evidence
from hypercut.analysis.experiments import experiment_settings
from hypercut.analysis.gains import gain, on_common_datasets, scope_scores
from hypercut.analysis.outcomes import compare, outcome
from hypercut.analysis.readings import ReadingScores
from hypercut.analysis.verdicts import Verdict, above_zero, decide, never_lower
from hypercut.paper import published
from hypercut.paper.claims import Claim, claims
from hypercut.paper.protocol import SIMILARITY_DATASET
from hypercut.paper.readings import COUNTED
from hypercut.results.matrices import Matrices

#: The exponent of time needs datasets that span this factor in N.
FEWEST_SPAN = 10

Judged = tuple[Verdict, Any]
"""a verdict and the numbers that decide, None without any"""


@dataclass(frozen=True)
class Results:
    """What the criteria are applied to."""

    evidence: Evidence
    gains: pd.DataFrame
    """over the paper's datasets, σ chosen with the labels; ``whole``: over all of them"""
    matrices: Matrices | None


@dataclass(frozen=True)
class Judgement:
    """The verdict on a claim."""

    claim: Claim
    verdict: Verdict
    found: Any
    """the numbers that decide, as the function of the criterion describes"""
    as_printed: Verdict
    """without the other readings of the paper"""
    tested: pd.DataFrame | None = None
    """the readings that can change the verdict; ``turned`` says which do"""
    nearest: "Judgement | None" = None
    """at the full protocol under the nearest reading"""


def judge(
    evidence: Evidence, gains: pd.DataFrame, matrices: Matrices | None = None, *, scores_only: bool = False
) -> list[Judgement]:
    """Return every claim with its verdict as printed; with ``scores_only``, the claims about competitors."""
    paper = gains[gains["scope"] == "paper"]
    # A gain over fewer datasets than the paper's decides nothing: the missing ones could reverse it.
    sets = paper["experiment"].map({name: len(published.datasets(name)) for name in published.EXPERIMENTS})
    results = Results(evidence, paper.assign(whole=(paper["n_datasets"] == sets).astype(bool)), matrices)
    judged = []
    for claim in claims().values():
        if claim.experiments or not scores_only:
            verdict, found = CRITERIA[claim.kind](claim, results)
            judged.append(Judgement(claim, verdict, found, verdict))
    return judged


# Criteria


def _never_lower(claim: Claim, results: Results) -> Judged:
    """Compare PKO+HSC with every competitor on every dataset; return the comparisons."""
    (experiment,) = claim.experiments
    compared = compare(results.evidence.comparable_averages(experiment), claim.competitors)
    return never_lower(compared, len(published.datasets(experiment))), compared


def _highest_at_most_levels(claim: Claim, results: Results) -> Judged:
    """Count at how many levels PKO+HSC is the ``best``, of those ``judged`` and of all in the paper's figures."""
    (experiment,) = claim.experiments
    best = judged = 0
    for scores in _comparable_levels(results.evidence, experiment):
        best += int((scores[published.METHOD] >= scores.max(axis=1) - 1e-12).sum())
        judged += len(scores)
    total = _level_count(experiment)
    is_most, cannot = best > total / 2, best + (total - judged) < total / 2
    verdict = decide(is_most, cannot, complete=judged == total or is_most)
    return verdict, {"best": best, "judged": judged, "total": total}


def _never_lower_at_a_level(claim: Claim, results: Results) -> Judged:
    """Compare PKO+HSC with every competitor at every level; return the comparisons.

    Single levels are noisy, so that a small share of losses does not contradict.
    """
    (experiment,) = claim.experiments
    rows = [
        [name, dataset, round(row[published.METHOD] - row[name], 12), outcome(row[published.METHOD], row[name])]
        for scores in _comparable_levels(results.evidence, experiment)
        for (dataset, _), row in scores.iterrows()
        for name in claim.competitors
    ]
    compared = pd.DataFrame(rows, columns=["competitor", "dataset", "difference", "outcome"])
    total = _level_count(experiment) * len(claim.competitors)
    lower, losses = bool((compared["difference"] < 0).any()), int((compared["outcome"] < 0).sum())
    return decide(not lower, losses > claim.contradicted * total, complete=len(compared) == total), compared


def _comparable_levels(evidence: Evidence, experiment: str) -> Iterator[pd.DataFrame]:
    """Yield, per metric, the scores of the eight algorithms by dataset and level, where all eight were run."""
    for metric in published.METRICS:
        scores = evidence.level_scores(experiment, metric)
        if set(published.ALGORITHMS) <= set(scores.columns):
            comparable = scores.index.isin(evidence.comparable_datasets(experiment), level="dataset")
            yield scores.loc[comparable, published.ALGORITHMS].dropna()


def _level_count(experiment: str) -> int:
    """Return the number of (dataset, level, metric) in the paper's figures."""
    return len(published.datasets(experiment)) * len(experiment_settings(experiment)) * len(published.METRICS)


def _gains_above_zero(claim: Claim, results: Results) -> Judged:
    """Return the gains over the claim's competitors."""
    chosen = results.gains["experiment"].isin(claim.experiments) & results.gains["competitor"].isin(claim.competitors)
    rows = results.gains[chosen]
    expected = len(claim.competitors) * len(claim.experiments) * len(published.METRICS)
    return above_zero(rows[rows["whole"]], expected), rows


def _published_gains_reproduce(claim: Claim, results: Results) -> Judged:
    """Return the gains with a published counterpart; ``inside`` says whether it lies in our interval."""
    known = results.gains[results.gains["published"].notna() & results.gains["low"].notna()]
    known = known.assign(inside=(known["low"] <= known["published"]) & (known["published"] <= known["high"]))
    inside = known.loc[known["whole"], "inside"]
    total = len(published.METRICS) * len(published.EXPERIMENTS) * len(claim.competitors)
    confirmed, contradicted = inside.sum() >= claim.confirmed * total, (~inside).sum() > claim.contradicted * total
    return decide(bool(confirmed), bool(contradicted), complete=len(inside) == total), known


def _gains_grow(claim: Claim, results: Results) -> Judged:
    """Return by how much the gains grow from the first to the second experiment (``ours``), with intervals."""
    rows = []
    for metric in published.METRICS:
        before, after = (scope_scores(results.evidence, name, metric, "paper") for name in claim.experiments)
        for competitor in claim.competitors:
            first, second = (on_common_datasets(scores, competitor) for scores in (before, after))
            both = first.add_suffix("_before").join(second, how="inner")
            if len(both):
                older, newer = (
                    (both[f"ours{end}"].to_numpy(), both[f"other{end}"].to_numpy()) for end in ("_before", "")
                )
                whole = len(both) == len(published.datasets(claim.experiments[1]))
                rows.append([metric, competitor, *gain(newer, since=older), whole])
    table = pd.DataFrame(rows, columns=["metric", "competitor", "ours", "low", "high", "whole"]).astype({"whole": bool})
    return above_zero(table[table["whole"]], len(claim.competitors) * len(published.METRICS)), table


def _insensitive(claim: Claim, results: Results) -> Judged:
    """Return, per dataset of the paper's table or figure, the range of NMI over its values and its standard error.

    ``all_range`` is over all values that were run; they do not decide.
    """
    datasets, values = claim.swept
    rows = []
    for dataset in datasets:
        scores = _swept(results.evidence, claim, dataset)
        if not results.evidence.comparable(dataset, "clean"):
            scores = scores[:0]
        judged = scores[scores.index.isin(values)]
        complete = set(judged.index) == values
        rows.append([dataset, len(judged), *_range(judged), complete, len(scores), _range(scores)[0]])
    table = pd.DataFrame(rows, columns=["dataset", "values", "range", "error", "complete", "all_values", "all_range"])
    confirmed = (table["range"] <= claim.confirmed).all()
    contradicted = (table["range"] - 2 * table["error"] > claim.confirmed).any()
    return decide(bool(confirmed), bool(contradicted), complete=bool(table["complete"].all())), table


def _swept(evidence: Evidence, claim: Claim, dataset: str) -> pd.DataFrame:
    """Return the ``mean`` NMI of a dataset and its standard ``error``, by the values of the swept parameters."""
    rows = evidence.sweeps[(evidence.sweeps["variation"] == claim.sweep) & (evidence.sweeps["dataset"] == dataset)]
    values = rows.reindex(columns=list(claim.parameters)).astype(float).round(9)
    rows = rows.reindex(columns=["nmi_mean", "nmi_std", "repeats"]).astype(float)
    scores = pd.DataFrame({"mean": rows["nmi_mean"], "error": rows["nmi_std"] / np.sqrt(rows["repeats"])})
    return scores.set_axis(pd.Index(list(values.itertuples(index=False, name=None)), tupleize_cols=False))


def _range(scores: pd.DataFrame) -> tuple[float, float]:
    """Return the range of the means and its standard error, which is 0 where repeats are too few to tell."""
    if len(scores) < 2:
        return 0.0, 0.0
    ends = scores.loc[[scores["mean"].idxmin(), scores["mean"].idxmax()]]
    return float(np.ptp(ends["mean"])), float(np.sqrt((ends["error"].fillna(0.0) ** 2).sum()))


def _closest_to_truth(claim: Claim, results: Results) -> Judged:
    """Return the alignment of each similarity matrix with the truth, by its symbol."""
    if results.matrices is None:
        return Verdict.UNTESTABLE, None
    found = {symbol: results.matrices.alignment(symbol) for symbol in results.matrices.similarities}
    if not results.evidence.comparable(SIMILARITY_DATASET, "clean"):
        return Verdict.UNTESTABLE, found
    closest = found["S"] > max(found["A"], found["AB"])
    return decide(closest, not closest, complete=True), found


def _exponent_of_time(claim: Claim, results: Results) -> Judged:
    """Return the exponent of processor time against N, and the factor that N spans."""
    exponent, span = scaling_exponent(results.evidence, published.METHOD)
    wide = span >= FEWEST_SPAN
    return decide(exponent <= claim.confirmed, wide and exponent > claim.contradicted, complete=wide), (exponent, span)


def _time_on_usps(claim: Claim, results: Results) -> Judged:
    """Return the seconds of wall time and of processor time."""
    rows = clustering_costs(results.evidence)
    rows = rows[(rows["dataset"] == "usps") & (rows["algorithm"] == published.METHOD)]
    if rows.empty or not results.evidence.comparable("usps", "clean"):
        return Verdict.UNTESTABLE, None
    wall, cpu = rows[["wall_seconds", "cpu_seconds"]].iloc[0]
    times = wall / published.USPS_SECONDS
    return decide(times <= claim.confirmed, times > claim.contradicted, complete=True), (wall, cpu)


#: Kind of a criterion → its function.
CRITERIA: Mapping[str, Callable[[Claim, Results], Judged]] = {
    "never lower": _never_lower,
    "highest at most levels": _highest_at_most_levels,
    "never lower at a level": _never_lower_at_a_level,
    "gains above zero": _gains_above_zero,
    "published gains reproduce": _published_gains_reproduce,
    "gains grow": _gains_grow,
    "insensitive": _insensitive,
    "closest to the truth": _closest_to_truth,
    "exponent of time": _exponent_of_time,
    "time on USPS": _time_on_usps,
}


# What is missing, and other readings


def lacking(evidence: Evidence, claim: Claim) -> dict[str, list[str]]:
    """Return the datasets of the paper, and the experiments, without all comparable results that a claim needs."""
    algorithms = {published.METHOD, *claim.competitors}
    found = {
        dataset: [
            name
            for name in claim.experiments
            if dataset in published.datasets(name) and not algorithms <= evidence.complete_algorithms(name, dataset)
        ]
        for dataset in published.DATASETS
    }
    return {dataset: names for dataset, names in found.items() if names}


def under_readings(
    judged: Iterable[Judgement], under: ReadingScores, nearest: Mapping[str, Judgement]
) -> list[Judgement]:
    """Return the judgements with what other readings make of them.

    ``nearest`` are the judgements of the nearest reading at the full protocol, by claim. A claim depends on the reading
    if it is confirmed under some readings but not under all.
    """
    return [_under_readings(it, under, nearest.get(it.claim.name)) for it in judged]


def _under_readings(judged: Judgement, under: ReadingScores, nearest: Judgement | None) -> Judgement:
    tested = under.testable(claim=judged.claim.name)
    tested = tested[tested["counts"].astype(bool)]
    reading = under.evidence.nearest
    verdicts = []
    counts = reading is not None and reading.kind in COUNTED
    if reading is None or not counts or nearest is None or nearest.verdict == Verdict.UNTESTABLE:
        nearest = None
    else:
        tested = tested[tested["reading"] != reading.name]  # the whole criterion supersedes its part
        verdicts.append(nearest.verdict)
    # A reading whose verdict on clean data is that of the whole criterion turns nothing.
    turned = (tested["verdict"] != tested["as_printed"]) & (tested["verdict"] != judged.verdict)
    verdicts += list(tested.loc[turned, "verdict"])
    holds = judged.verdict == Verdict.CONFIRMED
    depends = judged.verdict != Verdict.UNTESTABLE and any((it == Verdict.CONFIRMED) != holds for it in verdicts)
    verdict = Verdict.DEPENDS if depends else judged.verdict
    return replace(judged, verdict=verdict, tested=tested.assign(turned=turned), nearest=nearest)
