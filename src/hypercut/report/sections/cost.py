"""Section "Cost": time and memory of one clustering."""

from hypercut.analysis.costs import clustering_costs
from hypercut.analysis.evidence import Evidence, present
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, grid_table


def cost_table(evidence: Evidence) -> Table:
    """Return processor seconds and megabytes: algorithms × datasets, the smallest first."""
    data = clustering_costs(evidence)
    sizes = data.groupby("dataset")["n_samples"].first().sort_values()
    cells = {}
    for it in data.itertuples():
        memory = f"{it.peak_bytes / 1e6:.0f} MB"
        cells[it.algorithm, it.dataset] = Cell(_duration(it.cpu_seconds), value=it.cpu_seconds, notes=(memory,))
    return grid_table(
        "cost",
        "Processor time and peak memory of one clustering",
        "Mean over repeats and σ on the clean sets, without failures. The time is that of the processor, over all "
        "threads, with the over-clustering but without the distances. The CSV file also has the wall time.",
        evidence.with_kind(data),
        cells,
        corner="algorithm",
        rows={name: name for name in present(evidence.algorithms, data["algorithm"])},
        columns={name: f"{evidence.label(str(name))}, N = {size}" for name, size in sizes.items()},
    )


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.{1 if seconds < 0.01 else 0}f} ms"


def section(evidence: Evidence) -> Section:
    """Return the table of costs."""
    return Section("cost", "Cost", tables=[cost_table(evidence)])
