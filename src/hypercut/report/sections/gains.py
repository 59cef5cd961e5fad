"""Section "Average gains": PKO+HSC against each competitor, published and ours, with intervals for ours."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from hypercut.paper import published
from hypercut.paper.forensics import average_gain
from hypercut.report.bootstrap import RESAMPLES, interval, resampled_gains
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import EXPERIMENT_NAMES, METRIC_NAMES, PAIRS, pair_name
from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, legend_below, mark
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, counted, number, number_cell

#: The datasets that a gain is averaged over.
SCOPES = {
    "paper": "the paper's datasets that are comparable, generated trajectories included",
    "real": "the same without the generated trajectories",
    "all": "all datasets except stand-ins and USPS-465, over the paper's levels that both algorithms have",
}

GAIN_COLUMNS = [
    *("scope", "experiment", "metric", "competitor", "printed", "published", "ours", "low", "high"),
    *("n_datasets", "datasets"),
]

_DRAWS = f"{RESAMPLES:,}".replace(",", " ")
TEXT = [
    "The average gain of PKO+HSC over X is 100·(Σ PKO+HSC / Σ X − 1) over datasets: a ratio of means, as in the paper. "
    f"Its interval comes from {_DRAWS} bootstrap samples of the datasets with a fixed random seed. It shows how much "
    "the gain depends on the choice of datasets, not on the repeats. With so few datasets it is itself rough.",
    "Datasets of the paper that are missing, stand-ins, subsets or not run at all levels are left out of both our gain "
    "and the published one.",
]


def scope_scores(evidence: Evidence, experiment: str, metric: str, scope: str, rule: str = "oracle") -> pd.DataFrame:
    """Return the scores behind the gains: (dataset, part) × algorithm, NaN where there is none to compare.

    For the scope ``all`` a part is a level, so that two algorithms compare on the levels that both have. For the other
    scopes, which need all levels, it is the average.
    """
    if scope == "all":
        levels = evidence.level_scores(experiment, metric, rule)
        return levels[levels.index.isin(evidence.averaged, level="dataset")]
    rows = evidence.comparable_averages(experiment, rule)
    rows = rows[rows["metric"] == metric]
    if scope == "real":
        rows = rows[rows["dataset"].map(evidence.facts["data_kind"]) == "real"]
    return rows.assign(part="average").pivot(index=["dataset", "part"], columns="algorithm", values="mean")


def on_common_datasets(scores: pd.DataFrame, competitor: str, *, fewest_parts: int = 1) -> pd.DataFrame:
    """Return the averages of PKO+HSC (``ours``) and a competitor (``other``) on the datasets that both have."""
    if published.METHOD not in scores or competitor not in scores:
        return pd.DataFrame({"ours": [], "other": []}, dtype=float)
    # Plain numpy: a table of gains has hundreds of pairs.
    values = scores[[published.METHOD, competitor]].to_numpy(dtype=float)
    both = ~np.isnan(values).any(axis=1)
    names = scores.index.get_level_values("dataset").to_numpy()
    datasets, of, parts = np.unique(names[both], return_inverse=True, return_counts=True)
    means = [np.bincount(of, column, minlength=len(datasets)) / parts for column in values[both].T]
    table = pd.DataFrame({"ours": means[0], "other": means[1]}, index=datasets)
    return table[parts >= fewest_parts]


def average_gains(evidence: Evidence, rule: str = "oracle") -> pd.DataFrame:
    """Return one row per scope, experiment, metric and competitor: the gain printed, published and ours.

    ``published`` is recomputed from the paper's tables over the same datasets as ours, so that the two compare. The
    scope ``all`` contains subsets and averages over fewer levels, so it has no published counterpart.
    """
    rows = []
    competitors = [name for name in evidence.with_role("algorithm", "reference") if name != published.METHOD]
    for scope, experiment, metric in product(SCOPES, published.EXPERIMENTS, published.METRICS):
        if evidence.averages(experiment, rule).empty:
            continue
        scores = scope_scores(evidence, experiment, metric, scope, rule)
        # A dataset that was run clean only says nothing about noise or outliers.
        fewest = 2 if scope == "all" and experiment != "clean" else 1
        for competitor in competitors:
            both = on_common_datasets(scores, competitor, fewest_parts=fewest)
            if not both.empty:
                facts = {"scope": scope, "experiment": experiment, "metric": metric, "competitor": competitor}
                rows.append({**facts, **_gain(both, **facts)})
    # A scope with the same datasets as an earlier one adds nothing.
    table = pd.DataFrame(rows, columns=GAIN_COLUMNS)
    content = table[["experiment", "metric", "competitor", "datasets"]].assign(ours=table["ours"].round(9))
    return table[~content.duplicated()].reset_index(drop=True)


def _gain(both: pd.DataFrame, scope: str, experiment: str, metric: str, competitor: str) -> dict[str, object]:
    ours, other = both["ours"].to_numpy(), both["other"].to_numpy()
    low, high = interval(resampled_gains(ours, other), len(both))
    known = competitor in published.COMPETITORS and scope != "all"
    return {
        "printed": published.printed_gains(experiment, metric)[competitor] if known else float("nan"),
        "published": published_gain(experiment, metric, competitor, list(both.index)) if known else float("nan"),
        "ours": average_gain(ours, other),
        "low": low,
        "high": high,
        "n_datasets": len(both),
        "datasets": " ".join(both.index),
    }


def published_gain(experiment: str, metric: str, competitor: str, datasets: Sequence[str]) -> float:
    """Return the gain in the paper's tables over these datasets; NaN if the paper lacks one of them."""
    scores = published.scores(experiment, metric)
    if not set(datasets) <= set(scores.columns):
        return float("nan")
    ours, other = scores.loc[published.METHOD, datasets], scores.loc[competitor, datasets]
    return average_gain(ours.to_numpy(), other.to_numpy())


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
    for ax, pair in zip(axes.T.flat, PAIRS, strict=True):
        part = rows[(rows["experiment"] == pair[0]) & (rows["metric"] == pair[1])]
        _gain_panel(ax, part.set_index("competitor").reindex(published.COMPETITORS))
        over = counted(int(part["n_datasets"].max()), "dataset") if len(part) else "nothing comparable"
        ax.set_title(f"{pair_name(pair)} ({over})")
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
