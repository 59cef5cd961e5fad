"""Section "The paper's claims": each with its criterion, the verdict, and the numbers that decide.

:mod:`hypercut.analysis.claims` judges.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import Any

import pandas as pd

from hypercut.analysis.claims import Judgement, lacking
from hypercut.analysis.evidence import Evidence
from hypercut.analysis.verdicts import Verdict
from hypercut.paper import published
from hypercut.report.render.page import Section
from hypercut.report.render.table import Table, number, record_table
from hypercut.report.sections.published_figures import CUT_PAIR, difference_sentence
from hypercut.results.matrices import NAMES

TEXT = (
    "Each claim has a criterion that does not depend on the outcome; docs/protocol.md defines the verdicts. Undecided: "
    "all results are available, and neither the criterion nor its opposite is met."
)
#: Verdicts that say nothing about the claim.
NOT_DECIDED = (Verdict.UNDECIDED, Verdict.UNTESTABLE)


@dataclass(frozen=True)
class Claim:
    """A claim as the page shows it."""

    name: str
    """in links and files"""
    claim: str
    verdict: Verdict
    finding: str
    """the numbers that decide, or what is missing"""
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
            finding=_finding(evidence, it),
            readings=_readings(it),
            criterion=it.claim.criterion,
            source=it.claim.source,
        )
        for it in judged
    ]


def _finding(evidence: Evidence, judged: Judgement) -> str:
    is_empty = judged.found is None or (isinstance(judged.found, pd.DataFrame) and judged.found.empty)
    parts = ["No comparable result yet." if is_empty else _FINDINGS[judged.claim.kind](judged.found)]
    if judged.verdict == Verdict.UNTESTABLE:
        needed = lacking(evidence, judged.claim)
        if judged.claim.sweep:
            needed = judged.found.loc[~judged.found["complete"].astype(bool), "dataset"]
        sets = ", ".join(map(evidence.label, needed))
        parts.append(f"Not run in full, or no real data: {judged.claim.needs or sets}.")
    if judged.claim.competitors == CUT_PAIR[1:]:
        parts.append(difference_sentence())
    return " ".join(parts)


def _outcomes(compared: pd.DataFrame) -> str:
    marks = compared["outcome"].tolist()
    return f"{marks.count(1)} wins, {marks.count(0)} ties and {marks.count(-1)} losses."


def _gains(rows: pd.DataFrame) -> str:
    known, (least, most) = rows.dropna(subset="low"), rows["ours"].agg(["min", "max"])
    return (
        f"{(known['low'] > 0).sum()} of {len(known)} intervals above zero, {(known['high'] < 0).sum()} below; values "
        f"from {number(least, 1, sign=True)} to {number(most, 1, sign=True)} %."
    )


def _published_gains(known: pd.DataFrame) -> str:
    rows = known[known["whole"]]
    return f"{rows['inside'].sum()} of {len(rows)} published gains over all datasets lie inside our interval."


def _ranges(rows: pd.DataFrame) -> str:
    widths = [
        f"{published.DATASETS[it.dataset]} {it.range:.3f} ({it.values} values; all that were run, {it.all_range:.3f})"
        for it in rows[rows["all_values"] > 1].itertuples()
    ]
    return f"Range of NMI: {'; '.join(widths) or 'no comparable sweep yet'}."


#: Kind of a criterion → the function that puts the numbers that decide into words.
_FINDINGS: Mapping[str, Callable[[Any], str]] = {
    "never lower": _outcomes,
    "never lower at a level": _outcomes,
    "highest at most levels": "Highest in {0[best]} of {0[judged]} comparisons that were run, of {0[total]}.".format,
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
    parts = [f"as printed: {judged.as_printed}"] if judged.verdict == Verdict.DEPENDS else []
    if judged.nearest and judged.nearest.verdict != judged.as_printed:
        parts.append(f"at the full protocol under the nearest reading: {judged.nearest.verdict}")
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
    """Return the decided claims and, folded, the others."""
    decided = [claim for claim in claims if claim.verdict not in NOT_DECIDED]
    undecided = [claim for claim in claims if claim.verdict in NOT_DECIDED]
    return Section("claims", "The paper's claims", [TEXT], claims=decided, undecided=undecided)
