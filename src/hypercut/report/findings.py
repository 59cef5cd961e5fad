"""What a benchmark says about the paper, behind the page and the published results: :func:`find`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from hypercut.benchmark.matrices import Matrices, load_matrices, result_digest
from hypercut.benchmark.rows import CELL
from hypercut.paper import protocol, published
from hypercut.report.evidence import Evidence
from hypercut.report.readings import ReadingScores
from hypercut.report.sections import claims, gains
from hypercut.report.verdicts import Verdict


@dataclass(frozen=True)
class Nearest:
    """The reading that is run at the full protocol: its evidence, gains and verdicts by claim."""

    evidence: Evidence
    gains: pd.DataFrame
    verdicts: dict[str, Verdict]


@dataclass(frozen=True)
class Findings:
    """Gains, verdicts, and what other readings of the paper make of them."""

    evidence: Evidence
    gains: pd.DataFrame
    """with σ chosen with the labels, see :func:`.gains.average_gains`"""
    unsupervised_gains: pd.DataFrame
    as_printed: Sequence[claims.Claim]
    claims: Sequence[claims.Claim]
    """with the verdicts that depend on the reading"""
    under: ReadingScores
    spans: pd.DataFrame
    """the smallest and the largest of each gain over the readings"""
    nearest: Nearest | None


def find(evidence: Evidence, matrices: Matrices | None = None) -> Findings:
    """Judge the claims of the paper, as printed and under its other readings."""
    found = gains.average_gains(evidence)
    as_printed = claims.judge(evidence, found, matrices)
    under = ReadingScores(evidence)
    nearest = _nearest(evidence)
    return Findings(
        evidence=evidence,
        gains=found,
        unsupervised_gains=gains.average_gains(evidence, "unsupervised"),
        as_printed=as_printed,
        claims=claims.with_readings(
            as_printed, under, nearest.verdicts if nearest else {}, nearest.gains if nearest else None
        ),
        under=under,
        spans=gains.reading_spans(under, found, nearest.gains if nearest else None),
        nearest=nearest,
    )


def _nearest(evidence: Evidence) -> Nearest | None:
    if evidence.nearest is None:
        return None
    theirs = evidence.under(evidence.nearest)
    found = gains.average_gains(theirs)
    judged = [claim for claim in claims.judge_scores(theirs, found) if claim.name not in evidence.nearest.not_for]
    return Nearest(theirs, found, {claim.name: claim.verdict for claim in judged})


def current_matrices(evidence: Evidence, path: Path | None) -> Matrices | None:
    """Return the similarity matrices of ORL unless they are stale: not of the results of PKO+HSC, or of another σ."""
    if path is None:
        return None
    matrices = load_matrices(path)
    cell = (protocol.SIMILARITY_DATASET, protocol.CLEAN, published.METHOD)
    chosen = evidence.summary.set_index([*CELL, "rule"])["sigma_factor"].get((*cell, "oracle"))
    rows = evidence.cells[(evidence.cells[CELL] == list(cell)).all(axis=1)]
    is_current = chosen == matrices.sigma_factor and result_digest(rows) == matrices.result
    return matrices if is_current else None
