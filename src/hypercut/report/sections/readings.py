"""Section "Under other readings": what changes if an open decision of the paper is read in another way."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hypercut.analysis.evidence import INDICATED, SIZES, Evidence
from hypercut.analysis.experiments import PAIRS, pair_name
from hypercut.analysis.gains import paper_gains, published_distance
from hypercut.analysis.readings import AS_PRINTED, ReadingScores
from hypercut.analysis.verdicts import Verdict
from hypercut.paper import published
from hypercut.paper.claims import claims as paper_claims
from hypercut.paper.protocol import CLEAN
from hypercut.paper.readings import Reading, decisions
from hypercut.report.findings import Findings
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, effect_cell, grid_table, number, number_cell, record_table

TEXT = (
    "Each reading changes one decision that the paper leaves open and nothing else, over the repeats that all readings "
    "have; docs/protocol.md describes them. Distances and gains are on clean data. With so many readings, some "
    "intervals exclude zero by chance."
)


def reading_table(under: ReadingScores) -> Table:
    """Return one row per reading, as printed first: what it changes, how near it comes, and which verdicts change."""
    rows = []
    for reading in (None, *under.single):
        distance = under.distances.loc[reading.name if reading else AS_PRINTED]
        changes = verdict_changes(under, reading.name) if reading else {}
        rows.append(
            {
                **_facts(reading),
                "datasets": " ".join(_datasets(under, reading)),
                **distance.add_prefix("distance_").astype(object),
                "verdicts": "; ".join(f"{name}: {change}" for name, change in changes.items()),
            }
        )

    def changed(it: Any) -> str:
        if it.reading != AS_PRINTED and under.testable(it.reading).empty:
            return "not testable"
        changes = verdict_changes(under, it.reading)
        return "; ".join(f"{paper_claims()[name].short}: {change}" for name, change in changes.items()) or "none"

    return record_table(
        "readings",
        "The readings",
        "Distance: mean |ours − published| in NMI over the cells that compare, and over those of the four hypergraph "
        "methods; rank correlation: Spearman's between the algorithms of a dataset, mean over datasets. Below each, "
        "the same as printed.",
        pd.DataFrame(rows).astype({"distance_cells": int}),
        {
            "reading": lambda it: it.reading,
            "decision": lambda it: it.decision,
            "alternative": lambda it: it.alternative or "the defaults of the benchmark",
            "kind": lambda it: it.kind,
            "datasets": lambda it: number_cell(len(it.datasets.split()), 0),
            "distance": lambda it: _beside(it.distance_mean, it.distance_as_printed),
            "hypergraph methods": lambda it: _beside(it.distance_hypergraphs, it.distance_hypergraphs_as_printed),
            "rank correlation": lambda it: _beside(it.distance_rank_correlation, it.distance_rank_as_printed),
            "verdicts that change": changed,
        },
        numeric=False,
    )


def _datasets(under: ReadingScores, reading: Reading | None) -> list[str]:
    """Return the datasets of a reading, parts under their own names; of a reading of the noise, those at its level."""
    return [under.parts.get(name, name) for name in under.datasets_of(reading, reading.setting if reading else CLEAN)]


def _run_on(under: ReadingScores) -> str:
    """Return at which settings and on which datasets readings were run."""
    names = ", ".join(map(under.all_evidence.label, _datasets(under, None)))
    return f"Settings: {', '.join(under.settings)}. Datasets: {names}."


def _beside(value: float, as_printed: float) -> Cell:
    return Cell(number(value, 3), value=value, notes=(number(as_printed, 3),))


def _facts(reading: Reading | None) -> dict[str, str]:
    if reading is None:
        others = ("paper", "default", "alternative", "kind", "why")
        return {"reading": AS_PRINTED, "decision": "–", **dict.fromkeys(others, ""), "setting": CLEAN}
    decision = decisions()[reading.decision]
    return {
        "reading": reading.name,
        "decision": decision.title,
        "paper": decision.says,
        "default": decision.default,
        "alternative": reading.alternative,
        "kind": reading.kind,
        "why": reading.why,
        "setting": reading.setting,
    }


def verdict_changes(under: ReadingScores, reading: str) -> dict[str, str]:
    """Return the claims whose verdict a reading changes, with "before → after"."""
    rows = under.testable(reading)
    rows = rows[rows["verdict"] != rows["as_printed"]]
    return {row.claim: f"{row.as_printed} → {row.verdict}" for row in rows.itertuples()}


def distance_table(under: ReadingScores) -> Table:
    """Return the distance from the published Table 1 at both sizes: as printed, and under the nearest reading."""
    rows = [
        [name, size, *published_distance(evidence, size)]
        for name, evidence in ((AS_PRINTED, under.all_evidence), *_under(under.nearest(), under.all_evidence))
        for size in SIZES
    ]
    data = pd.DataFrame(rows, columns=["reading", "size", "distance", "stated", "cells"])
    cells = {}
    for it in data.itertuples():
        notes = [f"{it.cells} cells", *([f"stated: {number(it.stated, 3)}"] if it.size == INDICATED else [])]
        cells[it.reading, it.size] = Cell(number(it.distance, 3), it.distance, notes=tuple(notes))
    return grid_table(
        "distances",
        "Distance from the published Table 1",
        "Mean |ours − published| in NMI over the cells (dataset × algorithm) that were run; at the indicated sizes, "
        "also that of the stated sizes on the same cells.",
        data,
        cells,
        corner="reading",
        rows={name: name for name in data["reading"].unique()},
        columns={size: f"{size} sizes" for size in SIZES},
    )


def _under(reading: Reading | None, evidence: Evidence) -> list[tuple[str, Evidence]]:
    return [(reading.name, evidence.under(reading))] if reading and not reading.select else []


def effect_table(under: ReadingScores) -> Table:
    """Return the gain of PKO+HSC in NMI over each competitor: readings × competitors."""
    effects = under.effects
    cells = {
        (it.reading, it.competitor): effect_cell(it.mean, it.low, it.high, digits=3) for it in effects.itertuples()
    }
    names = [AS_PRINTED, *(reading.name for reading in under.single)]
    return grid_table(
        "reading-gains",
        "Gain of PKO+HSC under each reading, NMI on clean data",
        "Mean over datasets of the difference to the competitor; below, its 95 % bootstrap interval over datasets.",
        effects,
        cells,
        corner="reading",
        rows={name: name for name in names if name in set(effects["reading"])},
        columns={name: name for name in published.COMPETITORS},
    )


def nearest_gain_table(reading: Reading, ours: pd.DataFrame, nearest: pd.DataFrame) -> Table:
    """Return the average gains at the full protocol, as printed and under the nearest reading."""
    keys = ["experiment", "metric", "competitor"]
    columns = [*keys, "published", "ours", "low", "high", "n_datasets"]
    both = [paper_gains(rows, INDICATED)[columns] for rows in (ours, nearest)]
    data = both[0].merge(both[1].drop(columns="published"), on=keys, suffixes=("", "_nearest"))
    data = data[data["competitor"].isin(published.COMPETITORS)].reset_index(drop=True)
    cells = {}
    for it in data.itertuples():
        text = f"{number(it.ours, 2, sign=True)} → {number(it.ours_nearest, 2, sign=True)}"
        paper = f"paper {number(it.published, 2, sign=True)}"
        cell = effect_cell(it.ours_nearest, it.low_nearest, it.high_nearest, text=text, notes=[paper])
        cells[it.competitor, (it.experiment, it.metric)] = cell
    return grid_table(
        "nearest-gains",
        f"Average gain of PKO+HSC, as printed → {reading.name}, %",
        f"At the full protocol and the indicated sizes; below, the published gain and the interval of {reading.name}.",
        data,
        cells,
        corner="over",
        rows={name: name for name in published.COMPETITORS},
        columns={pair: pair_name(pair) for pair in PAIRS},
    )


def nearest_verdict_table(reading: Reading, as_printed: Mapping[str, Verdict], nearest: Mapping[str, Verdict]) -> Table:
    """Return the verdicts on scores by claim at the full protocol, as printed and under the nearest reading."""
    rows = [[name, verdict, nearest[name]] for name, verdict in as_printed.items() if name in nearest]
    return record_table(
        "nearest-verdicts",
        f"Verdicts, as printed and under {reading.name}",
        "Both at the full protocol and the indicated sizes, by the same criteria.",
        pd.DataFrame(rows, columns=["claim", "as_printed", "nearest"]),
        {
            "claim": lambda it: paper_claims()[it.claim].title,
            AS_PRINTED: lambda it: Cell(it.as_printed, badge=Verdict(it.as_printed).css),
            reading.name: lambda it: Cell(it.nearest, badge=Verdict(it.nearest).css),
        },
        numeric=False,
    )


def nearest_sentence(under: ReadingScores) -> str:
    """Return which reading comes nearest to the published table, and how near; nothing without readings."""
    reading = under.nearest()
    if reading is None:
        return ""
    distance = under.distances.loc[reading.name]
    return (
        f"The nearest reading is {reading.name} ({reading.alternative}; {reading.kind}): mean |ours − published| "
        f"{number(distance['mean'])} over {distance['cells']:.0f} cells; as printed, {number(distance['as_printed'])}."
    )


def section(found: Findings) -> Section:
    """Return the readings and their effects, and the nearest one at the full protocol."""
    under, reading, nearest, title = found.under, found.evidence.nearest, found.nearest, "Under other readings"
    if not under.single:
        return Section("readings", title)
    tables = [distance_table(under), reading_table(under), effect_table(under)]
    if reading and nearest:
        as_printed = {it.claim.name: it.sizes[INDICATED].verdict for it in found.judged if it.claim.is_sized}
        tables += [
            nearest_gain_table(reading, found.gains, nearest.gains),
            nearest_verdict_table(reading, as_printed, nearest.verdicts),
        ]
    return Section("readings", title, [TEXT, _run_on(under), nearest_sentence(under)], tables=tables)
