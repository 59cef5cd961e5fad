"""The first screen: the question, the answer in a few sentences, the headline picture and the number of verdicts."""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import pandas as pd

from hypercut.analysis.evidence import INDICATED, STATED, Evidence, present
from hypercut.analysis.experiments import at_paper_levels
from hypercut.analysis.gains import paper_gains, published_distance
from hypercut.analysis.outcomes import compare
from hypercut.analysis.verdicts import Verdict
from hypercut.paper import forensics, protocol, published
from hypercut.report.findings import Findings
from hypercut.report.render.table import counted, thousands
from hypercut.report.sections.gains import COMPETITORS_TEXT
from hypercut.report.sections.published_figures import CUT_PAIR

QUESTION = "Does PKO+HSC cluster better than its seven competitors, as the paper reports?"

#: What the method does; the other sentences of the answer depend on the results.
METHOD = (
    "PKO+HSC builds a graph of the samples from three similarities (distance, shared neighbours, shared small "
    "clusters) and cuts it into clusters by a criterion of its own, the trace ratio."
)
#: The competitor with the same similarity and the ordinary cut, and the classic method.
NORMALISED_CUT, CLASSIC = CUT_PAIR[1], "CSC"


def answer(evidence: Evidence, gains: pd.DataFrame) -> tuple[str, str]:
    """Return the answer to :data:`QUESTION`: in a word, and in at most four sentences for readers new to the paper."""
    leads = _leads(gains, STATED)
    sentences = [METHOD, _about_the_cut(evidence), _about_others(leads), _about_sizes(evidence)]
    return _word(leads), " ".join(filter(None, sentences))


class Lead(StrEnum):
    """How PKO+HSC stands to a competitor, by the intervals of its gains in all experiments and metrics."""

    CLEAR = "all above zero"
    PARTLY = "some above zero"
    UNDECIDED = "all across zero"
    BEHIND = "none above zero, some below"


def _leads(gains: pd.DataFrame, size: str) -> dict[str, Lead]:
    known = paper_gains(gains, size).dropna(subset="low")
    found = {}
    for name in present(published.COMPETITORS, known["competitor"]):
        rows = known[known["competitor"] == name]
        above, below = rows["low"] > 0, rows["high"] < 0
        without = Lead.BEHIND if below.any() else Lead.UNDECIDED
        found[name] = Lead.CLEAR if above.all() else Lead.PARTLY if above.any() else without
    return found


def _word(leads: Mapping[str, Lead]) -> str:
    if not leads:
        return "Not known yet."
    found = list(leads.values())
    clear = found.count(Lead.CLEAR)
    if clear == len(published.COMPETITORS):
        return "Yes."
    if clear or Lead.PARTLY in found:
        return "Mostly." if clear > len(published.COMPETITORS) / 2 and Lead.BEHIND not in found else "Only in part."
    return "No." if Lead.BEHIND in found else "Not shown."


def _cut(evidence: Evidence) -> tuple[bool, bool, int]:
    """Return whether PKO+HSC ever wins and ever loses against the normalised cut, and the number of datasets."""
    rows = pd.concat(compare(evidence.comparable_averages(it), [NORMALISED_CUT]) for it in published.EXPERIMENTS)
    return bool((rows["outcome"] > 0).any()), bool((rows["outcome"] < 0).any()), rows["dataset"].nunique()


def _about_the_cut(evidence: Evidence) -> str:
    wins, loses, datasets = _cut(evidence)
    run = "" if datasets == len(published.DATASETS) else " that were run"
    where = f"on all {_in_words(datasets)} datasets{run}" if datasets > 1 else "on the one dataset that was run"
    if not datasets:
        return ""
    if wins and loses:
        return "On the same graph, the ordinary normalised cut is better on some datasets and worse on others."
    if wins:
        return f"On the same graph, the trace ratio does at least as well as the ordinary normalised cut {where}."
    return f"On the same graph, the ordinary normalised cut does {'at least ' * loses}as well {where}."


def _about_others(leads: Mapping[str, Lead]) -> str:
    """Return over whom PKO+HSC leads, and how it stands to classic spectral clustering."""
    others = {name: lead for name, lead in leads.items() if name != NORMALISED_CUT}
    clear = [name for name, lead in others.items() if lead == Lead.CLEAR]
    if not others:
        return ""
    if len(clear) == len(published.COMPETITORS) - 1:
        return f"{published.METHOD} clearly leads all other methods."
    names = " and ".join([", ".join(clear[:-1]), clear[-1]] if clear[1:] else clear)
    note = ", which we had to rebuild from descriptions" * (set(clear) <= protocol.RECONSTRUCTIONS)
    first = f"clearly leads only {names}{note}" if clear else "clearly leads no other method"
    classic = {
        Lead.UNDECIDED: "whether it beats classic spectral clustering remains open",
        Lead.BEHIND: "classic spectral clustering does better",
        Lead.PARTLY: "it leads classic spectral clustering in some experiments only",
    }.get(others.get(CLASSIC, Lead.CLEAR))
    return f"{published.METHOD} {'; '.join(filter(None, [first, classic]))}."


def _about_sizes(evidence: Evidence) -> str:
    """Return what the paper's figures are probably of, and whether ours agree better at those sizes."""
    sizes = forensics.published_sizes()
    other = sizes[sizes["indicated"] != sizes["stated"]]
    text = f"On {_in_words(len(other))} datasets, the paper's numbers were probably computed on far fewer samples "
    text += "than it states"
    if not {*published.DATASETS, *published.PARTS} <= set(evidence.datasets):
        return f"{text}."
    indicated = evidence.at(INDICATED)
    nearer, apart, _ = published_distance(evidence, INDICATED)
    closer = "ours come nearer" if nearer < apart else "ours come no nearer"
    there = _about_the_cut(indicated)
    finding = "the finding on the normalised cut stays." if there == _about_the_cut(evidence) else _lowered(there)
    return f"{text}; at those sizes {closer}, and {finding}"


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _in_words(count: int) -> str:
    names = ("no", "one", "two", "three", "four", "five", "six", "seven")
    return names[count] if count < len(names) else str(count)


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


def first_screen(found: Findings) -> dict[str, Any]:
    """Return the variables of the template for the first screen, except the picture."""
    evidence = found.evidence
    expected = evidence.run.get("expected", {})
    lacks = shortfalls(evidence)
    word, sentence = answer(evidence, found.gains)
    ran = f"{thousands(len(evidence.table))} clusterings of {counted(len(evidence.datasets), 'dataset')}"
    return {
        "question": QUESTION,
        "word": f"Preliminary: {word[:1].lower()}{word[1:]}" if lacks else word,
        "sentence": sentence,
        "preliminary": ", ".join(lacks),
        "paper": published.TITLE,
        "competitors": COMPETITORS_TEXT,
        "ran": f"{ran} by {len(evidence.with_role('algorithm', 'beyond', 'baseline'))} methods.",
        "counts": {
            "stated": Counter(it.verdict for it in found.judged),
            "indicated": Counter(it.indicated for it in found.judged if it.indicated),
        },
        "verdicts": list(Verdict),
        "missing": len(evidence.missing),
        "stale": len(evidence.stale),
        "expected": sum(len(expected.get(kind, [])) for kind in ("cells", "variations")),
    }
