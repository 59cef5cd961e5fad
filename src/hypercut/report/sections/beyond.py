"""Section "Beyond the paper": clusterings without labels, next to the paper's method with and without them."""

import pandas as pd

from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import EXPERIMENT_NAMES, METRIC_NAMES, pair_name
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, capitalized, grid, is_same, number, number_cell

TEXT = [
    "AK+NC has the same parameters for all data. It is given K and uses no labels; “AK+NC without K” also estimates "
    "the number of clusters. For comparison: scikit-learn's algorithms, and the paper's method twice, with σ chosen "
    "by the true labels (unavailable in practice) and without them. docs/BEYOND.md derives AK+NC.",
]

#: How the paper's method is called in these tables, by the rule that chose its σ.
METHOD_NAMES = {
    "unsupervised": f"{published.METHOD}, σ without labels",
    "oracle": f"{published.METHOD}, σ by the labels",
}


def beyond_data(evidence: Evidence, experiment: str, metric: str) -> pd.DataFrame:
    """Return one row per method and dataset: methods without labels, and the paper's under both rules."""
    names = evidence.with_role("beyond", "reference")
    averages = evidence.averages(experiment)
    parts = [evidence.in_order(averages[averages["algorithm"].isin(names)], "algorithm", "dataset")]
    for rule, label in METHOD_NAMES.items():
        rows = evidence.averages(experiment, rule)
        rows = evidence.in_order(rows[rows["algorithm"] == published.METHOD], "dataset")
        parts.append(rows.assign(algorithm=label))
    rows = pd.concat(parts)
    rows = rows[rows["metric"] == metric].reset_index(drop=True)
    rows["labels_used"] = rows["algorithm"] == METHOD_NAMES["oracle"]
    rows = rows[["algorithm", "dataset", "mean", "spread", "error", "repeats", "levels", "failed", "labels_used"]]
    return evidence.with_kind(rows)


def beyond_table(evidence: Evidence, experiment: str, metric: str) -> Table:
    """Return methods × datasets, with the mean over the datasets that all of them have, without stand-ins."""
    data = beyond_data(evidence, experiment, metric) if evidence.with_role("beyond") else pd.DataFrame()
    rows: list[list[Cell]] = []
    datasets: list[str] = []
    if len(data):
        scores = data.pivot(index="algorithm", columns="dataset", values="mean").loc[data["algorithm"].unique()]
        datasets = [name for name in evidence.datasets if name in scores.columns]
        common = scores[[name for name in datasets if name in evidence.averaged]].dropna(axis=1)
        scores["mean"] = common.mean(axis=1)
        free = scores.index != METHOD_NAMES["oracle"]
        best = scores[free].max()
        cells = {
            (name, column): Cell(number(value), value=value, best=label_free and is_same(value, best[column]))
            for (name, line), label_free in zip(scores.iterrows(), free, strict=True)
            for column, value in line.items()
        }
        rows = grid({name: name for name in scores.index}, [*datasets, "mean"], cells)
    return Table(
        name=f"beyond-{experiment}-{metric}",
        title=f"Beyond the paper: {pair_name((experiment, metric))}",
        caption=f"{capitalized(METRIC_NAMES[metric])}, {EXPERIMENT_NAMES[experiment]}: mean over repeats and levels. "
        "The last column is the mean over the datasets that all methods have, without stand-ins and USPS-465. The best "
        "score without labels is bold.",
        columns=["method", *(evidence.label(name) for name in datasets), "mean"],
        rows=rows,
        data=data,
    )


def cluster_count_table(evidence: Evidence) -> Table:
    """Return the estimated number of clusters next to K, on the clean sets."""
    cells = evidence.cells
    rows = cells[(cells["setting"] == "clean") & (cells["role"] == "beyond")]
    data = rows.groupby(["algorithm", "dataset"]).agg(
        true=("n_clusters", "first"), least=("n_found", "min"), most=("n_found", "max"), nmi=("nmi", "mean")
    )
    data = data[data["least"].notna()].reset_index()
    # A method that is given K finds K everywhere, and estimates nothing.
    estimates = set(data.loc[data["least"] != data["true"], "algorithm"])
    data = evidence.in_order(data[data["algorithm"].isin(estimates)], "dataset")
    body = [
        [
            Cell(evidence.label(row.dataset)),
            number_cell(row.true, 0),
            Cell(f"{row.least:.0f}" if row.least == row.most else f"{row.least:.0f} – {row.most:.0f}", value=row.least),
            number_cell(row.nmi),
        ]
        for row in data.itertuples()
    ]
    return Table(
        name="beyond-clusters",
        title="The number of clusters, estimated",
        caption="Classes of each clean set, the estimated number of clusters (its range over repeats), and the NMI of "
        "that clustering.",
        columns=["dataset", "classes", "estimated", "NMI"],
        rows=body,
        data=evidence.with_kind(data),
    )


def section(evidence: Evidence) -> Section:
    """Return the section."""
    tables = [beyond_table(evidence, experiment, "nmi") for experiment in published.EXPERIMENTS]
    more = [beyond_table(evidence, experiment, "purity") for experiment in published.EXPERIMENTS]
    tables.append(cluster_count_table(evidence))
    return Section("beyond", "Beyond the paper", TEXT, tables=tables, more=more, optional=True)
