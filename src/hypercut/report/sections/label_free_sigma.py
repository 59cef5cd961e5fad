"""Section "Choosing σ without labels": the cost of not knowing the labels. "Sensitivity" shows the chosen σ."""

from typing import Any

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.experiments import PAIRS, pair_name
from hypercut.analysis.label_free import label_free_losses
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, grid_table, number

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


def section(evidence: Evidence) -> Section:
    """Return the losses."""
    return Section("selection", "Choosing σ without labels", [TEXT], tables=[loss_table(evidence)])
