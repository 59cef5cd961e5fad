"""Section "Cost": time and memory of one clustering."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from hypercut.benchmark.rows import FAILURES
from hypercut.report.evidence import Evidence
from hypercut.report.render.figure import CaptionedFigure, algorithm_styles, legend_below, legend_line
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, grid

#: The exponent of time against N is fitted to at least this many sizes.
FEWEST_FOR_SCALING = 4


def clustering_costs(evidence: Evidence) -> pd.DataFrame:
    """Return the mean time and the peak memory of one clustering of a clean set at one σ, without failures.

    ``seconds`` includes the communities that the clustering was given, but not the distances, which all algorithms
    share.
    """
    rows = evidence.cells
    rows = rows[(rows["setting"] == "clean") & ~rows["status"].isin(FAILURES) & (rows["role"] != "control")]
    rows = rows.assign(seconds=rows["wall_seconds"] + rows["shared_seconds"].fillna(0))
    cost = rows.groupby(["dataset", "algorithm"]).agg(
        n_samples=("n_samples", "first"),
        seconds=("seconds", "mean"),
        own_seconds=("wall_seconds", "mean"),
        peak_bytes=("peak_bytes", "max"),
        threads=("threads", "max"),
        runs=("seconds", "size"),
    )
    return cost.reset_index().sort_values(["algorithm", "n_samples", "dataset"], ignore_index=True)


def scaling_exponent(evidence: Evidence, algorithm: str) -> tuple[float, float]:
    """Return the slope of log time over log N, and the factor that N spans; NaN and 0 for too few datasets.

    Stand-ins are excluded, since the number of steps to convergence depends on the data.
    """
    rows = clustering_costs(evidence)
    rows = rows[(rows["algorithm"] == algorithm) & (rows["seconds"] > 0)]
    rows = rows[rows["dataset"].map(evidence.kind) != "stand-in"]
    if rows["n_samples"].nunique() < FEWEST_FOR_SCALING:
        return float("nan"), 0.0
    slope = np.polyfit(np.log(rows["n_samples"].astype(float)), np.log(rows["seconds"]), 1)[0]
    return float(slope), float(rows["n_samples"].max() / rows["n_samples"].min())


def cost_table(evidence: Evidence) -> Table:
    """Return seconds and megabytes: algorithms × datasets, the smallest first."""
    data = clustering_costs(evidence)
    sizes = data.groupby("dataset")["n_samples"].first().sort_values()
    cells = {}
    for row in data.itertuples():
        memory = f"{row.peak_bytes / 1e6:.0f} MB"
        cells[row.algorithm, row.dataset] = Cell(_duration(row.seconds), value=row.seconds, notes=(memory,))
    names = [name for name in evidence.algorithms if name in set(data["algorithm"])]
    columns = ["algorithm", *(f"{evidence.label(str(name))}, N = {size}" for name, size in sizes.items())]
    return Table(
        name="cost",
        title="Time and peak memory of one clustering",
        caption="Mean over repeats and σ on the clean sets, without failures. The time includes the communities, but "
        "not the distances. Memory is the peak of the process.",
        columns=columns,
        rows=grid({name: name for name in names}, sizes.index, cells),
        data=evidence.with_kind(data),
    )


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.{1 if seconds < 0.01 else 0}f} ms"


def cost_chart(evidence: Evidence) -> Iterator[CaptionedFigure]:
    """Yield time and peak memory of one clustering against N."""
    rows = clustering_costs(evidence)
    if rows.empty:
        return
    styles = algorithm_styles(evidence.roles)
    names = [name for name in evidence.algorithms if name in set(rows["algorithm"])]
    sizes = rows.groupby("dataset")["n_samples"].first().sort_values()
    ticks: list[int] = []
    for size in sizes:
        if not ticks or size > 1.5 * ticks[-1]:  # labels closer than this overlap
            ticks.append(int(size))
    figure = Figure(figsize=(10, 5.4))
    panels = [
        ("seconds", 1.0, "time of one clustering", "seconds"),
        ("peak_bytes", 1e6, "memory", "peak memory of the process, MB"),
    ]
    for ax, (column, unit, title, label) in zip(figure.subplots(1, 2), panels, strict=True):
        for name in names:
            part = rows[(rows["algorithm"] == name) & (rows[column] > 0)].sort_values("n_samples")
            ax.plot(part["n_samples"], part[column] / unit, **styles[name], markersize=5)
        ax.set_xscale("log")
        ax.set_xticks(ticks, [str(tick) for tick in ticks])
        ax.set_xticks([], minor=True)
        ax.set_yscale("log")
        ax.set_ylabel(label)
        ax.set_xlabel("N, samples")
        ax.set_title(title)
    figure.subplots_adjust(left=0.075, right=0.985, top=0.93, bottom=0.24, wspace=0.2)
    legend_below(figure, [legend_line(name, styles[name]) for name in names], columns=6)
    datasets = ", ".join(f"{evidence.label(str(name))} {size}" for name, size in sizes.items())
    yield CaptionedFigure(
        name="cost",
        title="Time and memory",
        caption="One clustering of a clean set at one σ: mean time, including the communities but not the distances, "
        f"and the peak memory of its process. Datasets: {datasets}. They also differ in K and in features, so the "
        "lines are not smooth.",
        alt="Two log-log charts of time and memory over the number of samples, one line per algorithm; the table of "
        "costs has all numbers.",
        figure=figure,
    )


def section(evidence: Evidence) -> Section:
    """Return the section."""
    return Section("cost", "Cost", tables=[cost_table(evidence)], figures=cost_chart(evidence))
