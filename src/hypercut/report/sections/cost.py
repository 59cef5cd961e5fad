"""Section "Cost": time and memory of one clustering."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from hypercut.benchmark.rows import FAILURES
from hypercut.benchmark.times import overclustering_seconds
from hypercut.report.evidence import Evidence, present
from hypercut.report.render.figure import CaptionedFigure, Key, Panels, Style, algorithm_styles
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, grid

#: The exponent of time against N is fitted to at least this many sizes.
FEWEST_FOR_SCALING = 4

TEXT = [
    "Time is that of the processor, over all threads: wall time also depends on what else the machine does. Of the "
    "communities only wall time is recorded; it is multiplied by the ratio of processor time to wall time of the "
    "clusterings that used them."
]


def clustering_costs(evidence: Evidence) -> pd.DataFrame:
    """Return the mean time and the peak memory of one clustering of a clean set at one σ, without failures.

    ``cpu_seconds`` and ``wall_seconds`` include the communities that the clustering was given, but not the distances,
    which all algorithms share.
    """
    rows = evidence.cells
    rows = rows[(rows["setting"] == "clean") & ~rows["status"].isin(FAILURES) & (rows["role"] != "control")]
    rows = rows.assign(
        cpu_seconds=rows["cpu_seconds"] + overclustering_seconds(rows),
        own_cpu_seconds=rows["cpu_seconds"],
        wall_seconds=rows["wall_seconds"] + rows["shared_seconds"].fillna(0),
    )
    cost = rows.groupby(["dataset", "algorithm"]).agg(
        n_samples=("n_samples", "first"),
        cpu_seconds=("cpu_seconds", "mean"),
        own_cpu_seconds=("own_cpu_seconds", "mean"),
        wall_seconds=("wall_seconds", "mean"),
        peak_bytes=("peak_bytes", "max"),
        threads=("threads", "max"),
        runs=("cpu_seconds", "size"),
    )
    return cost.reset_index().sort_values(["algorithm", "n_samples", "dataset"], ignore_index=True)


def scaling_exponent(evidence: Evidence, algorithm: str) -> tuple[float, float]:
    """Return the slope of log processor time over log N, and the factor that N spans; NaN and 0 for too few datasets.

    Stand-ins are excluded, since the number of steps to convergence depends on the data.
    """
    rows = clustering_costs(evidence)
    rows = rows[(rows["algorithm"] == algorithm) & (rows["cpu_seconds"] > 0)]
    rows = rows[rows["dataset"].map(evidence.kind) != "stand-in"]
    if rows["n_samples"].nunique() < FEWEST_FOR_SCALING:
        return float("nan"), 0.0
    slope = np.polyfit(np.log(rows["n_samples"].astype(float)), np.log(rows["cpu_seconds"]), 1)[0]
    return float(slope), float(rows["n_samples"].max() / rows["n_samples"].min())


def cost_table(evidence: Evidence) -> Table:
    """Return processor seconds and megabytes: algorithms × datasets, the smallest first."""
    data = clustering_costs(evidence)
    sizes = data.groupby("dataset")["n_samples"].first().sort_values()
    cells = {}
    for row in data.itertuples():
        memory = f"{row.peak_bytes / 1e6:.0f} MB"
        cells[row.algorithm, row.dataset] = Cell(_duration(row.cpu_seconds), value=row.cpu_seconds, notes=(memory,))
    names = present(evidence.algorithms, data["algorithm"])
    columns = ["algorithm", *(f"{evidence.label(str(name))}, N = {size}" for name, size in sizes.items())]
    return Table(
        name="cost",
        title="Processor time and peak memory of one clustering",
        caption="Mean over repeats and σ on the clean sets, without failures. The processor time includes the "
        "communities, but not the distances. Memory is the peak of the process. The file also has the wall time.",
        columns=columns,
        rows=grid({name: name for name in names}, sizes.index, cells),
        data=evidence.with_kind(data),
    )


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.{1 if seconds < 0.01 else 0}f} ms"


#: Column of the costs → its unit, the title of its panel and the label of its axis.
_PANELS = {
    "cpu_seconds": (1.0, "processor time of one clustering", "processor time, seconds"),
    "peak_bytes": (1e6, "memory of its process", "peak memory, MB"),
}


def cost_chart(evidence: Evidence) -> Iterator[CaptionedFigure]:
    """Yield processor time and peak memory against N: a dot per dataset, and the power of N that fits."""
    rows = clustering_costs(evidence)
    if rows.empty:
        return
    styles = algorithm_styles(evidence.roles)
    names = present(evidence.algorithms, rows["algorithm"])
    panels = Panels(2, 2, size=(5.2, 3.4), margins=(0.65, 0.15, 0.3, 0.5), keys=[Key(it, styles[it]) for it in names])
    for column, (unit, title, label) in _PANELS.items():
        ax = panels.add(title)
        for name in names:
            part = rows[(rows["algorithm"] == name) & (rows[column] > 0)].sort_values("n_samples")
            _cost_line(panels, ax, evidence, part.assign(value=part[column] / unit), styles[name])
        _log_axes(ax, rows["n_samples"], rows.loc[rows[column] > 0, column] / unit)
        ax.set_ylabel(label)
        ax.set_xlabel("N, samples")
    yield CaptionedFigure(
        name="cost",
        title="Processor time and memory",
        caption="One clustering of a clean set at one σ: mean processor time, including the communities but not the "
        "distances, and the peak memory of its process. Dots are datasets, lines are fitted powers of N. Datasets "
        "differ in K and in features too, so dots lie off the lines.",
        alt="Two log-log charts of processor time and memory over the number of samples, dots and a fitted line per "
        "algorithm; the table of costs has all numbers.",
        panels=panels,
        data=evidence.with_kind(rows),
    )


def _cost_line(panels: Panels, ax: Axes, evidence: Evidence, rows: pd.DataFrame, style: Style) -> None:
    if rows.empty:
        return
    name, sizes, values = rows["algorithm"].iloc[0], rows["n_samples"].to_numpy(float), rows["value"].to_numpy(float)
    (dots,) = ax.plot(sizes, values, **{**style, "ls": ""}, markersize=4)
    texts = [f"{evidence.label(row.dataset)}, N = {row.n_samples}: {row.value:.3g}" for row in rows.itertuples()]
    panels.name(dots, name, texts)
    if len(set(sizes)) >= FEWEST_FOR_SCALING:
        slope, height = np.polyfit(np.log(sizes), np.log(values), 1)
        ends = np.array([sizes.min(), sizes.max()])
        (line,) = ax.plot(ends, np.exp(height) * ends**slope, **{**style, "marker": ""}, alpha=0.6)
        panels.name(line, name)


def _log_axes(ax: Axes, sizes: "pd.Series[float]", values: "pd.Series[float]") -> None:
    """Give both axes logarithmic scales around the data, with plain numbers at 1, 2 and 5 of each power of ten."""
    # Limits first: matplotlib finds none of its own for equal values.
    ax.set_xlim(0.8 * sizes.min(), 1.25 * sizes.max())
    if len(values):
        ax.set_ylim(0.7 * values.min(), 1.4 * values.max())
    ax.set_xscale("log")
    ax.set_yscale("log")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())


def section(evidence: Evidence) -> Section:
    """Return the section."""
    return Section("cost", "Cost", TEXT, tables=[cost_table(evidence)], figures=cost_chart(evidence))
