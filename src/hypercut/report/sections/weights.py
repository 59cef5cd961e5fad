"""Section "Table 2": PKO+HSC with different weights (α, β)."""

import numpy as np
import pandas as pd

from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import METRIC_NAMES
from hypercut.report.render.page import Section
from hypercut.report.render.table import Table, capitalized, compared_cell, grid
from hypercut.report.sections.standard_errors import error_note, error_remark


def weight_data(evidence: Evidence, metric: str) -> pd.DataFrame:
    """Return one row per dataset and pair (α, β), in full precision."""
    columns = ["dataset", "data", "alpha", "beta", "published", "ours", "spread", "error", "difference"]
    columns += ["repeats", "failed"]
    rows = evidence.sweeps[evidence.sweeps["variation"] == "weights"]
    if rows.empty:
        return pd.DataFrame(columns=columns)
    printed = published.weight_scores(metric).stack(["alpha", "beta"], future_stack=True)
    data = rows.rename(columns={f"{metric}_mean": "ours", f"{metric}_std": "spread"})
    data["error"] = data["spread"] / np.sqrt(data["repeats"])
    counterparts = [evidence.counterpart(name, "clean") for name in data["dataset"]]
    keys = zip(counterparts, data["alpha"], data["beta"], strict=True)
    data["published"] = pd.Series([printed.get(key) for key in keys], data.index, dtype=float)
    data["difference"] = data["ours"] - data["published"]
    data["data"] = data["dataset"].map(evidence.kind)
    return data.sort_values(["dataset", "alpha", "beta"], ignore_index=True)[columns]


def weight_table(evidence: Evidence, metric: str) -> Table:
    """Return Table 2 in one metric: datasets × pairs (α, β), the paper's pairs first."""
    data = weight_data(evidence, metric)
    run = set(data[["alpha", "beta"]].itertuples(index=False, name=None))
    pairs = [pair for pair in published.WEIGHTS if pair in run] + sorted(run - set(published.WEIGHTS))
    best = data.groupby("dataset")["ours"].max()
    cells = {
        (row.dataset, (row.alpha, row.beta)): compared_cell(
            row.ours, row.spread, row.published, best=best[row.dataset], notes=[error_note(row.error)]
        )
        for row in data.itertuples()
    }
    headings = {name: evidence.label(name) for name in evidence.datasets if name in set(data["dataset"])}
    return Table(
        name=f"table2-{metric.replace('_', '-')}",
        title=f"Table 2: weights (α, β), {METRIC_NAMES[metric]}",
        caption=f"{capitalized(METRIC_NAMES[metric])} of PKO+HSC on the clean sets with different weights (α, β): mean "
        "± standard deviation over repeats. The best of each row is bold. Below each: the standard error of the mean, "
        f"the published score and the difference. {error_remark(data['error'])}",
        columns=["dataset", *(f"({alpha:g}, {beta:g})" for alpha, beta in pairs)],
        rows=grid(headings, pairs, cells),
        data=data,
    )


def section(evidence: Evidence) -> Section:
    """Return the section."""
    tables = [weight_table(evidence, metric) for metric in published.METRICS]
    return Section("table2", "Table 2: the weights (α, β)", tabs=tables, optional=True)
