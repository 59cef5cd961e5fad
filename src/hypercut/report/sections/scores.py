"""Sections "Table 1", "Table 3" and "Table 4": published scores, ours and the difference.

:func:`hypercut.analysis.evidence.table_scores` has the numbers.
"""

from hypercut.analysis.evidence import Evidence, present, table_scores
from hypercut.analysis.experiments import METRIC_NAMES, experiment_settings, pair_name
from hypercut.analysis.leaderboard import method_kind
from hypercut.paper import published
from hypercut.report.render.page import Section
from hypercut.report.render.table import Table, compared_cell, grid_table

TITLES = {"clean": "clean sets", "noise": "averages over noise levels", "outlier": "averages over outlier levels"}
TEXT = (
    "Our mean ± standard deviation over repeats, σ chosen with the labels; below, the published score and the "
    "difference, where the two compare. Bold is the best of a column, without controls, averages over fewer levels "
    "and, in purity, methods that split clusters. The CSV file also has standard errors, repeats and levels."
)


def score_table(evidence: Evidence, experiment: str, metric: str, nearest: Evidence | None = None) -> Table:
    """Return Table 1, 3 or 4 in one metric: algorithms × datasets."""
    data = table_scores(evidence, experiment, metric, nearest)
    best = data[data["competes"]].groupby("dataset")["ours"].max()
    cells = {}
    for row in data.itertuples():
        notes = (
            [] if row.all_levels else [f"{len(row.levels.split())} of {len(experiment_settings(experiment))} levels"]
        )
        notes += [f"{row.failed} failed"] if row.failed else []
        highest = best[row.dataset] if row.competes else float("nan")
        cells[row.algorithm, row.dataset] = compared_cell(
            row.ours, row.spread, row.published, best=highest, notes=notes
        )
    table = published.EXPERIMENTS[experiment]
    title = f"Table {table}" if metric in published.METRICS else f"In addition to Table {table}"
    return grid_table(
        f"table{table}-{metric.replace('_', '-')}",
        f"{title}: {pair_name((experiment, metric))}",
        "",
        data,
        cells,
        corner="algorithm",
        rows={name: _label(evidence, name) for name in data["algorithm"].unique()},
        columns={name: evidence.label(name) for name in present(evidence.datasets, data["dataset"])},
    )


def _label(evidence: Evidence, name: str) -> str:
    kind = method_kind(evidence, name).removeprefix("paper, ").removesuffix(" the paper")
    return name if kind == "paper" else f"{name} ({kind})"


def section(evidence: Evidence, experiment: str, nearest: Evidence | None = None) -> Section:
    """Return the tables of one experiment, one per metric; ``nearest`` is the evidence under the nearest reading."""
    table = published.EXPERIMENTS[experiment]
    tabs = [
        score_table(evidence, experiment, metric, nearest if metric in published.METRICS else None)
        for metric in METRIC_NAMES
        if evidence.cells[metric].notna().any()  # archives of version 1.0 have no AMI
    ]
    return Section(f"table{table}", f"Table {table}: {TITLES[experiment]}", [TEXT], tabs=tabs)
