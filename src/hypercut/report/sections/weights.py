"""Section "Table 2": PKO+HSC with different weights (α, β), and tables of the section "Sensitivity"."""

from typing import Any

from hypercut.analysis.evidence import Evidence, present
from hypercut.analysis.experiments import METRIC_NAMES
from hypercut.analysis.weights import ALONE, alone_data, tuned_gains, weight_data
from hypercut.paper import published
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, compared_cell, effect_cell, grid_table, is_same, number


def weight_table(evidence: Evidence, metric: str) -> Table:
    """Return Table 2 in one metric: datasets × the paper's pairs (α, β); the CSV file has all pairs that were run."""
    data = weight_data(evidence, metric)
    shown = {
        (it.dataset, (it.alpha, it.beta)): it for it in data.itertuples() if (it.alpha, it.beta) in published.WEIGHTS
    }
    best = {name: max(it.ours for (of, _), it in shown.items() if of == name) for name, _ in shown}
    return grid_table(
        f"table2-{metric.replace('_', '-')}",
        f"PKO+HSC with the weights (α, β) of Table 2: {METRIC_NAMES[metric]}",
        "Clean sets. The best of each row is bold; below each, the published score and the difference.",
        data,
        {key: compared_cell(it.ours, it.spread, it.published, best=best[it.dataset]) for key, it in shown.items()},
        corner="dataset",
        rows={name: evidence.label(name) for name in present(evidence.datasets, data["dataset"])},
        columns={pair: f"({pair[0]:g}, {pair[1]:g})" for pair in published.WEIGHTS},
    )


def alone_table(evidence: Evidence) -> Table:
    """Return the NMI of each hypergraph alone, next to the best pair of weights."""
    data = alone_data(evidence)

    def cell(value: float, name: Any, best: float) -> Cell:
        return Cell(number(value, 3), value=value, best=name in ALONE and is_same(value, best))

    return grid_table(
        "alone",
        "Each hypergraph alone, NMI",
        "PKO+HSC on the clean sets: with the best of the paper's pairs (α, β), with one hypergraph alone, and with the "
        "best of all pairs that were run. Bold: one hypergraph alone is the best pair.",
        evidence.with_kind(data.reset_index()),
        {
            (dataset, name): cell(value, name, row["all pairs"])
            for dataset, row in data.iterrows()
            for name, value in row.items()
        },
        corner="dataset",
        rows={dataset: evidence.label(str(dataset)) for dataset in data.index},
        columns={name: name for name in data.columns},
    )


def tuned_table(evidence: Evidence) -> Table:
    """Return what PKO+HSC gains on clean data if its weights are chosen by the labels."""
    data = tuned_gains(evidence)
    cells = {}
    for it in data.itertuples():
        text = f"{number(it.fixed, 1, sign=True)} → {number(it.tuned, 1, sign=True)}"
        cells[it.competitor, it.metric] = effect_cell(it.tuned, it.low, it.high, text=text)
    return grid_table(
        "tuned-weights",
        "Average gain with weights chosen by the labels, %",
        "On clean data, with the weights of the paper's Table 1 → with the best of its nine pairs in our NMI; below, "
        "the 95 % interval of the second. Competitors keep their weights, so this favours PKO+HSC. No verdict uses it.",
        data,
        cells,
        corner="over",
        rows={name: name for name in present(published.COMPETITORS, data["competitor"])},
        columns={metric: METRIC_NAMES[metric] for metric in published.METRICS},
    )


def section(evidence: Evidence) -> Section:
    """Return Table 2, in one metric at a time."""
    tabs = [weight_table(evidence, metric) for metric in published.METRICS]
    return Section("table2", "Table 2: the weights (α, β)", tabs=tabs)
