"""Section "Average gains": PKO+HSC against each competitor. The data come from :mod:`hypercut.report.gains`."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from hypercut.paper import published
from hypercut.report.experiments import EXPERIMENT_NAMES, METRIC_NAMES, pair_name
from hypercut.report.gains import RESAMPLES, SCOPES
from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, legend_below, mark
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, counted, number, number_cell

_DRAWS = f"{RESAMPLES:,}".replace(",", " ")
TEXT = [
    "The average gain of PKO+HSC over X is 100·(Σ PKO+HSC / Σ X − 1) over datasets: a ratio of means, as in the paper. "
    f"Its interval comes from {_DRAWS} bootstrap samples of the datasets with a fixed random seed. It shows how much "
    "the gain depends on the choice of datasets, not on the repeats. With so few datasets it is itself rough.",
    "Where a dataset of the paper is missing, a stand-in, a subset or not run at all levels, both our gain and the "
    "published one are over the others.",
]


def gain_table(gains: pd.DataFrame, unsupervised: pd.DataFrame) -> Table:
    """Return all gains: every scope, every competitor, both rules for choosing σ."""
    keys = ["scope", "experiment", "metric", "competitor"]
    data = gains.join(unsupervised.set_index(keys)["ours"].rename("ours_unsupervised"), on=keys)
    body = [
        [
            *map(Cell, (row.competitor, row.scope, EXPERIMENT_NAMES[row.experiment], METRIC_NAMES[row.metric])),
            *(number_cell(value, 2, sign=True) for value in (row.printed, row.published, row.ours)),
            Cell(f"{number(row.low, 1, sign=True)} to {number(row.high, 1, sign=True)}" if row.low == row.low else "–"),
            number_cell(row.ours_unsupervised, 2, sign=True),
            number_cell(row.n_datasets, 0),
        ]
        for row in data.itertuples()
    ]
    heads = ["over", "scope", "experiment", "metric", "printed", "published, same sets", "ours", "95 % interval"]
    scopes = "; ".join(f"{name}: {text}" for name, text in SCOPES.items())
    return Table(
        name="gains",
        title="All gains of PKO+HSC, %",
        caption=f"Average gains in percent. Scopes: {scopes}.",
        columns=[*heads, "ours, σ without labels", "datasets"],
        rows=body,
        data=data,
    )


def gain_chart(gains: pd.DataFrame) -> Iterator[CaptionedFigure]:
    """Yield the average gains over the paper's seven competitors, published and ours with intervals."""
    rows = gains[(gains["scope"] == "paper") & gains["competitor"].isin(published.COMPETITORS)]
    if rows.empty:
        return
    figure = Figure(figsize=(10, 6.2))
    axes = figure.subplots(2, 3, sharey=True)
    for column, experiment in enumerate(published.EXPERIMENTS):
        for row, metric in enumerate(published.METRICS):
            part = rows[(rows["experiment"] == experiment) & (rows["metric"] == metric)]
            _gain_panel(axes[row, column], part.set_index("competitor").reindex(published.COMPETITORS))
            sets = int(part["n_datasets"].max()) if len(part) else 0
            over = counted(sets, "dataset") if sets else "nothing comparable"
            axes[row, column].set_title(f"{pair_name((experiment, metric))} ({over})")
    for ax in axes[1]:
        ax.set_xlabel("average gain of PKO+HSC, %")
    figure.subplots_adjust(left=0.085, right=0.985, top=0.94, bottom=0.15, hspace=0.25, wspace=0.08)
    entries = [
        Line2D([], [], color=palette.VERMILLION, marker="o", label="ours, 95 % bootstrap interval over datasets"),
        mark("D", "published, same datasets", mfc="white"),
        mark("|", "printed in the paper (all its datasets)", markersize=10),
    ]
    legend_below(figure, entries, columns=3)
    yield CaptionedFigure(
        name="gains",
        title="Average gains",
        caption="Average gain of PKO+HSC over each competitor. A dot right of the zero line means that PKO+HSC is "
        "better on average; an interval across it means that these datasets do not decide. Where the published diamond "
        "lies outside our interval, the size of the gain did not reproduce.",
        alt="Dot chart of the average gains of PKO+HSC over seven competitors, published and ours; the table of gains "
        "has all numbers.",
        figure=figure,
    )


def _gain_panel(ax: Axes, part: pd.DataFrame) -> None:
    y = np.arange(len(part))[::-1]
    ax.axvline(0, color=palette.AXIS, lw=1)
    ours = part["ours"].to_numpy(dtype=float)
    errors = np.nan_to_num(np.array([ours - part["low"], part["high"] - ours], dtype=float)).clip(0)
    ax.errorbar(ours, y + 0.13, xerr=errors, fmt="o", color=palette.VERMILLION, capsize=3, zorder=3)
    ax.plot(part["published"].to_numpy(dtype=float), y - 0.13, "D", color=palette.GREY, mfc="white", zorder=4)
    ax.plot(part["printed"].to_numpy(dtype=float), y - 0.13, "|", color=palette.GREY, markersize=11, zorder=2)
    ax.set_yticks(y, part.index)
    ax.set_ylim(-0.6, len(part) - 0.4)


def section(gains: pd.DataFrame, unsupervised: pd.DataFrame) -> Section:
    """Return the section."""
    return Section("gains", "Average gains", TEXT, figures=gain_chart(gains), more=[gain_table(gains, unsupervised)])
