"""The report: what reproduces, cell by cell, and by how much PKO+HSC really gains.

:func:`build_report` makes it from the aggregated results alone. The paper's figures are in ``published.toml``.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from hypercut.errors import InputError
from hypercut.paper import published
from hypercut.report.contents import Writer
from hypercut.report.evidence import Evidence
from hypercut.report.folder import replaced_folder
from hypercut.report.gains import gains
from hypercut.report.ranks import rankings
from hypercut.report.style import drawing

__all__ = ["build_report", "headline"]


def build_report(
    table: pd.DataFrame, run: Mapping[str, Any], out: Path, *, similarity_features: Path | None = None
) -> None:
    """Write the report into the folder ``out``: ``index.html``, ``tables/`` and ``figures/``.

    ``table`` has the aggregated rows (:data:`hypercut.benchmark.rows.SCHEMA` without labels), sweeps included. ``run``
    describes the run: ``created``, ``version``, ``commit``, ``dirty``, ``fingerprint``, ``machine``, ``config``,
    ``datasets``, ``expected``, from which the report knows what is missing, and ``stale``, what of that was left out,
    and why; what is absent there is shown as unknown. From ``similarity_features``,
    the features of ORL, the similarity matrices are drawn.
    """
    if table.empty or not (table["sweep"] == "").any():
        raise InputError("Expected results to report on, found none. Run the benchmark first.")
    evidence = Evidence(table.reset_index(drop=True), run)
    with replaced_folder(Path(out)) as folder, drawing():
        (folder / "tables").mkdir()
        (folder / "figures").mkdir()
        (folder / "index.html").write_text(Writer(folder).page(evidence, similarity_features), encoding="utf-8")


def headline(table: pd.DataFrame, run: Mapping[str, Any]) -> dict[str, float]:
    """Return the figures of the first screen and the mean scores by a name that MLflow takes.

    ``gain/clean/nmi/CSC`` is the average gain of PKO+HSC over CSC in percent, ``gain_low`` and ``gain_high`` its
    interval, ``mean/clean/nmi/CSC`` the mean over the comparable datasets, ``rank/clean/nmi/CSC`` the mean rank. What
    could not be computed is left out.
    """
    evidence = Evidence(table.reset_index(drop=True), run)
    found: dict[str, float] = {}
    rows = gains(evidence)
    for row in rows[rows["scope"] == "paper"].itertuples():
        key = f"{row.experiment}/{row.metric}/{_metric_name(row.competitor)}"
        found |= {f"gain/{key}": row.ours, f"gain_low/{key}": row.low, f"gain_high/{key}": row.high}
    for experiment in published.EXPERIMENTS:
        means = evidence.comparable_averages(experiment).groupby(["metric", "algorithm"])["mean"].mean()
        for (metric, algorithm), value in means.items():
            found[f"mean/{experiment}/{metric}/{_metric_name(algorithm)}"] = value
    for ranking in rankings(evidence):
        if ranking.scope == "paper":
            for algorithm, rank in ranking.mean_ranks.items():
                found[f"rank/{ranking.experiment}/{ranking.metric}/{_metric_name(str(algorithm))}"] = rank
    return {name: float(value) for name, value in found.items() if value == value}


def _metric_name(algorithm: str) -> str:
    return re.sub(r"[^A-Za-z0-9_\-. ]", "-", algorithm)
