"""Section "Average gains": PKO+HSC against each competitor, published and ours, with intervals for ours."""

from collections.abc import Callable, Iterator, Mapping
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis

from hypercut.analysis.bootstrap import FEWEST_FOR_INTERVAL, coverage
from hypercut.analysis.competitors import against_competitors
from hypercut.analysis.evidence import INDICATED, SIZES, STATED, Evidence, present
from hypercut.analysis.experiments import EXPERIMENT_NAMES, METRIC_NAMES, PAIRS, pair_name
from hypercut.analysis.gains import paper_gains
from hypercut.analysis.outcomes import TIE
from hypercut.paper import protocol, published
from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, Key, Panels, mark
from hypercut.report.render.page import Section
from hypercut.report.render.table import (
    Cell,
    Table,
    bounds,
    counted,
    effect_cell,
    grid_table,
    number,
    number_cell,
    record_table,
)

#: What a reader has to know of the competitors.
COMPETITORS_TEXT = "NRSC and RWDSM are our reconstructions; PK+HSC, PO+HSC and PKO+NC are variants of PKO+HSC."
TEXT = (
    "The average gain of PKO+HSC over X is 100·(Σ PKO+HSC / Σ X − 1) over datasets, as in the paper; its interval is a "
    "bootstrap interval over datasets. Both are given at the sizes of the datasets that the paper states and at those "
    "that its purities indicate. The two metrics are of the same clusterings, and level L0 is part of all three "
    "experiments, so the tables are not independent."
)


def competitor_table(lines: Mapping[str, pd.DataFrame], experiment: str, metric: str) -> Table:
    """Return what supports the gain over each competitor, at both sizes (:func:`.against_competitors`)."""
    rows = {size: it[(it["experiment"] == experiment) & (it["metric"] == metric)] for size, it in lines.items()}
    printed = published.printed_gains(experiment, metric)
    known = pd.concat(rows.values())
    cells = {(name, "paper"): number_cell(gain, 2, sign=True) for name, gain in printed.items()}
    for it in known.itertuples():
        cells[it.competitor, "paper"] = number_cell(it.published, 2, sign=True)
        cells[it.competitor, f"{it.size}: gain, %"] = effect_cell(it.ours, it.low, it.high)
        if it.p == it.p:
            chances = " · ".join(number(value, 2) for value in (it.better, it.equivalent, it.worse))
            ends = bounds(it.least, it.most, between=" to ")
            cells[it.competitor, f"{it.size}: one set left out"] = Cell(ends, it.least)
            p = f"p = {number(it.p, 2)}"
            cells[it.competitor, f"{it.size}: better · equal · worse"] = Cell(chances, it.better, notes=(p,))
    parts = ("gain, %", "one set left out", "better · equal · worse")
    columns = ["paper", *(f"{size}: {part}" for size in SIZES for part in parts)]
    return grid_table(
        f"gains-{experiment}-{metric}",
        f"Gains of PKO+HSC: {pair_name((experiment, metric))}",
        _caption(int(known["n_datasets"].max())) if len(known) else "",
        known.drop(columns=["scope", "experiment", "metric"]),
        cells,
        corner="over",
        rows={name: _label(name) for name in (published.COMPETITORS if len(known) else ())},
        columns={name: name for name in columns},
    )


def _label(competitor: str) -> str:
    kinds = (("reconstruction", protocol.RECONSTRUCTIONS), ("variant", published.VARIANTS))
    return " ".join([competitor, *(f"({kind})" for kind, names in kinds if competitor in names)])


def _caption(datasets: int) -> str:
    same = "The published gain is over the same datasets."
    if datasets < FEWEST_FOR_INTERVAL:
        return f"{same} {counted(datasets, 'dataset')}: too few for intervals and tests."
    least = 2.0 ** (1 - datasets)
    corrected = min(1.0, least * len(published.COMPETITORS))
    return (
        f"{same} The intervals over {datasets} datasets cover about "
        f"{100 * coverage(datasets):.0f} %. Better, equal (within {TIE}), worse: probabilities for a new dataset "
        f"(Bayesian signed-rank test). p: Wilcoxon's signed-rank test with Holm's correction. {datasets} datasets "
        f"decide little: even if PKO+HSC wins on all of them, p is {corrected:.2g}."
    )


def gain_table(gains: pd.DataFrame, unsupervised: pd.DataFrame) -> Table:
    """Return all gains: both scopes, every competitor, both rules for choosing σ."""
    keys = ["size", "scope", "experiment", "metric", "competitor"]
    data = gains.join(unsupervised.set_index(keys)["ours"].rename("ours_unsupervised"), on=keys)
    return record_table(
        "gains",
        "All gains of PKO+HSC, %",
        "Over the paper's datasets that are comparable (scope paper), and without the generated trajectories (real).",
        data,
        {
            "over": lambda it: it.competitor,
            "sizes": lambda it: it.size,
            "scope": lambda it: it.scope,
            "experiment": lambda it: EXPERIMENT_NAMES[it.experiment],
            "metric": lambda it: METRIC_NAMES[it.metric],
            "printed": lambda it: number_cell(it.printed, 2, sign=True),
            "published, same sets": lambda it: number_cell(it.published, 2, sign=True),
            "ours": lambda it: number_cell(it.ours, 2, sign=True),
            "interval": lambda it: bounds(it.low, it.high, between=" to ") if it.low == it.low else None,
            "ours, σ without labels": lambda it: number_cell(it.ours_unsupervised, 2, sign=True),
            "datasets": lambda it: number_cell(it.n_datasets, 0),
        },
    )


#: How each size is drawn: color, marker, whether it is filled, and how far above the line of a competitor.
_STYLES = {
    STATED: Key("ours, stated sizes", {"color": palette.VERMILLION, "marker": "o", "lw": 1.5, "ms": 5}),
    INDICATED: Key(
        "ours, indicated sizes", {"color": palette.BLUE, "marker": "o", "lw": 1.5, "ms": 5, "mfc": palette.BACK}
    ),
}
_OFFSETS = {STATED: 0.22, INDICATED: 0.0}
_PUBLISHED = mark("D", "published, same datasets", mfc=palette.BACK, ms=4.5)
_SPAN = Key("span over the readings of the paper", {"color": palette.SKY, "lw": 7, "alpha": 0.45})

#: An axis of gains is linear up to this many percent and logarithmic beyond: otherwise the long intervals over weak
#: competitors would leave no room for the small gains, whose sign matters.
LINEAR = 10
_TICKS = [0, *(sign * size for sign in (-1, 1) for size in (10, 30, 100, 300, 1000))]


def both_sizes(gains: pd.DataFrame) -> pd.DataFrame:
    """Return the gains over the paper's competitors, a row each, the columns of the indicated sizes with a suffix."""
    keys = ["experiment", "metric", "competitor"]
    stated, indicated = (paper_gains(gains, size).drop(columns=["size", "scope"]) for size in SIZES)
    found = stated.merge(indicated[[*keys, "ours", "low", "high"]], how="left", on=keys, suffixes=("", f"_{INDICATED}"))
    return found[found["competitor"].isin(published.COMPETITORS)].reset_index(drop=True)


def gain_chart(gains: pd.DataFrame, spans: pd.DataFrame) -> Iterator[CaptionedFigure]:
    """Yield the average gains in NMI over the paper's competitors: published, ours with intervals, over readings.

    ``spans`` has the smallest and the largest gain over the readings (:func:`hypercut.analysis.readings.gain_spans`).
    """
    data = (
        both_sizes(gains).query("metric == 'nmi'").merge(spans, how="left", on=["experiment", "metric", "competitor"])
    )
    run = present(published.EXPERIMENTS, data["experiment"])
    if not run:
        return
    panels = Panels(len(run), 3, size=(3.45, 2.7), keys=[*_STYLES.values(), _PUBLISHED, _SPAN])
    values = ["ours", "low", "high"]
    shown = ["published", "least", "most", *values, *(f"{name}_{INDICATED}" for name in values)]
    ends = data[shown].to_numpy(dtype=float)
    for experiment in run:
        part = data[data["experiment"] == experiment].set_index("competitor").reindex(published.COMPETITORS)
        datasets = int(part["n_datasets"].max())
        ax = panels.add(f"{pair_name((experiment, 'nmi'))} ({counted(datasets, 'dataset')})")
        _gain_panel(panels, ax, part)
        limits = _scale_of_gains(ax.xaxis, ax.set_xscale, np.nanmin(ends), np.nanmax(ends))
        ax.set(xlim=limits, xlabel="average gain of PKO+HSC, %")
    yield CaptionedFigure(
        name="gains-nmi",
        title="Average gain of PKO+HSC over each competitor, NMI",
        caption="Right of the zero line PKO+HSC is better on average; an interval across it means that these datasets "
        f"do not decide. Intervals are over datasets and cover about 95 %, over four datasets about "
        f"{100 * coverage(4):.0f} %. The axis is logarithmic beyond ±{LINEAR} %.",
        panels=panels,
        data=data,
    )


def _scale_of_gains(axis: Axis, set_scale: Callable[..., None], low: float, high: float) -> tuple[float, float]:
    """Scale an axis for gains between two values, and return its limits."""
    limits = 1.1 * min(low, -LINEAR), 1.1 * max(high, LINEAR)
    set_scale("symlog", linthresh=LINEAR)
    axis.set_ticks([tick for tick in _TICKS if limits[0] <= tick <= limits[1]])
    axis.set_ticks([-5, 5], minor=True)
    axis.set_major_formatter(lambda value, _: number(value, 0))
    return limits


def _gain_panel(panels: Panels, ax: Axes, part: pd.DataFrame) -> None:
    part = part.assign(y=np.arange(len(part), dtype=float)[::-1])
    ax.axvline(0, color=palette.AXIS, lw=1)
    known = part.dropna(subset="least")
    bars = ax.hlines(known["y"], known["least"], known["most"], **_SPAN.style)
    ends = [f"{name}: {_percent(it.least)} to {_percent(it.most)}" for name, it in known.iterrows()]
    panels.name(bars, _SPAN.label, ends)
    for size, key in _STYLES.items():
        end = "" if size == STATED else f"_{size}"
        known = part.dropna(subset=f"low{end}")
        y = known["y"] + _OFFSETS[size]
        intervals = ax.hlines(y, known[f"low{end}"], known[f"high{end}"], color=key.style["color"], lw=1.5)
        panels.name(intervals, key.label)
        _dots(panels, ax, part[f"ours{end}"], part["y"] + _OFFSETS[size], key)
    _dots(panels, ax, part["published"], part["y"] - 0.22, _PUBLISHED)
    ax.set_yticks(part["y"], part.index)
    ax.set_ylim(-0.6, len(part) - 0.4)
    ax.grid(visible=False, axis="y")


def _dots(panels: Panels, ax: Axes, values: "pd.Series[float]", y: "pd.Series[float]", key: Key) -> None:
    known = values.dropna()
    (dots,) = ax.plot(known, y[known.index], **{**key.style, "ls": ""})
    panels.name(dots, key.label, [f"{name}: {_percent(value)}" for name, value in known.items()])


def gain_scatter(gains: pd.DataFrame) -> Iterator[CaptionedFigure]:
    """Yield the published gains against ours, both metrics in all experiments, with the line where they are equal."""
    data = both_sizes(gains).dropna(subset="published")
    if data.empty:
        return
    keys = [mark("o", name, palette.ALGORITHMS[name], ms=5) for name in published.COMPETITORS]
    keys += [mark(key.style["marker"], key.label, mfc=key.style.get("mfc", palette.GREY)) for key in _STYLES.values()]
    panels = Panels(1, 1, size=(6.5, 4.4), keys=keys)
    ax = panels.add("NMI and purity; clean, noise, outliers")
    columns = ["published", "ours", f"ours_{INDICATED}"]
    ends = np.nanmin(data[columns].to_numpy(dtype=float)), np.nanmax(data[columns].to_numpy(dtype=float))
    ax.plot(ends, ends, color=palette.AXIS, lw=1)
    ax.axhline(0, color=palette.AXIS, lw=1)
    sizes = zip(columns[1:], _STYLES.values(), strict=True)
    for (column, key), (name, part) in product(sizes, data.groupby("competitor")):
        known = part.dropna(subset=column)
        color = palette.ALGORITHMS[name]
        fill = key.style.get("mfc", color)
        (dots,) = ax.plot(known["published"], known[column], color=color, mfc=fill, marker="o", ms=5, ls="")
        pairs = map(pair_name, zip(known["experiment"], known["metric"], strict=True))
        values = zip(pairs, map(_percent, known["published"]), map(_percent, known[column]), strict=True)
        tips = [f"{pair}: published {paper}, ours {ours}" for pair, paper, ours in values]
        panels.name(dots, f"{name}, {key.label}", tips)
    _, right = _scale_of_gains(ax.xaxis, ax.set_xscale, 0, data["published"].max())
    ylim = _scale_of_gains(ax.yaxis, ax.set_yscale, *ends)
    left = min(0.0, 1.1 * data["published"].min())
    ax.set(xlim=(left, right), ylim=ylim, xlabel="published gain, %", ylabel="our gain, %")
    yield CaptionedFigure(
        name="gains-published",
        title="Published gains of PKO+HSC against ours",
        caption="A dot per competitor, experiment and metric. On the diagonal, ours equals the published gain; below "
        "the horizontal line, PKO+HSC is worse. Axes are logarithmic beyond "
        f"±{LINEAR} %.",
        panels=panels,
        data=data,
    )


def _percent(value: float) -> str:
    return f"{number(value, 1, sign=True)} %"


def section(evidence: Evidence, gains: pd.DataFrame, unsupervised: pd.DataFrame) -> Section:
    """Return the gains over each competitor; the first screen has the chart."""
    lines = {size: against_competitors(evidence, gains, size) for size in SIZES}
    tabs = [competitor_table(lines, *pair) for pair in PAIRS]
    return Section("gains", "Average gains", [TEXT], tabs=tabs, more=[gain_table(gains, unsupervised)])
