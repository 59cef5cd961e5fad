"""Section "Table 2": PKO+HSC with different weights (α, β)."""

from hypercut.analysis.evidence import Evidence, present
from hypercut.analysis.experiments import METRIC_NAMES
from hypercut.analysis.weights import tuned_gains, weight_data
from hypercut.paper import published
from hypercut.report.render.page import Section
from hypercut.report.render.table import Table, compared_cell, effect_cell, grid_table, number


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
