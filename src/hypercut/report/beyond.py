"""Tables of what goes beyond the paper: clusterings without labels, beside the paper's method with them."""

import pandas as pd

from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import EXPERIMENT_NAMES, METRIC_NAMES, capitalized
from hypercut.report.tables import Cell, Table, number

BEYOND = "beyond"

#: How the paper's method stands in these tables, by the rule that chose its σ.
RIVALS = {"oracle": f"{published.METHOD}, σ by the labels", "unsupervised": f"{published.METHOD}, σ without labels"}


def beyond_data(evidence: Evidence, experiment: str, metric: str) -> pd.DataFrame:
    """Return one row per method and dataset: what needs no labels, and the paper's method under both rules."""
    names = evidence.with_role(BEYOND, "reference")
    free = evidence.averages(experiment)
    parts = [free[free["algorithm"].isin(names)]]
    for rule, label in RIVALS.items():
        rows = evidence.averages(experiment, rule)
        parts.append(rows[rows["algorithm"] == published.METHOD].assign(algorithm=label))
    rows = pd.concat(parts)
    rows = rows[rows["metric"] == metric].copy()
    order = {name: number for number, name in enumerate([*names, RIVALS["unsupervised"], RIVALS["oracle"]])}
    sets = {name: number for number, name in enumerate(evidence.datasets)}
    rows["labels_used"] = rows["algorithm"] == RIVALS["oracle"]
    rows = rows.sort_values(["algorithm", "dataset"], key=lambda column: column.map(order | sets), ignore_index=True)
    rows = rows[["algorithm", "dataset", "mean", "spread", "repeats", "levels", "failed", "labels_used"]]
    return evidence.with_kind(rows)


def beyond_table(evidence: Evidence, experiment: str, metric: str) -> Table:
    """Return methods × datasets, with the mean over the datasets, but stand-ins, that all of them have."""
    data = beyond_data(evidence, experiment, metric) if evidence.with_role(BEYOND) else pd.DataFrame()
    rows: list[list[Cell]] = []
    datasets: list[str] = []
    if len(data):
        scores = data.pivot(index="algorithm", columns="dataset", values="mean").loc[data["algorithm"].unique()]
        datasets = [name for name in evidence.datasets if name in scores.columns]
        common = scores[[name for name in datasets if evidence.kind(name) != "stand-in"]].dropna(axis=1)
        means = common.mean(axis=1)
        free = ~data.groupby("algorithm")["labels_used"].first().loc[scores.index]
        best = scores[free].max()
        for name in scores.index:
            entries = [_entry(scores.loc[name, dataset], best[dataset], bool(free[name])) for dataset in datasets]
            mean = _entry(means[name], means[free].max(), bool(free[name])) if len(common.columns) else Cell("–")
            rows.append([Cell(name), *entries, mean])
    return Table(
        name=f"beyond-{experiment}-{metric}",
        title=f"Beyond the paper: {EXPERIMENT_NAMES[experiment]}, {METRIC_NAMES[metric]}",
        caption=f"{capitalized(METRIC_NAMES[metric])}, {EXPERIMENT_NAMES[experiment]}: the mean over repeats and "
        "levels. The last column is the mean over the datasets that all methods have, stand-ins left out. The best "
        "without labels is bold.",
        columns=["method", *(evidence.label(name) for name in datasets), "mean"],
        rows=rows,
        data=data,
    )


def _entry(value: float, best: float, free: bool) -> Cell:
    return Cell(number(value), value=value, best=free and round(value, 12) == round(best, 12))


def cluster_count_table(evidence: Evidence) -> Table:
    """Return K beside what was found by the methods that are not told it, on the clean sets."""
    cells = evidence.cells
    rows = cells[(cells["setting"] == "clean") & (cells["role"] == BEYOND)]
    data = rows.groupby(["algorithm", "dataset"]).agg(
        true=("n_clusters", "first"), least=("n_found", "min"), most=("n_found", "max"), nmi=("nmi", "mean")
    )
    data = data[data["least"].notna()].reset_index()
    # A method that is told K finds K everywhere, and has no place here.
    told = data.groupby("algorithm").apply(lambda group: (group["least"] == group["true"]).all(), include_groups=False)
    data = data[~data["algorithm"].map(told.to_dict())] if len(data) else data
    sets = {name: number for number, name in enumerate(evidence.datasets)}
    data = data.sort_values("dataset", key=lambda names: names.map(sets), kind="stable", ignore_index=True)
    entries = [
        [
            Cell(evidence.label(row.dataset)),
            Cell(str(row.true), value=row.true),
            Cell(f"{row.least:.0f}" if row.least == row.most else f"{row.least:.0f} – {row.most:.0f}", value=row.least),
            Cell(number(row.nmi), value=row.nmi),
        ]
        for row in data.itertuples()
    ]
    return Table(
        name="beyond-clusters",
        title="The number of clusters, estimated",
        caption="Classes of each clean set, the number of clusters that was found without being told (its range over "
        "repeats), and the NMI of that clustering.",
        columns=["dataset", "classes", "found", "NMI"],
        rows=entries,
        data=evidence.with_kind(data),
    )
