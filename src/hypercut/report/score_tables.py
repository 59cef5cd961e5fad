"""Tables 1–4: published, ours with its spread, and the difference, cell by cell."""

from typing import Any

import pandas as pd

from hypercut.paper import published
from hypercut.report.beyond import BEYOND
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import EXPERIMENT_NAMES, METRIC_NAMES, capitalized, experiment_settings, level_name
from hypercut.report.tables import Cell, Table, number

#: A difference of this much from the published figure has the full colour.
FULL_TONE = 0.15


def score_data(evidence: Evidence, experiment: str, metric: str) -> pd.DataFrame:
    """Return one row per dataset and algorithm of Table 1, 3 or 4, in full precision.

    ``published`` and ``difference`` are there only where the two compare: a set of the paper, real and complete, over
    all levels.
    """
    rows = evidence.averages(experiment)
    rows = rows.assign(role=rows["algorithm"].map(evidence.roles))
    # What goes beyond the paper has tables of its own: hypercut.report.beyond.
    rows = rows[(rows["metric"] == metric) & (rows["role"] != BEYOND)].reset_index(drop=True)
    printed = published.scores(experiment, metric) if metric in published.METRICS else pd.DataFrame()
    rows["data"] = rows["dataset"].map(evidence.kind)
    rows["subset"] = rows["dataset"].map(lambda name: not evidence.facts.loc[name, "complete"])
    compares = [row.complete and evidence.comparable(row.dataset, experiment) for row in rows.itertuples()]
    known = [
        ok and row.algorithm in printed.index and row.dataset in printed.columns
        for ok, row in zip(compares, rows.itertuples(), strict=True)
    ]
    rows["published"] = [
        float(printed.loc[row.algorithm, row.dataset]) if ok else float("nan")
        for ok, row in zip(known, rows.itertuples(), strict=True)
    ]
    rows["difference"] = rows["mean"] - rows["published"]
    order = {name: number for number, name in enumerate(evidence.algorithms)}
    sets = {name: number for number, name in enumerate(evidence.datasets)}
    rows = rows.sort_values(["algorithm", "dataset"], key=lambda column: column.map(order | sets), ignore_index=True)
    columns = ["dataset", "algorithm", "published", "mean", "spread", "difference", "repeats", "levels", "complete"]
    return rows[[*columns, "failed", "role", "data", "subset"]].rename(
        columns={"mean": "ours", "complete": "all_levels"}
    )


def score_table(evidence: Evidence, experiment: str, metric: str) -> Table:
    """Return Table 1, 3 or 4 in one metric: algorithms × datasets."""
    data = score_data(evidence, experiment, metric)
    datasets = [name for name in evidence.datasets if name in set(data["dataset"])]
    best = _best(data)
    cells = {(row.algorithm, row.dataset): _cell(row, best, experiment) for row in data.itertuples()}
    rows = [
        [Cell(_algorithm_label(evidence, name)), *(cells.get((name, dataset), Cell("–")) for dataset in datasets)]
        for name in evidence.algorithms
        if name in set(data["algorithm"])
    ]
    table = published.EXPERIMENTS[experiment]
    of_the_paper = metric in published.METRICS
    title = f"Table {table}: {EXPERIMENT_NAMES[experiment]}, {METRIC_NAMES[metric]}"
    return Table(
        name=f"table{table}-{metric.replace('_', '-')}",
        title=title if of_the_paper else title.replace("Table", "Beside Table"),
        caption=_caption(evidence, experiment, metric),
        columns=["algorithm", *(evidence.label(name) for name in datasets)],
        rows=rows,
        data=data,
    )


def _best(data: pd.DataFrame) -> dict[str, float]:
    """The highest of each column, controls left out."""
    rows = data[data["role"] != "control"]
    return rows.groupby("dataset")["ours"].max().to_dict()


def _cell(row: Any, best: dict[str, float], experiment: str) -> Cell:
    ours, spread, paper = row.ours, row.spread, row.published
    notes: list[str] = []
    tone = None
    if not row.all_levels:
        notes.append(_partial(row.levels, experiment))
    if row.failed:
        notes.append(f"{row.failed} failed")
    if paper == paper:
        notes += [f"paper {number(paper)}", f"Δ {number(ours - paper, sign=True)}"]
        tone = max(-1.0, min(1.0, (ours - paper) / FULL_TONE))
    is_best = round(ours, 12) == round(best.get(row.dataset, float("nan")), 12)
    return Cell(
        number(ours),
        value=ours,
        spread=number(spread) if spread == spread else "",
        notes=tuple(notes),
        tone=tone,
        best=is_best and row.role != "control",
    )


def _partial(levels: str, experiment: str) -> str:
    """Which levels an average is over, in few words."""
    run = levels.split()
    missing = [name for name in map(level_name, experiment_settings(experiment)) if name not in run]
    return f"only {levels}" if len(run) <= len(missing) else f"without {' '.join(missing)}"


def _algorithm_label(evidence: Evidence, name: str) -> str:
    role = evidence.roles[name]
    if role != "algorithm":
        return f"{name} ({role})"
    if name in ("NRSC", "RWDSM"):
        return f"{name} (reconstruction)"
    return name if name in published.ALGORITHMS else f"{name} (not in the paper)"


def _caption(evidence: Evidence, experiment: str, metric: str) -> str:
    what = {
        "clean": "on the sets as they are",
        "noise": f"averaged over {len(experiment_settings('noise'))} noise levels, L0 (clean) being one",
        "outlier": f"averaged over {len(experiment_settings('outlier'))} outlier levels, L0 (clean) being one",
    }[experiment]
    paper = (
        " Below each: the paper's figure and the difference, where the two compare."
        if metric in published.METRICS
        else " The paper does not report this metric."
    )
    return (
        f"{capitalized(METRIC_NAMES[metric])} {what}: mean ± standard deviation over repeats, σ chosen with the "
        f"labels. The best of each column is bold.{paper}{_left_out(evidence, experiment)}"
    )


def _left_out(evidence: Evidence, experiment: str) -> str:
    """What was run besides the paper's levels."""
    others = evidence.other_levels(experiment)
    return f" In no average, since they are not the paper's levels: {', '.join(others)}." if others else ""


def weight_table(evidence: Evidence, metric: str) -> Table:
    """Return Table 2 in one metric: datasets × pairs (α, β)."""
    rows = evidence.sweeps[evidence.sweeps["sweep"] == "weights"]
    data = _weight_data(evidence, rows, metric)
    pairs = sorted(
        {(row.alpha, row.beta) for row in data.itertuples()},
        key=lambda pair: (published.WEIGHTS.index(pair) if pair in published.WEIGHTS else len(published.WEIGHTS), pair),
    )
    best = data.groupby("dataset")["ours"].max().to_dict() if len(data) else {}
    cells = {(row.dataset, (row.alpha, row.beta)): _weight_cell(row, best) for row in data.itertuples()}
    return Table(
        name=f"table2-{metric.replace('_', '-')}",
        title=f"Table 2: weights (α, β), {METRIC_NAMES[metric]}",
        caption=f"{capitalized(METRIC_NAMES[metric])} of PKO+HSC on the clean sets with different weights (α, β); mean "
        "± standard deviation over repeats. The best of each row is bold. Below each: the paper's figure and the "
        "difference.",
        columns=["dataset", *(f"({alpha:g}, {beta:g})" for alpha, beta in pairs)],
        rows=[
            [Cell(evidence.label(name)), *(cells.get((name, pair), Cell("–")) for pair in pairs)]
            for name in evidence.datasets
            if name in set(data["dataset"])
        ],
        data=data,
    )


def _weight_data(evidence: Evidence, rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    columns = ["dataset", "data", "alpha", "beta", "published", "ours", "spread", "difference", "repeats", "failed"]
    if rows.empty:
        return pd.DataFrame(columns=columns)
    printed = published.weight_scores(metric)
    data = rows.rename(columns={f"{metric}_mean": "ours", f"{metric}_std": "spread"})
    data["published"] = [
        float(printed.loc[row.dataset].get((row.alpha, row.beta), float("nan")))
        if evidence.comparable(row.dataset, "clean")
        else float("nan")
        for row in data.itertuples()
    ]
    data["difference"] = data["ours"] - data["published"]
    data["data"] = data["dataset"].map(evidence.kind)
    return data.sort_values(["dataset", "alpha", "beta"], ignore_index=True)[columns]


def _weight_cell(row: Any, best: dict[str, float]) -> Cell:
    ours, spread, paper = row.ours, row.spread, row.published
    known = paper == paper
    return Cell(
        number(ours),
        value=ours,
        spread=number(spread) if spread == spread else "",
        notes=(f"paper {number(paper)}", f"Δ {number(ours - paper, sign=True)}") if known else (),
        tone=max(-1.0, min(1.0, (ours - paper) / FULL_TONE)) if known else None,
        best=round(ours, 12) == round(best[row.dataset], 12),
    )
