"""Section "Choosing σ without labels": the cost of not knowing the labels, and the chosen σ."""

from typing import Any

from hypercut.analysis.evidence import Evidence, present
from hypercut.analysis.experiments import PAIRS, pair_name
from hypercut.analysis.label_free import label_free_losses
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, grid_table, number
from hypercut.results.rows import CELL

TEXT = (
    "The paper chooses σ with the true labels, which is unavailable in practice. The label-free rule takes the σ that "
    "maximises the mutual information between the cluster of a sample and that of a near neighbour."
)


def loss_table(evidence: Evidence) -> Table:
    """Return both rules side by side: algorithms × (experiment, metric)."""
    losses = label_free_losses(evidence)
    cells: dict[tuple[str, Any], Cell] = {}
    for it in losses.itertuples():
        text = f"{number(it.oracle)} → {number(it.unsupervised)}"
        note = f"{number(-it.loss, sign=True)}, worst {number(-it.largest_loss, sign=True)}"
        cells[it.algorithm, (it.experiment, it.metric)] = Cell(text, value=float(it.loss), notes=(note,))
        cells[it.algorithm, "edge"] = Cell(f"{100 * it.at_edge:.0f} %", value=float(it.at_edge))
    run = {key for _, key in cells}
    return grid_table(
        "selection",
        "Choosing σ with and without labels",
        "Means over the datasets that all these algorithms have, without stand-ins and parts: σ chosen with the labels "
        "→ without; below, the loss, on average and on the worst dataset. Last column: the share of cells whose best σ "
        "is at the edge of the grid.",
        losses,
        cells,
        corner="algorithm",
        rows={name: name for name in losses["algorithm"]},
        columns={pair: pair_name(pair) for pair in PAIRS if pair in run} | {"edge": "best σ at the edge"},
    )


def sigma_table(evidence: Evidence) -> Table:
    """Return the σ that each rule chooses on the clean sets; the CSV has every cell."""
    summary = evidence.summary[evidence.summary["sigma_factor"].notna()]
    data = summary[[*CELL, "rule", "sigma_factor", "at_edge", "nmi_mean", "purity_mean", "repeats"]]
    clean = data[data["setting"] == "clean"]
    texts = clean["sigma_factor"].map("{:.1f}".format) + clean["at_edge"].map({True: " (edge)", False: ""})
    shown = clean.assign(text=texts).pivot(index=["algorithm", "dataset"], columns="rule", values="text")
    return grid_table(
        "sigma",
        "The chosen σ",
        "σ/ρ chosen on the clean sets with the labels; below, without. Beyond an edge a better one may lie.",
        evidence.with_kind(data),
        {
            key: Cell(it["oracle"], value=float(it["oracle"].split()[0]), notes=(it["unsupervised"],))
            for key, it in shown.iterrows()
        },
        corner="algorithm",
        rows={name: name for name in present(evidence.algorithms, clean["algorithm"])},
        columns={name: evidence.label(name) for name in present(evidence.datasets, clean["dataset"])},
    )


def section(evidence: Evidence) -> Section:
    """Return the losses and, folded, the chosen σ."""
    title = "Choosing σ without labels"
    return Section("selection", title, [TEXT], tables=[loss_table(evidence)], more=[sigma_table(evidence)])
