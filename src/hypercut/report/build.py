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

from hypercut.benchmark.matrices import Matrices, load_matrices
from hypercut.benchmark.rows import CELL, RESULT_FILE
from hypercut.errors import InputError
from hypercut.paper import protocol, published
from hypercut.report.evidence import Evidence
from hypercut.report.folder import replaced_folder
from hypercut.report.readings import ReadingScores
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
from hypercut.report.verdicts import Verdict


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
    matrices = _current_matrices(evidence, similarity) if similarity else None
    with replaced_folder(Path(out)) as folder, TemporaryDirectory() as scratch, theme(), _python_strings():
        for name in ("tables", "figures"):
            (folder / name).mkdir()
        writer = FigureWriter(folder / "figures", Path(scratch))
        # These take longest to draw, and are drawn while the others are computed.
        drawn_first = _begin(writer, _score_sections(evidence, matrices))
        with_labels, rankings = gains.average_gains(evidence), ranks.rankings(evidence)
        judged, spans, judging = _judging_sections(evidence, with_labels, matrices)
        headline = writer.begin(gains.gain_chart(with_labels, spans, "nmi"))
        tables = [leaderboard.section(evidence), ranks.section(evidence, rankings), *_other_sections(evidence)]
        sections = [
            replace(save_section(section, folder), figures=figures.result())
            for section, figures in [*drawn_first, *_begin(writer, [*judging, *tables])]
        ]
        save_table(claims.claim_table(judged), folder)
        first = first_screen.first_screen(evidence, judged, with_labels, spans)
        sections.sort(key=lambda section: ORDER.index(section.name))
        page = render(sections, {**first, "headline": headline.result()})
        (folder / "index.html").write_text(page, encoding="utf-8")
    return _headline(evidence, with_labels, rankings)


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


def _judging_sections(
    evidence: Evidence, with_labels: pd.DataFrame, matrices: Matrices | None
) -> tuple[list[claims.Claim], pd.DataFrame, list[Section]]:
    """Return the claims, the span of each gain over readings, and the sections on gains, readings and scores."""
    as_printed = claims.judge(evidence, with_labels, matrices)
    under = ReadingScores(evidence)
    nearest = evidence.under(evidence.nearest) if evidence.nearest else None
    nearest_gains = gains.average_gains(nearest) if nearest else None
    verdicts, nearest_tables = _at_full_protocol(evidence, nearest, nearest_gains, with_labels, as_printed)
    judged = claims.with_readings(as_printed, under, verdicts)
    spans = gains.reading_spans(under, with_labels, nearest_gains)
    found = [
        readings.section(under, nearest_tables),
        claims.section(judged),
        gains.section(with_labels, gains.average_gains(evidence, "unsupervised"), spans),
        *(scores.section(evidence, experiment, nearest) for experiment in published.EXPERIMENTS),
    ]
    return judged, spans, found


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


def _at_full_protocol(
    evidence: Evidence,
    nearest: Evidence | None,
    its_gains: pd.DataFrame | None,
    found_gains: pd.DataFrame,
    judged: Sequence[claims.Claim],
) -> tuple[dict[str, Verdict], list[Table]]:
    """Return the verdicts under the nearest reading by claim, and the tables that show both; nothing without one."""
    if nearest is None or its_gains is None or evidence.nearest is None:
        return {}, []
    verdicts = {claim.name: claim.verdict for claim in claims.judge_scores(nearest, its_gains)}
    return verdicts, [
        readings.nearest_gain_table(evidence.nearest, found_gains, its_gains),
        readings.nearest_verdict_table(evidence.nearest, judged, verdicts),
    ]


def _current_matrices(evidence: Evidence, path: Path) -> Matrices | None:
    """Return the similarity matrices unless they are stale: of another σ than the one chosen now."""
    matrices = load_matrices(path)
    cell = (protocol.SIMILARITY_DATASET, protocol.CLEAN, published.METHOD)
    chosen = evidence.summary.set_index([*CELL, "rule"])["sigma_factor"].get((*cell, "oracle"))
    return matrices if chosen == matrices.sigma_factor else None


def _headline(evidence: Evidence, found_gains: pd.DataFrame, rankings: Sequence[ranks.Ranking]) -> dict[str, float]:
    """Return average gains, mean scores and mean ranks under names that MLflow accepts.

    ``gain/clean/nmi/CSC`` is the average gain of PKO+HSC over CSC in percent, ``gain_low`` and ``gain_high`` the ends
    of its interval, ``mean/clean/nmi/CSC`` the mean over the comparable datasets, ``rank/clean/nmi/CSC`` the mean rank.
    Numbers that could not be computed are left out.
    """
    found: dict[str, float] = {}
    for row in found_gains[found_gains["scope"] == "paper"].itertuples():
        key = f"{row.experiment}/{row.metric}/{row.competitor}"
        found |= {f"gain/{key}": row.ours, f"gain_low/{key}": row.low, f"gain_high/{key}": row.high}
    for experiment in published.EXPERIMENTS:
        means = evidence.comparable_averages(experiment).groupby(["metric", "algorithm"])["mean"].mean()
        for (metric, algorithm), value in means.items():
            found[f"mean/{experiment}/{metric}/{algorithm}"] = value
    for ranking in rankings:
        if ranking.scope == "paper":
            for algorithm, rank in ranking.mean_ranks.items():
                found[f"rank/{ranking.experiment}/{ranking.metric}/{algorithm}"] = rank
    return {re.sub(r"[^A-Za-z0-9_\-./ ]", "-", name): float(value) for name, value in found.items() if value == value}
