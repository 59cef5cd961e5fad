"""Builds the report: :func:`build_report`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from hypercut.benchmark.matrices import Matrices
from hypercut.benchmark.rows import RESULT_FILE
from hypercut.errors import InputError
from hypercut.paper import published
from hypercut.report.competing import with_all_methods
from hypercut.report.evidence import Evidence
from hypercut.report.findings import Findings, current_matrices, find
from hypercut.report.folder import replaced_folder
from hypercut.report.render.figure import FigureWriter, Future
from hypercut.report.render.page import Section, render, save_section, save_table
from hypercut.report.render.table import Table
from hypercut.report.render.theme import theme
from hypercut.report.sections import (
    beyond,
    claims,
    cost,
    curves,
    failures,
    first_screen,
    gains,
    label_free_sigma,
    leaderboard,
    missing,
    notes,
    published_figures,
    ranks,
    readings,
    scores,
    sensitivity,
    standard_errors,
    weights,
    what_was_run,
)


def build_report(
    table: pd.DataFrame, run: Mapping[str, Any], out: Path, *, similarity: Path | None = None
) -> dict[str, float]:
    """Write ``index.html``, ``tables/`` and ``figures/`` into the folder ``out``; return the main numbers for MLflow.

    ``table`` holds the aggregated rows (:data:`hypercut.benchmark.rows.TABLE_SCHEMA`), with sweeps and readings.
    ``run`` describes the run: ``created``, ``version``, ``commit``, ``dirty``, ``fingerprint``, ``machine``,
    ``config``, ``datasets``, ``expected`` (the results that there should be) and ``stale`` (those that were not used,
    and why). Entries that it lacks are shown as unknown. ``similarity`` is the file of ORL's similarity matrices.
    """
    if table.empty or not (table["variation"] == "").any():
        raise InputError("There are no results to report. Run the benchmark first.")
    evidence = Evidence(_with_python_strings(table), run)
    matrices = current_matrices(evidence, similarity)
    with replaced_folder(Path(out)) as folder, TemporaryDirectory() as scratch, theme(), _python_strings():
        for name in ("tables", "figures"):
            (folder / name).mkdir()
        writer = FigureWriter(folder / "figures", Path(scratch))
        # These take longest to draw, and are drawn while the others are computed.
        drawn_first = _begin(writer, _score_sections(evidence, matrices))
        found, rankings = find(evidence, matrices), ranks.rankings(evidence)
        headline = writer.begin(gains.gain_chart(found.gains, found.spans, "nmi"))
        tables = [leaderboard.section(evidence), ranks.section(evidence, rankings), *_other_sections(evidence)]
        sections = [
            replace(save_section(section, folder), figures=figures.result())
            for section, figures in [*drawn_first, *_begin(writer, [*_judging_sections(found), *tables])]
        ]
        save_table(claims.claim_table(found.claims), folder)
        first = first_screen.first_screen(evidence, found.claims, found.gains, found.spans)
        sections.sort(key=lambda section: ORDER.index(section.name))
        page = render(sections, {**first, "headline": headline.result()})
        (folder / "index.html").write_text(page, encoding="utf-8")
    return _headline(evidence, found.gains, rankings)


def _python_strings() -> AbstractContextManager[None]:
    """Make new columns of strings hold Python's: thousands of small tables are compared faster than with Arrow's."""
    return pd.option_context("mode.string_storage", "python")


def _with_python_strings(table: pd.DataFrame) -> pd.DataFrame:
    names = [*RESULT_FILE, "corruption", "role", "parameters", "data_kind", "status"]
    return table.astype(dict.fromkeys(names, pd.StringDtype("python", na_value=np.nan))).reset_index(drop=True)


#: The names of the sections in the order of the page.
ORDER = (
    *("leaderboard", "claims", "gains", "readings", "table1", "table2", "table3", "table4", "curves-noise"),
    *("curves-outlier", "sensitivity", "selection", "ranks", "standard-errors", "cost", "beyond", "published-figures"),
    *("failures", "missing", "run", "notes"),
)


def _begin(writer: FigureWriter, sections: Iterable[Section]) -> list[tuple[Section, Future]]:
    """Begin to draw the figures of sections."""
    return [(section, writer.begin(section.figures)) for section in sections]


def _score_sections(evidence: Evidence, matrices: Matrices | None) -> list[Section]:
    """Return the sections with many figures, which need nothing but the scores."""
    _ = evidence.summary, evidence.sweeps  # known before processes are forked
    return [
        curves.section(evidence, "noise"),
        sensitivity.section(evidence, matrices),
        curves.section(evidence, "outlier"),
        label_free_sigma.section(evidence),
        cost.section(evidence),
        published_figures.section(),
    ]


def _judging_sections(found: Findings) -> list[Section]:
    """Return the sections on gains, claims, readings and scores."""
    nearest = found.nearest.evidence if found.nearest else None
    return [
        readings.section(found.under, _at_full_protocol(found)),
        claims.section(found.claims),
        gains.section(found.gains, found.unsupervised_gains, found.spans),
        *(scores.section(found.evidence, experiment, nearest) for experiment in published.EXPERIMENTS),
    ]


def _at_full_protocol(found: Findings) -> list[Table]:
    """Return the tables of the nearest reading at the full protocol; nothing without one."""
    reading, nearest = found.evidence.nearest, found.nearest
    if reading is None or nearest is None:
        return []
    return [
        readings.nearest_gain_table(reading, found.gains, nearest.gains),
        readings.nearest_verdict_table(reading, found.as_printed, nearest.verdicts),
    ]


def _other_sections(evidence: Evidence) -> list[Section]:
    """Return the sections that are mostly tables."""
    return [
        weights.section(evidence),
        standard_errors.section(evidence),
        beyond.section(evidence),
        failures.section(evidence),
        missing.section(evidence),
        what_was_run.section(evidence),
        notes.section(),
    ]


def _headline(evidence: Evidence, found_gains: pd.DataFrame, rankings: Sequence[ranks.Ranking]) -> dict[str, float]:
    """Return average gains, mean scores and mean ranks under names that MLflow accepts.

    ``gain/clean/nmi/CSC`` is the average gain of PKO+HSC over CSC in percent, ``gain_low`` and ``gain_high`` the ends
    of its interval, ``mean/clean/nmi/CSC`` the mean over the comparable datasets that all of the paper's algorithms
    that were run have, ``rank/clean/nmi/CSC`` the mean rank. Numbers that could not be computed are left out, such as
    the mean of a method that lacks one of these datasets.
    """
    found: dict[str, float] = {}
    for row in found_gains[found_gains["scope"] == "paper"].itertuples():
        key = f"{row.experiment}/{row.metric}/{row.competitor}"
        found |= {f"gain/{key}": row.ours, f"gain_low/{key}": row.low, f"gain_high/{key}": row.high}
    for experiment in published.EXPERIMENTS:
        for metric, rows in evidence.comparable_averages(experiment).groupby("metric"):
            scores = rows.pivot(index="algorithm", columns="dataset", values="mean")
            eight = with_all_methods(scores[scores.index.isin(published.ALGORITHMS)])
            for algorithm, value in scores[eight.columns].mean(axis=1, skipna=False).items():
                found[f"mean/{experiment}/{metric}/{algorithm}"] = value
    for ranking in rankings:
        if ranking.scope == "paper":
            for algorithm, rank in ranking.mean_ranks.items():
                found[f"rank/{ranking.experiment}/{ranking.metric}/{algorithm}"] = rank
    return {re.sub(r"[^A-Za-z0-9_\-./ ]", "-", name): float(value) for name, value in found.items() if value == value}
