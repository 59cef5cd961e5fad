"""Builds the report: :func:`build_report`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from hypercut.analysis.competing import with_all_methods
from hypercut.analysis.evidence import Evidence
from hypercut.analysis.gains import average_gains, paper_gains
from hypercut.analysis.ranks import Ranking, rankings
from hypercut.errors import InputError
from hypercut.paper import published
from hypercut.report.findings import Findings, current_matrices, find
from hypercut.report.folder import replaced_folder
from hypercut.report.render.figure import save_figure
from hypercut.report.render.page import APPENDIX, INDEX, Section, render, save_section, save_table
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
    published_figures,
    ranks,
    readings,
    scores,
    sensitivity,
    standard_errors,
    weights,
    what_was_run,
    why_it_loses,
)
from hypercut.results.matrices import Matrices


def build_report(
    table: pd.DataFrame, run: Mapping[str, Any], out: Path, *, similarity: Path | None = None
) -> dict[str, float]:
    """Write both pages, ``tables/`` and ``figures/`` into the folder ``out``; return the main numbers for MLflow.

    ``table`` holds the aggregated rows (:data:`hypercut.results.rows.TABLE_SCHEMA`), with sweeps and readings.
    ``run`` describes the run: ``created``, ``version``, ``commit``, ``dirty``, ``fingerprint``, ``machine``,
    ``config``, ``datasets``, ``expected`` (the results that there should be) and ``stale`` (those that were not used,
    and why). Entries that it lacks are shown as unknown. ``similarity`` is the file of ORL's similarity matrices.
    """
    if table.empty or not (table["variation"] == "").any():
        raise InputError("There are no results to report. Run the benchmark first.")
    with replaced_folder(Path(out)) as folder, theme():
        (folder / "tables").mkdir()
        (folder / "figures").mkdir()
        evidence = Evidence(table, run)
        matrices = current_matrices(evidence, similarity)
        found, ranked = find(evidence, matrices), rankings(evidence)
        shown = claims.described(evidence, found.judged)
        pages = {INDEX: _main(found, shown), APPENDIX: _appendix(found, ranked, matrices)}
        saved = {file: [save_section(section, folder) for section in sections] for file, sections in pages.items()}
        save_table(claims.claim_table(shown), folder)
        headline = [save_figure(it, folder / "figures") for it in gains.gain_chart(found.gains, found.spans)]
        first = first_screen.first_screen(found)
        for file, text in render(saved, {**first, "headline": headline}).items():
            (folder / file).write_text(text, encoding="utf-8")
    return _headline(evidence, found.gains, ranked)


def _main(found: Findings, shown: Sequence[claims.Claim]) -> Iterator[Section]:
    """Yield the sections of the page with the answer, in their order."""
    evidence = found.evidence
    nearest = found.nearest.evidence if found.nearest else None
    yield leaderboard.section(evidence)
    yield claims.section(shown)
    yield gains.section(evidence, found.gains, average_gains(evidence, "unsupervised"))
    yield why_it_loses.section(evidence)
    yield scores.section(evidence, "clean", nearest)
    yield weights.section(evidence)
    yield scores.section(evidence, "noise", nearest)
    yield scores.section(evidence, "outlier", nearest)
    yield curves.section(evidence)


def _appendix(found: Findings, ranked: Sequence[Ranking], matrices: Matrices | None) -> Iterator[Section]:
    """Yield the sections of the appendix, in their order."""
    evidence = found.evidence
    yield readings.section(found)
    yield sensitivity.section(evidence, matrices)
    yield label_free_sigma.section(evidence)
    yield ranks.section(evidence, ranked)
    yield standard_errors.section(evidence)
    yield cost.section(evidence)
    yield beyond.section(evidence)
    yield published_figures.section()
    yield failures.section(evidence)
    yield what_was_run.section(evidence)


def _headline(evidence: Evidence, found_gains: pd.DataFrame, ranked: Sequence[Ranking]) -> dict[str, float]:
    """Return average gains, mean scores and mean ranks under names that MLflow accepts.

    ``gain/clean/nmi/CSC`` is the average gain of PKO+HSC over CSC in percent, ``gain_low`` and ``gain_high`` the ends
    of its interval, ``mean/clean/nmi/CSC`` the mean over the comparable datasets that all of the paper's algorithms
    that were run have, ``rank/clean/nmi/CSC`` the mean rank. Numbers that could not be computed are left out, such as
    the mean of a method that lacks one of these datasets.
    """
    found: dict[str, float] = {}
    for row in paper_gains(found_gains).itertuples():
        key = f"{row.experiment}/{row.metric}/{row.competitor}"
        found |= {f"gain/{key}": row.ours, f"gain_low/{key}": row.low, f"gain_high/{key}": row.high}
    for experiment in published.EXPERIMENTS:
        for metric, rows in evidence.comparable_averages(experiment).groupby("metric"):
            scores = rows.pivot(index="algorithm", columns="dataset", values="mean")
            eight = with_all_methods(scores[scores.index.isin(published.ALGORITHMS)])
            for algorithm, value in scores[eight.columns].mean(axis=1, skipna=False).items():
                found[f"mean/{experiment}/{metric}/{algorithm}"] = value
    for ranking in ranked:
        for algorithm, rank in ranking.mean_ranks.items():
            found[f"rank/{ranking.experiment}/{ranking.metric}/{algorithm}"] = rank
    return {re.sub(r"[^A-Za-z0-9_\-./ ]", "-", name): float(value) for name, value in found.items() if value == value}
