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
from hypercut.report.sections.claims import Claim
from hypercut.report.sections.missing import missing_sentence
from hypercut.report.verdicts import Verdict

QUESTION = "Does PKO+HSC cluster better than its seven competitors, as the paper reports?"


@dataclass(frozen=True)
class Answer:
    """The answer to :data:`QUESTION`: in a word, and with the numbers behind it."""

    word: str
    sentence: str


def answer(gains: pd.DataFrame, spans: pd.DataFrame) -> Answer:
    """Return the answer from the average gains, of which the paper reports one per competitor, table and metric.

    ``spans`` has the smallest and the largest gain over the readings, see :func:`.gains.reading_spans`.
    """
    rows = gains[(gains["scope"] == "paper") & gains["competitor"].isin(published.COMPETITORS)]
    total = len(published.COMPETITORS) * len(PAIRS)
    known = rows[rows["low"].notna()]
    above, below = int((known["low"] > 0).sum()), int((known["high"] < 0).sum())
    undecided, untested = len(known) - above - below, total - len(known)
    if known.empty:
        return Answer("Not known yet.", _too_little(rows, total))
    parts = [
        f"{above} are positive (95 % interval above zero)",
        f"{below} are negative (interval below zero)",
        f"{undecided} are undecided (interval across zero)",
        *([f"{untested} have no interval (fewer than {FEWEST_FOR_INTERVAL} datasets)"] if untested else []),
    ]
    counts = sorted(set(known["n_datasets"].astype(int)))
    over = counted(counts[0], "dataset") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} datasets"
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}"
    sentence = f"Of the paper's {total} average gains, {listed}, over {over}.{_by_competitor(known)}"
    return Answer(_word(total, above, below), sentence + _over_readings(known[known["low"] > 0], spans))


def _by_competitor(known: pd.DataFrame) -> str:
    """Return over which competitors gains are positive and negative, and how many; those with the most first."""
    signs = {"ahead of": known[known["low"] > 0], "behind": known[known["high"] < 0]}
    parts = []
    for sign, rows in signs.items():
        # Of equal counts, the paper's order.
        counts = {name: int((rows["competitor"] == name).sum()) for name in published.COMPETITORS}
        names = [f"{name} ({counts[name]})" for name in sorted(counts, key=lambda it: -counts[it]) if counts[name]]
        if names:
            parts.append(f"{sign} {' and '.join(filter(None, [', '.join(names[:-1]), names[-1]]))}")
    return f" It is {', and '.join(parts)}." if parts else ""


def _over_readings(positive: pd.DataFrame, spans: pd.DataFrame) -> str:
    """Return how many positive gains stay above zero under all readings of the paper that were run."""
    both = positive.merge(spans, on=["experiment", "metric", "competitor"])
    if both.empty:
        return ""
    stay, clear = int((both["least"] > 0).sum()), int((both["lowest"] > 0).sum())
    others = counted(int(both["readings"].max()) - 1, "other reading")
    return (
        f" Of the {len(both)} positive gains that were also run under up to {others} of the paper, {stay} stay above "
        f"zero under all, {clear} with the whole interval."
    )


def _too_little(rows: pd.DataFrame, total: int) -> str:
    """Return what the results say when none of the gains has an interval."""
    if rows.empty:
        return f"None of the paper's {total} average gains can be compared: its datasets were not run in full."
    ahead, datasets = int((rows["ours"] > 0).sum()), int(rows["n_datasets"].max())
    return (
        f"Intervals need {FEWEST_FOR_INTERVAL} of the paper's datasets in full. On the {datasets} here, PKO+HSC is "
        f"ahead in {ahead} of {len(rows)} average gains; the paper reports {total}."
    )


def _word(total: int, above: int, below: int) -> str:
    if above == total:
        return "Yes."
    if not above:
        return "No." if below else "Not shown."
    if above > total / 2 and not below:
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
