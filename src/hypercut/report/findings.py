"""What a benchmark says about the paper, behind the page and the published results: :func:`find`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from hypercut.analysis.claims import Judgement, findings, judge, under_readings
from hypercut.analysis.evidence import INDICATED, Evidence
from hypercut.analysis.gains import average_gains, paper_gains
from hypercut.analysis.readings import ReadingScores, gain_spans
from hypercut.analysis.verdicts import Verdict
from hypercut.paper import protocol, published
from hypercut.results.matrices import Matrices, load_matrices, result_digest
from hypercut.results.rows import CELL


@dataclass(frozen=True)
class Nearest:
    """The reading that is run at the full protocol: its evidence and, at the indicated sizes, gains and verdicts."""

    evidence: Evidence
    gains: pd.DataFrame
    verdicts: dict[str, Verdict]


@dataclass(frozen=True)
class Findings:
    """Gains, verdicts, and what other readings of the paper make of them."""

    evidence: Evidence
    gains: pd.DataFrame
    """with σ chosen with the labels, see :func:`hypercut.analysis.gains.average_gains`"""
    judged: Sequence[Judgement]
    under: ReadingScores
    spans: pd.DataFrame
    """the smallest and the largest of each gain over the readings"""
    nearest: Nearest | None


def find(evidence: Evidence, matrices: Matrices | None = None) -> Findings:
    """Judge the claims of the paper, as printed and under its other readings."""
    gains = average_gains(evidence)
    judged = judge(evidence, gains, matrices)
    under = ReadingScores(evidence)
    nearest = None
    if evidence.nearest is not None:
        theirs = evidence.under(evidence.nearest)
        their_gains = average_gains(theirs)
        found = findings(theirs.at(INDICATED), paper_gains(their_gains, INDICATED))
        verdicts = {it.claim.name: found[it.claim.name].verdict for it in judged if it.claim.experiments}
        nearest = Nearest(theirs, their_gains, verdicts)
    spans = gain_spans(under, gains, nearest.gains if nearest else None)
    judged = under_readings(judged, under, nearest.verdicts if nearest else {})
    return Findings(evidence, gains, judged, under, spans, nearest)


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
