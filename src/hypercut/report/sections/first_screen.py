"""The first screen: the question, the answer in a sentence, the headline picture and the number of verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from hypercut.paper import protocol, published
from hypercut.report.bootstrap import FEWEST_FOR_INTERVAL
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import PAIRS, at_paper_levels
from hypercut.report.render.table import counted, thousands
from hypercut.report.sections.claims import OTHER_METHODS, Claim
from hypercut.report.sections.missing import missing_sentence
from hypercut.report.verdicts import Verdict

QUESTION = "Does PKO+HSC cluster better than its seven competitors, as the paper reports?"


@dataclass(frozen=True)
class Answer:
    """The answer to :data:`QUESTION`: in a word, and with the numbers behind it."""

    word: str
    sentence: str
    readings: str = ""
    """how many positive gains hold under other readings of the paper"""


def answer(gains: pd.DataFrame, spans: pd.DataFrame) -> Answer:
    """Return the answer from the average gains, of which the paper reports one per competitor, table and metric.

    ``spans`` has the smallest and the largest gain over the readings, see :func:`.gains.reading_spans`.
    """
    rows = of_the_paper(gains)
    known = rows[rows["low"].notna()]
    if known.empty:
        return Answer("Not known yet.", _too_little(rows))
    sentence = f"The paper reports {TOTAL} average gains of PKO+HSC, all positive. In our runs, {counts(gains)}"
    above, below = known["low"] > 0, known["high"] < 0
    return Answer(_word(int(above.sum()), int(below.sum())), sentence, _over_readings(known[above], spans))


#: The number of average gains that the paper reports.
TOTAL = len(published.COMPETITORS) * len(PAIRS)


def of_the_paper(gains: pd.DataFrame) -> pd.DataFrame:
    """Return the gains that the paper reports too."""
    return gains[(gains["scope"] == "paper") & gains["competitor"].isin(published.COMPETITORS)]


def counts(gains: pd.DataFrame, *, explained: bool = True) -> str:
    """Return how many gains are positive, negative and undecided, and over whom; with what that means, if wanted."""
    rows = of_the_paper(gains)
    known = rows[rows["low"].notna()]
    above, below = int((known["low"] > 0).sum()), int((known["high"] < 0).sum())
    untested = TOTAL - len(known)
    meanings = [" (95 % interval above zero)", " (below zero)", " (across zero)"] if explained else ["", "", ""]
    parts = [
        f"{above} gains are positive{meanings[0]}",
        f"{below} negative{meanings[1]}",
        f"{len(known) - above - below} undecided{meanings[2]}",
        *([f"{untested} have no interval (fewer than {FEWEST_FOR_INTERVAL} datasets)"] if untested else []),
    ]
    sizes = sorted(set(known["n_datasets"].astype(int)))
    over = counted(sizes[0], "dataset") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} datasets"
    return f"{listed(parts)}{f', over {over}' if explained else ''}.{_by_competitor(known)}"


def listed(parts: Sequence[str], last: str = "and") -> str:
    """Return parts of a sentence as a list.

    >>> listed(["a"]), listed(["a", "b", "c"], "or")
    ('a', 'a, b or c')
    """
    return f" {last} ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _by_competitor(known: pd.DataFrame) -> str:
    """Return over which competitors gains are positive and negative, and how many; those with the most first."""
    signs = {"ahead of": known[known["low"] > 0], "behind": known[known["high"] < 0]}
    parts = [f"{sign} {_competitors(rows['competitor'])}" for sign, rows in signs.items() if len(rows)]
    decided = {name for rows in signs.values() for name in rows["competitor"]}
    left = [name for name in published.COMPETITORS if name in set(known["competitor"]) - decided]
    undecided = f" No gain over {listed(left, 'or')} is decided." if parts and left else ""
    return (f" PKO+HSC is {', and '.join(parts)}." if parts else "") + undecided


def _competitors(names: "pd.Series[str]") -> str:
    """Return the names with their numbers, by the kind of competitor; of equal numbers in the paper's order."""
    found = {name: int((names == name).sum()) for name in published.COMPETITORS}
    kinds: dict[str, list[str]] = {}
    for name in sorted(filter(found.get, found), key=lambda it: -found[it]):
        kinds.setdefault(_kind(name), []).append(f"{name} ({found[name]})")
    parts = [f"{kind}{'s' if kind and len(group) > 1 else ''} {listed(group)}".strip() for kind, group in kinds.items()]
    return ", and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _kind(name: str) -> str:
    """Return what a competitor is to PKO+HSC; nothing if it is another method."""
    if name in protocol.RECONSTRUCTIONS:
        return "our reconstruction"
    return "" if name in OTHER_METHODS else "its variant"


def _over_readings(positive: pd.DataFrame, spans: pd.DataFrame) -> str:
    """Return how many positive gains stay above zero under all readings of the paper that were run."""
    both = positive.merge(spans, on=["experiment", "metric", "competitor"])
    is_clean = both["experiment"] == protocol.CLEAN
    # Corrupted data are run under one other reading only.
    groups = {"on clean data": both[is_clean], "under noise and outliers": both[~is_clean]}
    parts = []
    for where, rows in groups.items():
        if len(rows):
            stay, clear = int((rows["least"] > 0).sum()), int((rows["lowest"] > 0).sum())
            most = int(rows["readings"].max()) - 1
            readings = "the one other reading that was run" if most == 1 else f"all other readings (up to {most})"
            parts.append(
                f"{where}, {stay} of {len(rows)} positive gains stay above zero under {readings}, {clear} with the "
                "whole interval"
            )
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _too_little(rows: pd.DataFrame) -> str:
    """Return what the results say when none of the gains has an interval."""
    if rows.empty:
        return f"None of the paper's {TOTAL} average gains can be compared: its datasets were not run in full."
    ahead, datasets = int((rows["ours"] > 0).sum()), int(rows["n_datasets"].max())
    return (
        f"Intervals need {FEWEST_FOR_INTERVAL} of the paper's datasets in full. On the {datasets} here, PKO+HSC is "
        f"ahead in {ahead} of {len(rows)} average gains; the paper reports {TOTAL}."
    )


def _word(above: int, below: int) -> str:
    if above == TOTAL:
        return "Yes."
    if not above:
        return "No." if below else "Not shown."
    if above > TOTAL / 2 and not below:
        return "Mostly."
    return "Only in part."


def shortfalls(evidence: Evidence) -> list[str]:
    """Return what the run lacks of the paper's protocol; nothing if it covers all of it, be it with few repeats."""
    cells = evidence.cells
    levels = cells[["setting", "level", "corruption"]].drop_duplicates()
    scales = set(cells["sigma_factor"].unique())
    eight, datasets = set(published.ALGORITHMS) & evidence.roles.keys(), published.datasets("clean")
    in_full = [
        name
        for name in datasets
        if eight
        and all(
            eight <= evidence.complete_algorithms(experiment, name)
            for experiment in published.EXPERIMENTS
            if name in published.datasets(experiment)
        )
    ]
    found = [
        (len(in_full), len(datasets), "datasets in full"),
        (len(eight), len(published.ALGORITHMS), "algorithms"),
        *(
            (int((at_paper_levels(levels, kind) & (levels["corruption"] == kind)).sum()), len(names), f"{kind} levels")
            for kind, names in protocol.LEVELS.items()
        ),
        (sum(factor in scales for factor in protocol.SIGMA_FACTORS), len(protocol.SIGMA_FACTORS), "scales σ"),
    ]
    return [f"{count} of {total} {what}" for count, total, what in found if count < total]


def first_screen(
    evidence: Evidence, claims: Sequence[Claim], gains: pd.DataFrame, spans: pd.DataFrame
) -> dict[str, Any]:
    """Return the variables of the template for the first screen, except the picture."""
    expected = evidence.run.get("expected", {})
    lacks = shortfalls(evidence)
    found = answer(gains, spans)
    if lacks:
        found = replace(found, word=f"Preliminary: {found.word[:1].lower()}{found.word[1:]}")
    ran = f"{thousands(len(evidence.table))} clusterings of {counted(len(evidence.datasets), 'dataset')}"
    return {
        "question": QUESTION,
        "answer": found,
        "preliminary": ", ".join(lacks),
        "paper": published.TITLE,
        "ran": f"{ran} by {len(evidence.with_role('algorithm', 'beyond', 'reference'))} methods.",
        "datasets": [evidence.label(name) for name in evidence.datasets],
        "methods": evidence.algorithms,
        "counts": {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in Verdict},
        "missing": len(evidence.missing),
        "missing_sentence": missing_sentence(evidence),
        "stale": len(evidence.stale),
        "expected": sum(len(expected.get(kind, [])) for kind in ("cells", "variations")),
    }
