"""Section "Beyond the paper": the number of clusters, estimated. The leaderboard has the scores."""

from hypercut.report.evidence import Evidence
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, number_cell

TEXT = [
    "AK+NC has the same parameters for all data. It is given K and uses no labels; “AK+NC without K” also estimates "
    "the number of clusters. The leaderboard has the scores of both. docs/BEYOND.md derives AK+NC.",
]


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
    return Section("beyond", "Beyond the paper", TEXT, tables=[cluster_count_table(evidence)], optional=True)
