"""Section "Beyond the paper": the number of clusters, estimated. The leaderboard has the scores."""

from hypercut.analysis.evidence import Evidence
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, number_cell, record_table


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
    return record_table(
        "beyond-clusters",
        "The number of clusters, estimated by AK+NC without K",
        "Classes of each clean set, the estimate (its range over repeats), and the NMI of that clustering.",
        evidence.with_kind(data),
        {
            "dataset": lambda it: evidence.label(it.dataset),
            "classes": lambda it: number_cell(it.true, 0),
            "estimated": lambda it: Cell(" – ".join(f"{n:.0f}" for n in dict.fromkeys([it.least, it.most])), it.least),
            "NMI": lambda it: number_cell(it.nmi),
        },
    )


def section(evidence: Evidence) -> Section:
    """Return the estimated numbers of clusters; nothing if no method estimates them."""
    return Section("beyond", "Beyond the paper", tables=[cluster_count_table(evidence)])
