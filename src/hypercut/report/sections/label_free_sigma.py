"""Section "Choosing σ without labels": the cost of not knowing the labels, and the chosen σ."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from hypercut.benchmark.rows import CELL
from hypercut.benchmark.summary import RULES
from hypercut.paper import published
from hypercut.report.competing import over_most_levels, with_all_methods
from hypercut.report.evidence import Evidence, present
from hypercut.report.experiments import EXPERIMENT_NAMES, PAIRS, pair_name
from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, Panels, algorithm_styles, mark, score_limits
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, grid, number

TEXT = [
    "The paper chooses σ with the true labels, for each algorithm, dataset and level: an oracle that is unavailable in "
    "practice. The label-free rule takes the σ that maximises the mutual information between the cluster of a sample "
    "and that of a near neighbour.",
]

OVER = "the datasets that all these algorithms have, without stand-ins and parts of other datasets"


def label_free_losses(evidence: Evidence) -> pd.DataFrame:
    """Return, per experiment, metric and algorithm with a scale, the mean over datasets under both rules.

    Means are over the datasets that all these algorithms have, with the same levels; stand-ins and parts of other
    datasets are excluded. ``loss`` is the difference of the two means, ``largest_loss`` that on the worst dataset,
    ``at_edge`` the share of the cells that all have whose best σ is at the edge of the grid.
    """
    edges = _edge_shares(evidence)
    rows = []
    for experiment in published.EXPERIMENTS:
        common = _common_scores(evidence, experiment)
        keys = ["metric", "algorithm", "dataset"]
        both = pd.DataFrame({rule: evidence.averages(experiment, rule).set_index(keys)["mean"] for rule in RULES})
        both = both[both.index.isin(common.columns, level="dataset") & both.index.isin(common.index, level="algorithm")]
        both["loss"] = both["oracle"] - both["unsupervised"]
        for (metric, algorithm), cells in both.groupby(level=["metric", "algorithm"]):
            means = cells[[*RULES, "loss"]].mean()
            rows.append([experiment, metric, algorithm, len(cells), *means, cells["loss"].max(), edges.get(algorithm)])
    columns = ["experiment", "metric", "algorithm", "datasets", *RULES, "loss", "largest_loss", "at_edge"]
    return evidence.in_order(pd.DataFrame(rows, columns=columns), "algorithm")


def _common_scores(evidence: Evidence, experiment: str) -> pd.DataFrame:
    """Return the mean NMI of algorithms × datasets: those with a scale, and the datasets that all of them have."""
    rows = evidence.averages(experiment)
    rows = rows[(rows["metric"] == "nmi") & rows["algorithm"].isin(evidence.scaled)]
    rows = rows[rows["dataset"].isin(evidence.averaged)]
    rows = rows[over_most_levels(rows, rows)]
    return with_all_methods(rows.pivot(index="algorithm", columns="dataset", values="mean"))


def _edge_shares(evidence: Evidence) -> "pd.Series[float]":
    """Return, per algorithm with a scale, the share of cells at the edge, of those that all these algorithms have."""
    cells = evidence.summary[evidence.summary["rule"] == "oracle"]
    cells = cells[cells["dataset"].isin(evidence.averaged) & cells["algorithm"].isin(evidence.scaled)]
    at_edge = cells.pivot(index="algorithm", columns=["dataset", "setting"], values="at_edge")
    return with_all_methods(at_edge.astype(float)).mean(axis=1)


def loss_table(losses: pd.DataFrame) -> Table:
    """Return both rules side by side: algorithms × (experiment, metric)."""
    rows = losses[losses["metric"].isin(published.METRICS)]
    run = set(rows[["experiment", "metric"]].itertuples(index=False, name=None))
    pairs = [pair for pair in PAIRS if pair in run]
    cells = {}
    for row in rows.itertuples():
        text = f"{number(row.oracle)} → {number(row.unsupervised)}"
        note = f"{number(-row.loss, sign=True)}, worst {number(-row.largest_loss, sign=True)}"
        cells[row.algorithm, (row.experiment, row.metric)] = Cell(text, value=float(row.loss), notes=(note,))
        if row.at_edge == row.at_edge:
            cells[row.algorithm, ("edge", "")] = Cell(f"{100 * row.at_edge:.0f} %", value=float(row.at_edge))
    counts = rows.drop_duplicates("experiment").set_index("experiment")["datasets"]
    over = ", ".join(f"{counts[name]} ({EXPERIMENT_NAMES[name]})" for name in EXPERIMENT_NAMES if name in counts)
    return Table(
        name="selection",
        title="Choosing σ with and without labels",
        caption=f"Means over {OVER}: with σ chosen with the labels → without. Below: the loss, on average and on the "
        "worst dataset. Last column: the share of the cells that all these algorithms have whose best σ is at the edge "
        f"of the grid. Algorithms without a scale are left out. Datasets: {over or 'none'}.",
        columns=["algorithm", *map(pair_name, pairs), "best σ at the edge"],
        rows=grid({name: name for name in rows["algorithm"]}, [*pairs, ("edge", "")], cells),
        data=losses,
    )


def scale_table(evidence: Evidence) -> Table:
    """Return the σ that each rule chooses on the clean sets; the CSV has every cell."""
    summary = evidence.summary[evidence.summary["sigma_factor"].notna()]
    data = summary[[*CELL, "rule", "sigma_factor", "at_edge", "nmi_mean", "purity_mean", "repeats"]]
    clean = data[data["setting"] == "clean"]
    texts = clean["sigma_factor"].map("{:.1f}".format) + clean["at_edge"].map({True: " (edge)", False: ""})
    shown = clean.assign(text=texts).pivot(
        index=["algorithm", "dataset"], columns="rule", values=["text", "sigma_factor"]
    )
    cells = {
        key: Cell(row["text", "oracle"], value=row["sigma_factor", "oracle"], notes=(row["text", "unsupervised"],))
        for key, row in shown.iterrows()
    }
    datasets = present(evidence.datasets, clean["dataset"])
    names = present(evidence.algorithms, clean["algorithm"])
    return Table(
        name="sigma",
        title="The chosen σ",
        caption="σ/ρ chosen on the clean sets with the labels; below, without. A σ at the edge of the grid is flagged: "
        "a better one may lie beyond.",
        columns=["algorithm", *map(evidence.label, datasets)],
        rows=grid({name: name for name in names}, datasets, cells),
        data=evidence.with_kind(data),
    )


_KEYS = {
    "oracle": mark("o", "σ chosen with the labels (the paper's protocol)"),
    "unsupervised": mark("s", "σ chosen without labels", mfc=palette.BACK),
}


def loss_chart(losses: pd.DataFrame, roles: dict[str, str]) -> Iterator[CaptionedFigure]:
    """Yield, per algorithm and experiment, the mean NMI with σ chosen with and without labels."""
    rows = losses[losses["metric"] == "nmi"]
    if rows.empty:
        return
    styles = algorithm_styles(roles)
    experiments = present(published.EXPERIMENTS, rows["experiment"])
    names = present(styles, rows["algorithm"])
    y, colors = np.arange(len(names))[::-1], [styles[name]["color"] for name in names]
    size = (3.45, 0.75 + 0.22 * len(names))
    panels = Panels(len(experiments), 3, size=size, margins=(0.8, 0.12, 0.3, 0.42), keys=list(_KEYS.values()))
    for experiment in experiments:
        part = rows[rows["experiment"] == experiment].set_index("algorithm").reindex(names)
        ax = panels.add(EXPERIMENT_NAMES[experiment])
        ax.hlines(y, part["unsupervised"], part["oracle"], color=colors, lw=2)
        for rule, key in _KEYS.items():
            known = part[rule].notna().to_numpy()
            color = np.array(colors)[known]
            face = palette.BACK if "mfc" in key.style else color
            dots = ax.scatter(
                part[rule][known], y[known], s=24, facecolor=face, edgecolor=color, marker=key.style["marker"], zorder=3
            )
            panels.name(dots, key.label, [f"{name}: {number(value)}" for name, value in part[rule][known].items()])
        ax.set_yticks(y, names)
        ax.grid(visible=False, axis="y")
        ax.set_xlim(*score_limits(part[list(RULES)], least=0.1))
        ax.set_xlabel("mean NMI over datasets")
    yield CaptionedFigure(
        name="selection",
        title="Choosing σ with and without labels",
        caption=f"Mean NMI over {OVER}. The length of a bar is the loss when σ is chosen without labels, as it must be "
        "in practice. The paper's protocol hides that loss.",
        alt="Dumbbell charts of mean NMI under the two rules; the table of choosing σ has all numbers.",
        panels=panels,
        data=rows,
    )


def section(evidence: Evidence) -> Section:
    """Return the section."""
    losses = label_free_losses(evidence)
    tables, more, figures = [loss_table(losses)], [scale_table(evidence)], loss_chart(losses, evidence.roles)
    return Section("selection", "Choosing σ without labels", TEXT, tables=tables, figures=figures, more=more)
