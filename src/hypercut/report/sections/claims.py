"""Section "The paper's claims": each with its criterion, the verdict, and the numbers that decide.

:mod:`hypercut.analysis.claims` judges.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import Any

import pandas as pd

from hypercut.analysis.claims import Judgement, lacking
from hypercut.analysis.evidence import INDICATED, STATED, Evidence
from hypercut.analysis.gains import scope_scores
from hypercut.analysis.verdicts import Verdict
from hypercut.paper import published
from hypercut.paper.claims import Claim as PaperClaim
from hypercut.paper.claims import claims as paper_claims
from hypercut.paper.protocol import CLEAN
from hypercut.report.render.page import Section
from hypercut.report.render.table import Table, number, record_table
from hypercut.report.sections.published_figures import CUT_PAIR, difference_sentence
from hypercut.results.matrices import NAMES

TEXT = (
    "Each claim has a criterion that does not depend on the outcome; docs/protocol.md defines the verdicts. The first "
    "verdict is at the sizes of the datasets that the paper states, the second at those that its purities indicate, "
    "where other readings are judged too. Undecided: all results are available, and neither the criterion nor its "
    "opposite is met."
)


@dataclass(frozen=True)
class Claim:
    """A claim as the page shows it."""

    name: str
    """in links and files"""
    claim: str
    verdict: Verdict
    """at the stated sizes of the datasets"""
    finding: str
    """the numbers that decide, or what is missing"""
    indicated: Verdict | str
    """at the indicated sizes; empty if the claim does not depend on the size"""
    indicated_finding: str
    readings: str
    """in how many readings it holds, and which turn it"""
    criterion: str
    source: str


def described(evidence: Evidence, judged: Sequence[Judgement]) -> list[Claim]:
    """Return claims as the page shows them."""
    return [
        Claim(
            name=it.claim.name,
            claim=it.claim.title,
            verdict=it.verdict,
            finding=" ".join([_finding(evidence, it, STATED), *_published(it.claim)]),
            indicated=it.indicated or "",
            indicated_finding=_finding(evidence, it, INDICATED) if it.indicated else "",
            readings=_readings(it),
            criterion=it.claim.criterion,
            source=it.claim.source,
        )
        for it in judged
    ]


def command(evidence: Evidence, judged: Judgement) -> str:
    """Return the command that computes the decisive result of a claim again: the one that supports it the least."""
    claim, numbers = judged.claim, judged.sizes[STATED].numbers
    dataset, setting, algorithm, variation = "orl", CLEAN, published.METHOD, ""
    is_known = isinstance(numbers, pd.DataFrame) and len(numbers) > 0
    if claim.experiments:
        experiment = claim.experiments[-1]
        if is_known and "difference" in numbers:
            worst = numbers.loc[numbers["difference"].idxmin()]
            dataset, algorithm = worst["dataset"], worst["competitor"]
        elif is_known:
            worst = numbers.loc[numbers["ours"].idxmin()]
            experiment, algorithm = worst.get("experiment", experiment), worst["competitor"]
            scores = scope_scores(evidence, experiment, worst["metric"], "paper")
            dataset = (scores[published.METHOD] - scores[algorithm]).idxmin()
        setting = _EXAMPLES[experiment]
    elif claim.sweep and is_known:
        dataset, variation = numbers.loc[numbers["range"].idxmax(), "dataset"], f" --variation {claim.sweep}"
    elif claim.kind in ("time on USPS", "exponent of time"):
        dataset = "usps"
    return f"hypercut reproduce {dataset} {setting} {algorithm}{variation}"


#: The level that stands for an experiment in examples.
_EXAMPLES = {CLEAN: CLEAN, "noise": "noise-L5", "outlier": "outlier-L2"}


def _published(claim: PaperClaim) -> list[str]:
    """Return what the published figures themselves say about a claim."""
    return [difference_sentence()] if claim.competitors == CUT_PAIR[1:] else []


def numbers_in_words(judged: Judgement, size: str = STATED) -> str:
    """Return the numbers that decide a claim at one size."""
    numbers = judged.sizes[size].numbers
    is_empty = numbers is None or (isinstance(numbers, pd.DataFrame) and numbers.empty)
    return "No comparable result yet." if is_empty else _FINDINGS[judged.claim.kind](numbers)


def _finding(evidence: Evidence, judged: Judgement, size: str) -> str:
    claim, found = judged.claim, judged.sizes[size]
    numbers = found.numbers
    parts = [numbers_in_words(judged, size)]
    if found.verdict == Verdict.UNTESTABLE:
        needed = lacking(evidence.at(size), claim)
        if claim.sweep:
            needed = numbers.loc[~numbers["complete"].astype(bool), "dataset"]
        sets = ", ".join(map(evidence.label, needed))
        parts.append(f"Not run in full, or no real data: {claim.needs or sets}.")
    else:
        parts += [f"{text[:1].upper()}{text[1:]}: {verdict}." for text, verdict in found.variants.items()]
    return " ".join(parts)


def _outcomes(compared: pd.DataFrame) -> str:
    marks = compared["outcome"].tolist()
    return f"{marks.count(1)} wins, {marks.count(0)} ties and {marks.count(-1)} losses."


def _gains(rows: pd.DataFrame) -> str:
    known, (least, most) = rows.dropna(subset="low"), rows["ours"].agg(["min", "max"])
    below = sorted(set(known.loc[known["high"] < 0, "competitor"]))
    text = (
        f"{(known['low'] > 0).sum()} of {len(known)} intervals above zero, {(known['high'] < 0).sum()} below; values "
        f"from {number(least, 1, sign=True)} to {number(most, 1, sign=True)} %."
    )
    # Several claims about all competitors can be contradicted by one comparison, which is a claim of its own.
    same = [it.short for it in paper_claims().values() if below == list(it.competitors)]
    if same and rows["competitor"].nunique() > 1:
        text += f" Below zero over {below[0]} alone: the fact that decides “{same[0]}”."
    return text


def _published_gains(known: pd.DataFrame) -> str:
    rows = known[known["whole"]]
    return f"{rows['inside'].sum()} of {len(rows)} published gains over all datasets lie inside our interval."


def _ranges(rows: pd.DataFrame) -> str:
    widths = [
        f"{published.DATASETS[it.dataset]} {it.range:.3f}{'' if it.complete else f' ({it.values} values)'}"
        for it in rows[rows["values"] > 1].itertuples()
    ]
    return f"Range of NMI: {', '.join(widths) or 'no comparable sweep yet'}."


#: Kind of a criterion → the function that puts the numbers that decide into words.
_FINDINGS: Mapping[str, Callable[[Any], str]] = {
    "never lower": _outcomes,
    "never lower at a level": _outcomes,
    "highest at most levels": "Highest in {0[best]} of {0[judged]} comparisons; the paper has {0[total]}.".format,
    "gains above zero": _gains,
    "gains grow": _gains,
    "published gains reproduce": _published_gains,
    "insensitive": _ranges,
    "closest to the truth": lambda found: (
        f"Alignment with the truth: {', '.join(f'{NAMES[symbol]} {value:.3f}' for symbol, value in found.items())}."
    ),
    "exponent of time": "Exponent {0[0]:.2f} of processor time, over N that span a factor of {0[1]:.0f}.".format,
    "time on USPS": "{0[0]:.1f} s of wall time, {0[1]:.1f} s of processor time.".format,
}


def _readings(judged: Judgement) -> str:
    """Return in how many readings a claim holds, and which turn it."""
    as_printed = judged.sizes[INDICATED].verdict if judged.indicated else None
    parts = [f"as printed: {as_printed}"] if judged.indicated == Verdict.DEPENDS else []
    if judged.nearest and judged.nearest != as_printed:
        parts.append(f"at the full protocol under the nearest reading: {judged.nearest}")
    if judged.tested is not None and len(judged.tested):
        holds = (judged.tested["verdict"] == Verdict.CONFIRMED).sum()
        parts.append(f"holds in {holds} of {len(judged.tested)} other readings")
        turned = judged.tested[judged.tested["turned"].astype(bool)]
        parts += [f"{it.reading}: {it.verdict}" for it in turned.itertuples()]
    return "; ".join(parts)


def claim_table(claims: Sequence[Claim]) -> Table:
    """Return the verdicts as a table, which is a file only: the page shows the claims as text."""
    data = pd.DataFrame([asdict(claim) for claim in claims]).astype(str)
    columns = {name: attrgetter(name) for name in data.columns.drop("name")}
    return record_table("claims", "The paper's claims", "", data, columns, numeric=False)


def section(claims: Sequence[Claim]) -> Section:
    """Return the claims, and folded those that the results cannot test."""
    untested = [it for it in claims if {it.verdict, it.indicated} <= {"", Verdict.UNTESTABLE}]
    tested = [claim for claim in claims if claim not in untested]
    return Section("claims", "The paper's claims", [TEXT], claims=tested, untested=untested)
