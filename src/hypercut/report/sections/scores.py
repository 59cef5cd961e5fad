"""Sections "Table 1", "Table 3" and "Table 4": published scores, ours and the difference.

From labels to an entry: :func:`hypercut.metrics.evaluate` scores a clustering (in ``benchmark.clustering``);
``benchmark.summary`` chooses σ by the mean over repeats and averages there (rule ``oracle``);
:meth:`Evidence.averages` averages over levels; :func:`score_data` joins the published scores;
:func:`score_table` formats.
"""

import pandas as pd

from hypercut.paper import published
from hypercut.report.competing import competing, purity_remark
from hypercut.report.evidence import Evidence, present
from hypercut.report.experiments import METRIC_NAMES, experiment_settings, level_name, other_levels, pair_name
from hypercut.report.render.page import Section
from hypercut.report.render.table import Table, capitalized, compared_cell, grid, number
from hypercut.report.sections.leaderboard import method_kind
from hypercut.report.sections.standard_errors import error_note, error_remark

TITLES = {"clean": "clean sets", "noise": "averages over noise levels", "outlier": "averages over outlier levels"}
TEXT = [
    "First line: our mean ± standard deviation over repeats. Below: the standard error of that mean (SE); the "
    "published score and the difference, blue with ▲ where ours is higher, orange with ▼ where it is lower, stronger "
    "the larger. Stand-ins, subsets and averages over fewer levels are not compared with the paper; USPS-465 is "
    "compared with the published USPS. Click a heading to sort.",
]


def score_data(evidence: Evidence, experiment: str, metric: str, nearest: Evidence | None = None) -> pd.DataFrame:
    """Return one row per dataset and algorithm of Table 1, 3 or 4, in full precision.

    With the evidence of the nearest reading, ``nearest`` is the score under it of the algorithms that it changes.

    ``published`` and ``difference`` are NaN unless the scores compare: a set of the paper, real and complete, over all
    levels, or a random part of one. ``error`` is the standard error of the mean over repeats. ``competes`` says which
    scores may be the best of their dataset.
    """
    rows = evidence.averages(experiment)
    rows = rows.assign(role=rows["algorithm"].map(evidence.roles), data=rows["dataset"].map(evidence.kind))
    rows = rows[rows["metric"] == metric]
    rows["subset"] = ~rows["dataset"].map(evidence.facts["complete"]).astype(bool)
    printed = published.scores(experiment, metric).stack() if metric in published.METRICS else pd.Series(dtype=float)
    counterparts = [evidence.counterpart(name, experiment) for name in rows["dataset"]]
    keys = zip(rows["algorithm"], counterparts, strict=True)
    rows["published"] = pd.Series([printed.get(key) for key in keys], rows.index, dtype=float).where(rows["complete"])
    rows["difference"] = rows["mean"] - rows["published"]
    rows["competes"] = competing(evidence, rows)
    columns = ["dataset", "algorithm", "published", "mean", "spread", "error", "difference", "repeats", "levels"]
    if nearest is not None and evidence.nearest is not None:
        theirs = nearest.averages(experiment).set_index(["dataset", "algorithm", "metric"])
        whole = theirs["mean"].where(theirs["complete"].astype(bool))
        changed = rows["algorithm"].isin(evidence.nearest.algorithms)
        rows["nearest"] = rows.join(whole.rename("nearest"), on=whole.index.names)["nearest"].where(changed)
        columns.append("nearest")
    rows = evidence.in_order(
        rows[[*columns, "complete", "competes", "failed", "role", "data", "subset"]], "algorithm", "dataset"
    )
    return rows.rename(columns={"mean": "ours", "complete": "all_levels"})


def score_table(evidence: Evidence, experiment: str, metric: str, nearest: Evidence | None = None) -> Table:
    """Return Table 1, 3 or 4 in one metric: algorithms × datasets."""
    data = score_data(evidence, experiment, metric, nearest)
    datasets = present(evidence.datasets, data["dataset"])
    best = data[data["competes"]].groupby("dataset")["ours"].max()
    cells = {}
    for row in data.itertuples():
        notes = [error_note(row.error)] if row.role != "control" else []
        notes += [] if row.all_levels else [_partial(row.levels, experiment)]
        notes += [f"{row.failed} failed"] if row.failed else []
        under = getattr(row, "nearest", float("nan"))
        notes += [f"nearest {number(under)}"] if under == under else []
        highest = best[row.dataset] if row.competes else float("nan")
        cells[row.algorithm, row.dataset] = compared_cell(
            row.ours, row.spread, row.published, best=highest, notes=notes
        )
    table = published.EXPERIMENTS[experiment]
    title = f"Table {table}" if metric in published.METRICS else f"In addition to Table {table}"
    return Table(
        name=f"table{table}-{metric.replace('_', '-')}",
        title=f"{title}: {pair_name((experiment, metric))}",
        caption=_caption(evidence, experiment, metric, data),
        columns=["algorithm", *(evidence.label(name) for name in datasets)],
        rows=grid({name: _algorithm_label(evidence, name) for name in data["algorithm"].unique()}, datasets, cells),
        data=data,
    )


def _partial(levels: str, experiment: str) -> str:
    """Return which levels an average is over, in few words."""
    run = levels.split()
    missing = [name for name in map(level_name, experiment_settings(experiment)) if name not in run]
    return f"only {levels}" if len(run) <= len(missing) else f"without {' '.join(missing)}"


def _algorithm_label(evidence: Evidence, name: str) -> str:
    kind = method_kind(evidence, name).removeprefix("paper, ")
    return name if kind == "paper" else f"{name} ({kind})"


def _caption(evidence: Evidence, experiment: str, metric: str, data: pd.DataFrame) -> str:
    levels = len(experiment_settings(experiment))
    over, excluded = "on clean sets", "controls"
    if experiment != "clean":
        excluded = "controls and averages over fewer levels than the others"
        over = f"averaged over {levels} {experiment} levels including L0 (clean)"
    paper = "The paper does not report this metric."
    if metric in published.METRICS:
        paper = "Below each: the published score and the difference, where the two compare."
    caption = (
        f"{capitalized(METRIC_NAMES[metric])} {over}: mean ± standard deviation over repeats, σ chosen with the "
        f"labels. The best of each column, over all methods except {excluded}, is bold. {paper} "
        f"{error_remark(data.loc[data['role'] != 'control', 'error'])}"
    )
    remark = purity_remark(evidence, data["algorithm"], metric, "not bold")
    caption += f" {remark}" if remark else ""
    if "nearest" in data and evidence.nearest is not None:
        caption += f" Nearest: the score under the reading {evidence.nearest.name}, where it changes the algorithm."
    others = other_levels(evidence.cells, experiment)
    return caption + (f" Excluded from averages (not in the paper): {', '.join(others)}." if others else "")


def section(evidence: Evidence, experiment: str, nearest: Evidence | None = None) -> Section:
    """Return the section of one experiment; ``nearest`` is the evidence under the nearest reading."""
    table = published.EXPERIMENTS[experiment]
    return Section(
        f"table{table}",
        f"Table {table}: {TITLES[experiment]}",
        TEXT,
        tabs=[
            score_table(evidence, experiment, metric, nearest if metric in published.METRICS else None)
            for metric in METRIC_NAMES
        ],
        optional=True,
    )
