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
from hypercut.analysis.evidence import INDICATED, SIZES, STATED, Evidence
from hypercut.analysis.experiments import experiment_settings
from hypercut.analysis.gains import gains_over, paper_gains, scope_scores
from hypercut.analysis.outcomes import compare, outcome
from hypercut.analysis.readings import ReadingScores
from hypercut.analysis.verdicts import Verdict, above_zero, decide, mostly_highest, never_lower, rarely_lower
from hypercut.paper import published
from hypercut.paper.claims import Claim, claims
from hypercut.paper.protocol import SIMILARITY_DATASET
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
class Finding:
    """The verdict on a claim at one size of the datasets, as printed."""

    verdict: Verdict
    numbers: Any
    """those that decide, as the function of the criterion describes"""
    variants: Mapping[str, Verdict]
    """by other forms of the criterion"""


@dataclass(frozen=True)
class Judgement:
    """The verdicts on a claim."""

    claim: Claim
    sizes: Mapping[str, Finding]
    """as printed; the stated size alone if the claim does not depend on it"""
    indicated: Verdict | None = None
    """at the indicated sizes, with the other readings of the paper, which are judged there"""
    tested: pd.DataFrame | None = None
    """the readings that can change that verdict; ``turned`` says which do"""
    nearest: Verdict | None = None
    """at the full protocol under the nearest reading, if there is one to judge"""

    @property
    def verdict(self) -> Verdict:
        """At the stated sizes."""
        return self.sizes[STATED].verdict


def judge(evidence: Evidence, gains: pd.DataFrame, matrices: Matrices | None = None) -> list[Judgement]:
    """Return every claim with its verdicts at both sizes, as printed."""
    found = {size: findings(evidence.at(size), paper_gains(gains, size), matrices) for size in SIZES}
    judged = []
    for name, claim in claims().items():
        sizes = {size: found[size][name] for size in SIZES if size == STATED or claim.is_sized}
        judged.append(Judgement(claim, sizes, sizes[INDICATED].verdict if claim.is_sized else None))
    return judged


def findings(evidence: Evidence, gains: pd.DataFrame, matrices: Matrices | None = None) -> dict[str, Finding]:
    """Return what the evidence says about every claim; the gains are over the paper's datasets."""
    # A gain over fewer datasets than the paper's decides nothing: the missing ones could reverse it.
    sets = gains["experiment"].map({name: len(published.datasets(name)) for name in published.EXPERIMENTS})
    results = Results(evidence, gains.assign(whole=(gains["n_datasets"] == sets).astype(bool)), matrices)
    found = {}
    for claim in claims().values():
        judge_it = CRITERIA[claim.kind]
        variants = {text: judge_it(it, results)[0] for text, it in claim.variants.items()}
        found[claim.name] = Finding(*judge_it(claim, results), variants)
    return found


# Criteria


def _never_lower(claim: Claim, results: Results) -> Judged:
    """Compare PKO+HSC with every competitor on every dataset; return the comparisons."""
    (experiment,) = claim.experiments
    compared = compare(results.evidence.comparable_averages(experiment), claim.competitors)
    return never_lower(compared, len(published.datasets(experiment)) * len(published.METRICS)), compared


def _highest_at_most_levels(claim: Claim, results: Results) -> Judged:
    """Count at how many levels PKO+HSC is the ``best``, of those ``judged`` and of all in the paper's figures."""
    (experiment,) = claim.experiments
    scores = pd.concat([pd.DataFrame(columns=published.ALGORITHMS), *_comparable_levels(results.evidence, experiment)])
    total = _level_count(experiment)
    verdict, best = mostly_highest(scores, total)
    return verdict, {"best": best, "judged": len(scores), "total": total}


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
    return rarely_lower(compared, _level_count(experiment), claim.contradicted), compared


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
    parts = []
    for metric in published.METRICS:
        before, after = (scope_scores(results.evidence, name, metric, "paper") for name in claim.experiments)
        parts.append(gains_over(after, claim.competitors, since=before).assign(metric=metric))
    table = pd.concat(parts, ignore_index=True)
    whole = table[table["n_datasets"] == len(published.datasets(claim.experiments[1]))]
    return above_zero(whole, len(claim.competitors) * len(published.METRICS)), table


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
    judged: Iterable[Judgement], under: ReadingScores, nearest: Mapping[str, Verdict]
) -> list[Judgement]:
    """Return the judgements with what other readings make of them, at the indicated sizes.

    ``nearest`` has the verdicts under the nearest reading at the full protocol, by claim. A claim depends on the
    reading if it is confirmed under some readings but not under all.
    """
    return [_under_readings(it, under, nearest.get(it.claim.name)) if it.indicated else it for it in judged]


def _under_readings(judged: Judgement, under: ReadingScores, nearest: Verdict | None) -> Judgement:
    as_printed = judged.sizes[INDICATED].verdict
    tested = under.testable(claim=judged.claim.name)
    tested = tested[tested["counts"].astype(bool)]
    reading = under.all_evidence.nearest
    verdicts = []
    if reading is None or nearest == Verdict.UNTESTABLE:
        nearest = None
    if reading is not None and nearest is not None:
        tested = tested[tested["reading"] != reading.name]  # the whole criterion supersedes its part
        verdicts.append(nearest)
    # A reading whose verdict on its part is that of the whole criterion turns nothing.
    turned = (tested["verdict"] != tested["as_printed"]) & (tested["verdict"] != as_printed)
    verdicts += list(tested.loc[turned, "verdict"])
    holds = as_printed == Verdict.CONFIRMED
    depends = as_printed != Verdict.UNTESTABLE and any((it == Verdict.CONFIRMED) != holds for it in verdicts)
    verdict = Verdict.DEPENDS if depends else as_printed
    return replace(judged, indicated=verdict, tested=tested.assign(turned=turned), nearest=nearest)
