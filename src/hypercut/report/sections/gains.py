"""Section "Average gains": PKO+HSC against each competitor, published and ours, with intervals for ours."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from hypercut.paper import published
from hypercut.paper.forensics import average_gain
from hypercut.paper.protocol import CLEAN
from hypercut.report.bootstrap import interval, resampled_gains
from hypercut.report.evidence import Evidence, present
from hypercut.report.experiments import EXPERIMENT_NAMES, METRIC_NAMES, PAIRS, pair_name
from hypercut.report.readings import ReadingScores
from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, Key, Panels, mark
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, bounds, counted, grid, number, number_cell

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

#: What a reader has to know of the competitors.
COMPETITORS_TEXT = "NRSC and RWDSM are our reconstructions; PK+HSC, PO+HSC and PKO+NC are variants of PKO+HSC."
TEXT = [
    "The average gain of PKO+HSC over X is 100·(Σ PKO+HSC / Σ X − 1) over datasets: a ratio of means, as in the paper. "
    "Its interval comes from all bootstrap samples of the datasets. It shows how much the gain depends on the choice "
    "of datasets, not on the repeats. Its quantiles are widened for the small number of datasets (expanded percentile "
    "interval). With four datasets, as under outliers, it is the range of the gains on single datasets, which is still "
    "too narrow: if gains are as often above as below the true one, it covers that in 88 %.",
    "Datasets of the paper that are missing, stand-ins, subsets or not run at all levels are left out of both our gain "
    f"and the published one. {COMPETITORS_TEXT}",
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
        "published": published_gain(experiment, metric, competitor, tuple(both.index)) if known else float("nan"),
        "ours": average_gain(ours, other),
        "low": low,
        "high": high,
        "n_datasets": len(both),
        "datasets": " ".join(both.index),
    }


@cache
def published_gain(experiment: str, metric: str, competitor: str, datasets: tuple[str, ...]) -> float:
    """Return the gain in the paper's tables over these datasets; NaN if the paper lacks one of them."""
    scores = published.scores(experiment, metric)
    if not set(datasets) <= set(scores.columns):
        return float("nan")
    ours, other = scores.loc[[published.METHOD, competitor], list(datasets)].to_numpy()
    return average_gain(ours, other)


def headline_table(gains: pd.DataFrame) -> Table:
    """Return competitors × (experiment, metric): our gain with its interval, and the published one."""
    rows = gains[(gains["scope"] == "paper") & gains["competitor"].isin(published.COMPETITORS)]
    printed = {pair: published.printed_gains(*pair) for pair in PAIRS}
    cells = {
        (name, pair): Cell("–", notes=(f"paper {number(printed[pair][name], 2, sign=True)}",))
        for name, pair in product(published.COMPETITORS, PAIRS)
    }
    cells |= {(row.competitor, (row.experiment, row.metric)): _gain_cell(row) for row in rows.itertuples()}
    return Table(
        name="headline-gains",
        title="Average gain of PKO+HSC over each competitor, %",
        caption="Ours; the gain in the paper's tables over the same datasets (its printed gain where we have none); "
        "the 95 % bootstrap interval of ours over datasets.",
        columns=["over", *map(pair_name, PAIRS)],
        rows=grid({name: name for name in published.COMPETITORS}, PAIRS, cells),
        data=rows.drop(columns="scope"),
    )


def _gain_cell(row: Any) -> Cell:
    notes = [f"paper {number(row.published, 2, sign=True)}"]
    if row.low == row.low:
        notes.append(f"[{bounds(row.low, row.high)}]")
    # Coloured only where the interval excludes zero.
    tone = 0.6 if row.low > 0 else -0.6 if row.high < 0 else None
    return Cell(number(row.ours, 2, sign=True), value=float(row.ours), notes=tuple(notes), tone=tone)


def gain_table(gains: pd.DataFrame, unsupervised: pd.DataFrame) -> Table:
    """Return all gains: every scope, every competitor, both rules for choosing σ."""
    keys = ["scope", "experiment", "metric", "competitor"]
    data = gains.join(unsupervised.set_index(keys)["ours"].rename("ours_unsupervised"), on=keys)
    body = [
        [
            *map(Cell, (row.competitor, row.scope, EXPERIMENT_NAMES[row.experiment], METRIC_NAMES[row.metric])),
            *(number_cell(value, 2, sign=True) for value in (row.printed, row.published, row.ours)),
            Cell(bounds(row.low, row.high, between=" to ") if row.low == row.low else "–"),
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


def gain_chart(gains: pd.DataFrame, spans: pd.DataFrame, metric: str) -> Iterator[CaptionedFigure]:
    """Yield the average gains over the paper's seven competitors: published, ours with intervals, over readings.

    ``spans`` has the smallest and the largest gain over the readings, see :func:`reading_spans`.
    """
    rows = gains[(gains["scope"] == "paper") & gains["competitor"].isin(published.COMPETITORS)]
    rows = rows[rows["metric"] == metric]
    data = rows.merge(spans, how="left", on=["experiment", "metric", "competitor"])
    run = present(published.EXPERIMENTS, data["experiment"])
    if not run:
        return
    keys = [key for key in _KEYS if key.label != _SPAN or data["least"].notna().any()]
    panels = Panels(len(run), 3, size=(3.45, 2.5), margins=(0.72, 0.12, 0.3, 0.42), keys=keys)
    limits = gain_limits(data[["ours", "published", "low", "high", "least", "most"]].to_numpy(dtype=float))
    for experiment in run:
        part = data[data["experiment"] == experiment].set_index("competitor").reindex(published.COMPETITORS)
        over = counted(int(part["n_datasets"].max()), "dataset")
        ax = panels.add(f"{pair_name((experiment, metric))} ({over})")
        _gain_axis(ax, limits)
        _gain_panel(panels, ax, part)
        ax.set_xlabel("average gain of PKO+HSC, %")
    absent = [EXPERIMENT_NAMES[name] for name in published.EXPERIMENTS if name not in run]
    not_run = f" Not run, or not comparable with the paper: {' and '.join(absent)}." if absent else ""
    yield CaptionedFigure(
        name=f"gains-{metric}",
        title=f"Average gain of PKO+HSC over each competitor, {METRIC_NAMES[metric]}",
        caption="Right of the zero line PKO+HSC is better on average; an interval across it means that these datasets "
        f"do not decide. A diamond outside our interval is a gain whose size did not reproduce. The axis is "
        f"logarithmic beyond ±{LINEAR} %.{not_run}",
        alt=f"Dot chart of the average gains of PKO+HSC in {METRIC_NAMES[metric]} over seven competitors, published "
        "and ours; the table of gains has all numbers.",
        panels=panels,
        data=data.drop(columns="scope"),
    )


_OURS, _PUBLISHED = "ours, 95 % interval over datasets", "published, same datasets"
_SPAN = "span over the readings of the paper"
_KEYS = (
    Key(_OURS, {"color": palette.VERMILLION, "marker": "o", "lw": 1.5}),
    mark("D", _PUBLISHED, mfc=palette.BACK),
    Key(_SPAN, {"color": palette.SKY, "lw": 7, "alpha": 0.45}),
)


#: An axis of gains is linear up to this many percent and logarithmic beyond: otherwise the long intervals over weak
#: competitors would leave no room for the small gains, whose sign matters.
LINEAR = 10
_TICKS = [0, *(sign * size for sign in (-1, 1) for size in (10, 30, 100, 300, 1000))]


def gain_limits(values: np.ndarray) -> tuple[float, float]:
    """Return limits of an axis of gains in percent that have all values and at least ±10 inside."""
    found = values[np.isfinite(values)]
    return 1.1 * min(found.min(initial=0.0), -LINEAR), 1.1 * max(found.max(initial=0.0), LINEAR)


def _gain_axis(ax: Axes, limits: tuple[float, float]) -> None:
    ax.set_xscale("symlog", linthresh=LINEAR)
    ax.set_xticks([tick for tick in _TICKS if limits[0] <= tick <= limits[1]])
    ax.set_xticks([-5, 5], minor=True)
    ax.xaxis.set_major_formatter(lambda value, _: number(value, 0))
    ax.set_xlim(*limits)


def _gain_panel(panels: Panels, ax: Axes, part: pd.DataFrame) -> None:
    y = np.arange(len(part), dtype=float)[::-1]
    values = {name: part[name].to_numpy(dtype=float) for name in ("ours", "low", "high", "published", "least", "most")}
    ax.axvline(0, color=palette.AXIS, lw=1)
    known = np.isfinite(values["least"])
    bars = ax.hlines(y[known], values["least"][known], values["most"][known], color=palette.SKY, lw=7, alpha=0.45)
    texts = [
        f"{name}, {row.readings:.0f} readings: {_percent(row.least)} to {_percent(row.most)}"
        for name, row in part[known].iterrows()
    ]
    panels.name(bars, _SPAN, texts)
    ours = np.isfinite(values["ours"])
    panels.name(ax.hlines(y + 0.12, values["low"], values["high"], color=palette.VERMILLION, lw=1.5), _OURS)
    (dots,) = ax.plot(values["ours"][ours], y[ours] + 0.12, "o", color=palette.VERMILLION, ms=5, zorder=4)
    panels.name(dots, _OURS, [_describe(name, row) for name, row in part[ours].iterrows()])
    printed = np.isfinite(values["published"])
    (diamonds,) = ax.plot(
        values["published"][printed], y[printed] - 0.12, "D", color=palette.GREY, mfc=palette.BACK, ms=4.5, zorder=3
    )
    panels.name(diamonds, _PUBLISHED, [f"{name}: {_percent(row.published)}" for name, row in part[printed].iterrows()])
    ax.set_yticks(y, part.index)
    ax.set_ylim(-0.6, len(part) - 0.4)
    ax.grid(visible=False, axis="y")


def _percent(value: float) -> str:
    return f"{number(value, 1, sign=True)} %"


def _describe(name: object, row: Any) -> str:
    interval = f" [{bounds(row.low, row.high)}]" if row.low == row.low else ""
    return f"{name}: {_percent(row.ours)}{interval}"


def reading_spans(under: ReadingScores, ours: pd.DataFrame, nearest: pd.DataFrame | None) -> pd.DataFrame:
    """Return, per experiment, metric and competitor, the smallest and largest gain over the readings that count.

    ``lowest`` is the lowest end of their intervals, NaN if one has none.
    On clean data over all readings that count and have enough datasets for a verdict, as printed among them. Noise and
    outliers have at most one other reading, ``nearest``, which is run at the full protocol.
    """
    keys = ["experiment", "metric", "competitor"]
    found = under.clean_gains()[[*keys, "ours", "low"]]
    if nearest is not None:
        both = pd.concat([ours, nearest])
        corrupted = both[(both["scope"] == "paper") & (both["experiment"] != CLEAN)]
        # Gains over other datasets would widen the span, whatever the reading does.
        comparable = corrupted.groupby(keys)["datasets"].transform(
            lambda names: len(names) == 2 and names.nunique() == 1
        )
        found = pd.concat([found, corrupted.loc[comparable.astype(bool), [*keys, "ours", "low"]]])
    groups = found.dropna(subset="ours").groupby(keys)
    gains = groups["ours"].agg(least="min", most="max", readings="size")
    return gains.join(groups["low"].agg(lowest=lambda ends: ends.min(skipna=False))).reset_index()


def section(gains: pd.DataFrame, unsupervised: pd.DataFrame, spans: pd.DataFrame) -> Section:
    """Return the section; the first screen has the chart of NMI."""
    return Section(
        "gains",
        "Average gains",
        TEXT,
        tables=[headline_table(gains)],
        figures=gain_chart(gains, spans, "purity"),
        more=[gain_table(gains, unsupervised)],
    )
