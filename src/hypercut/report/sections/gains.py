"""Section "Average gains": PKO+HSC against each competitor, published and ours, with intervals for ours."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from hypercut.analysis.evidence import present
from hypercut.analysis.experiments import EXPERIMENT_NAMES, METRIC_NAMES, PAIRS, pair_name
from hypercut.analysis.gains import paper_gains
from hypercut.paper import published
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
    "The average gain of PKO+HSC over X is 100·(Σ PKO+HSC / Σ X − 1) over datasets, as in the paper. Its interval is a "
    "95 % bootstrap interval over datasets, widened for their small number."
)


def headline_table(gains: pd.DataFrame) -> Table:
    """Return competitors × (experiment, metric): our gain with its interval, and the published one."""
    rows = paper_gains(gains)
    rows = rows[rows["competitor"].isin(published.COMPETITORS)]
    cells = {
        (name, pair): Cell("–", notes=(f"paper {number(gain, 2, sign=True)}",))
        for pair in PAIRS
        for name, gain in published.printed_gains(*pair).items()
    }
    for it in rows.itertuples():
        paper = f"paper {number(it.published, 2, sign=True)}"
        cells[it.competitor, (it.experiment, it.metric)] = effect_cell(it.ours, it.low, it.high, notes=[paper])
    return grid_table(
        "headline-gains",
        "Average gain of PKO+HSC over each competitor, %",
        "Ours; the gain in the paper's tables over the same datasets (the printed one if we have none); our interval.",
        rows.drop(columns="scope"),
        cells,
        corner="over",
        rows={name: name for name in published.COMPETITORS},
        columns={pair: pair_name(pair) for pair in PAIRS},
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
            "95 % interval": lambda it: bounds(it.low, it.high, between=" to ") if it.low == it.low else None,
            "ours, σ without labels": lambda it: number_cell(it.ours_unsupervised, 2, sign=True),
            "datasets": lambda it: number_cell(it.n_datasets, 0),
        },
    )


_OURS = Key("ours, 95 % interval over datasets", {"color": palette.VERMILLION, "marker": "o", "lw": 1.5, "ms": 5})
_PUBLISHED = mark("D", "published, same datasets", mfc=palette.BACK, ms=4.5)
_SPAN = Key("span over the readings of the paper", {"color": palette.SKY, "lw": 7, "alpha": 0.45})

#: An axis of gains is linear up to this many percent and logarithmic beyond: otherwise the long intervals over weak
#: competitors would leave no room for the small gains, whose sign matters.
LINEAR = 10
_TICKS = [0, *(sign * size for sign in (-1, 1) for size in (10, 30, 100, 300, 1000))]


def gain_chart(gains: pd.DataFrame, spans: pd.DataFrame) -> Iterator[CaptionedFigure]:
    """Yield the average gains in NMI over the paper's competitors: published, ours with intervals, over readings.

    ``spans`` has the smallest and the largest gain over the readings (:func:`hypercut.analysis.readings.gain_spans`).
    """
    rows = paper_gains(gains)
    rows = rows[rows["competitor"].isin(published.COMPETITORS)]
    data = rows[rows["metric"] == "nmi"].merge(spans, how="left", on=["experiment", "metric", "competitor"])
    run = present(published.EXPERIMENTS, data["experiment"])
    if not run:
        return
    panels = Panels(len(run), 3, size=(3.45, 2.5), keys=[_OURS, _PUBLISHED, _SPAN])
    ends = data[["ours", "published", "low", "high", "least", "most"]].to_numpy(dtype=float)
    limits = 1.1 * min(np.nanmin(ends), -LINEAR), 1.1 * max(np.nanmax(ends), LINEAR)
    for experiment in run:
        part = data[data["experiment"] == experiment].set_index("competitor").reindex(published.COMPETITORS)
        ax = panels.add(f"{pair_name((experiment, 'nmi'))} ({counted(int(part['n_datasets'].max()), 'dataset')})")
        _gain_panel(panels, ax, part)
        ax.set_xscale("symlog", linthresh=LINEAR)
        ax.set_xticks([tick for tick in _TICKS if limits[0] <= tick <= limits[1]])
        ax.set_xticks([-5, 5], minor=True)
        ax.xaxis.set_major_formatter(lambda value, _: number(value, 0))
        ax.set(xlim=limits, xlabel="average gain of PKO+HSC, %")
    yield CaptionedFigure(
        name="gains-nmi",
        title="Average gain of PKO+HSC over each competitor, NMI",
        caption="Right of the zero line PKO+HSC is better on average; an interval across it means that these datasets "
        f"do not decide. The axis is logarithmic beyond ±{LINEAR} %.",
        panels=panels,
        data=data.drop(columns="scope"),
    )


def _gain_panel(panels: Panels, ax: Axes, part: pd.DataFrame) -> None:
    part = part.assign(y=np.arange(len(part), dtype=float)[::-1])
    ax.axvline(0, color=palette.AXIS, lw=1)
    known = part.dropna(subset="least")
    bars = ax.hlines(known["y"], known["least"], known["most"], **_SPAN.style)
    ends = [f"{name}: {_percent(it.least)} to {_percent(it.most)}" for name, it in known.iterrows()]
    panels.name(bars, _SPAN.label, ends)
    known = part.dropna(subset="low")
    intervals = ax.hlines(known["y"] + 0.12, known["low"], known["high"], color=_OURS.style["color"], lw=1.5)
    panels.name(intervals, _OURS.label)
    for column, key, offset in (("ours", _OURS, 0.12), ("published", _PUBLISHED, -0.12)):
        known = part.dropna(subset=column)
        (dots,) = ax.plot(known[column], known["y"] + offset, **{**key.style, "ls": ""})
        panels.name(dots, key.label, [f"{name}: {_percent(value)}" for name, value in known[column].items()])
    ax.set_yticks(part["y"], part.index)
    ax.set_ylim(-0.6, len(part) - 0.4)
    ax.grid(visible=False, axis="y")


def _percent(value: float) -> str:
    return f"{number(value, 1, sign=True)} %"


def section(gains: pd.DataFrame, unsupervised: pd.DataFrame) -> Section:
    """Return the tables of gains; the first screen has the chart."""
    more = [gain_table(gains, unsupervised)]
    return Section("gains", "Average gains", [TEXT], tables=[headline_table(gains)], more=more)
