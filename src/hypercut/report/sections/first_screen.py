"""The first screen: the question, the answer in a sentence, the headline picture and the number of verdicts."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from hypercut.analysis.claims import Judgement
from hypercut.analysis.evidence import Evidence
from hypercut.analysis.experiments import PAIRS, at_paper_levels
from hypercut.analysis.gains import paper_gains
from hypercut.analysis.verdicts import Verdict
from hypercut.paper import protocol, published
from hypercut.report.render.table import counted, thousands
from hypercut.report.sections.gains import COMPETITORS_TEXT

QUESTION = "Does PKO+HSC cluster better than its seven competitors, as the paper reports?"

#: The number of average gains that the paper reports.
TOTAL = len(published.COMPETITORS) * len(PAIRS)


def answer(gains: pd.DataFrame) -> tuple[str, str]:
    """Return the answer to :data:`QUESTION` from the average gains, in a word and with the numbers behind it."""
    above, below, across = _signs(gains)
    if not above + below + across:
        word = "Not known yet."
    elif above == TOTAL:
        word = "Yes."
    elif not above:
        word = "No." if below else "Not shown."
    else:
        word = "Mostly." if above > TOTAL / 2 and not below else "Only in part."
    return word, f"The paper reports {TOTAL} average gains of PKO+HSC, all positive. In our runs, {counts(gains)}."


def counts(gains: pd.DataFrame) -> str:
    """Return how many of the paper's gains are positive, negative, undecided or unknown in our runs."""
    above, below, across = _signs(gains)
    return (
        f"{above} are positive (95 % interval above zero), {below} negative, {across} undecided and "
        f"{TOTAL - above - below - across} without an interval"
    )


def _signs(gains: pd.DataFrame) -> tuple[int, int, int]:
    rows = paper_gains(gains).dropna(subset="low")
    rows = rows[rows["competitor"].isin(published.COMPETITORS)]
    above, below = int((rows["low"] > 0).sum()), int((rows["high"] < 0).sum())
    return above, below, len(rows) - above - below


def shortfalls(evidence: Evidence) -> list[str]:
    """Return what the run lacks of the paper's protocol, apart from repeats; nothing if it covers all of it."""
    cells = evidence.cells
    levels = cells[["setting", "level", "corruption"]].drop_duplicates()
    eight, datasets = set(published.ALGORITHMS) & evidence.roles.keys(), published.datasets("clean")
    in_full = [
        all(
            eight <= evidence.complete_algorithms(experiment, name)
            for experiment in published.EXPERIMENTS
            if name in published.datasets(experiment)
        )
        for name in datasets
    ]
    found = [
        (sum(in_full) if eight else 0, len(datasets), "datasets in full"),
        (len(eight), len(published.ALGORITHMS), "algorithms"),
        *(
            (int((at_paper_levels(levels, kind) & (levels["corruption"] == kind)).sum()), len(names), f"{kind} levels")
            for kind, names in protocol.LEVELS.items()
        ),
        (len({*protocol.SIGMA_FACTORS} & {*cells["sigma_factor"]}), len(protocol.SIGMA_FACTORS), "values of σ"),
    ]
    return [f"{count} of {total} {what}" for count, total, what in found if count < total]


def first_screen(evidence: Evidence, judged: Sequence[Judgement], gains: pd.DataFrame) -> dict[str, Any]:
    """Return the variables of the template for the first screen, except the picture."""
    expected = evidence.run.get("expected", {})
    lacks = shortfalls(evidence)
    word, sentence = answer(gains)
    ran = f"{thousands(len(evidence.table))} clusterings of {counted(len(evidence.datasets), 'dataset')}"
    return {
        "question": QUESTION,
        "word": f"Preliminary: {word[:1].lower()}{word[1:]}" if lacks else word,
        "sentence": sentence,
        "preliminary": ", ".join(lacks),
        "paper": published.TITLE,
        "competitors": COMPETITORS_TEXT,
        "ran": f"{ran} by {len(evidence.with_role('algorithm', 'beyond', 'baseline'))} methods.",
        "datasets": [evidence.label(name) for name in evidence.datasets],
        "methods": evidence.algorithms,
        "counts": {verdict: sum(it.verdict == verdict for it in judged) for verdict in Verdict},
        "missing": len(evidence.missing),
        "stale": len(evidence.stale),
        "expected": sum(len(expected.get(kind, [])) for kind in ("cells", "variations")),
    }
