"""Sections "Curves over noise levels" and "Curves over outlier levels": scores of all algorithms per dataset."""

from collections.abc import Iterator

import pandas as pd

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.experiments import EXPERIMENT_NAMES, METRIC_NAMES, NOISE_UNITS, level_name
from hypercut.paper import published
from hypercut.report.render.figure import CaptionedFigure, Key, Panels, algorithm_styles, draw_lines, score_limits
from hypercut.report.render.page import Section
from hypercut.report.render.table import number

TEXT = (
    "PKO+HSC is the thick line, with bars of one standard deviation over repeats; the others have theirs on hover and "
    "in the CSV file. Baselines are dashed, random labels dotted. σ is chosen with the labels at each level."
)

#: With more levels than this, every second one has its number below it.
MOST_TICKS = 6


def level_curves(evidence: Evidence, experiment: str) -> Iterator[CaptionedFigure]:
    """Yield a figure per metric of the paper: a panel per dataset that has corrupted levels, over all its levels."""
    rows = evidence.summary
    rows = rows[(rows["rule"] == "oracle") & rows["corruption"].isin(["clean", experiment])]
    corrupted = rows.loc[rows["setting"] != "clean", "dataset"].unique()
    rows = rows[rows["dataset"].isin(corrupted) & (rows["algorithm"] != "true labels")]
    if len(rows):
        for metric in published.METRICS:
            yield _figure(evidence, experiment, metric, rows)


def _figure(evidence: Evidence, experiment: str, metric: str, rows: pd.DataFrame) -> CaptionedFigure:
    drawn = set(rows["algorithm"])
    styles = {name: style for name, style in algorithm_styles(evidence.roles).items() if name in drawn}
    by_dataset = dict(list(_with_places(rows, metric).groupby("dataset")))
    datasets = [name for name in evidence.datasets if name in by_dataset]
    panels = Panels(len(datasets), 4, size=(2.75, 2.2), keys=[Key(name, style) for name, style in styles.items()])
    noise = NOISE_UNITS[evidence.noise["scale"]]
    for dataset in datasets:
        part = by_dataset[dataset]
        ax = panels.add(evidence.label(dataset))
        draw_lines(panels, ax, part, "place", "score", styles)
        levels = part.drop_duplicates("place").sort_values("place")
        levels = levels.iloc[:: 1 if len(levels) <= MOST_TICKS else 2]
        ax.set_xticks(levels["place"], [f"{level:g}" for level in levels["level"]])
        ends = [(part["score"] + sign * part["spread"]).dropna().clip(0, 1) for sign in (-1, 1)]
        ax.set_ylim(*score_limits(pd.concat([part["score"], *ends])))
        ax.set(xlabel=noise if experiment == "noise" else "share of all elements set to zero", ylabel="")
    columns = ["dataset", "setting", "level", "algorithm", "repeats", "failed", "sigma_factor"]
    columns += [f"{metric}_{what}" for metric in METRIC_NAMES for what in ("mean", "std")]
    return CaptionedFigure(
        name=f"{experiment}-{metric}",
        title=f"Scores over the levels of {EXPERIMENT_NAMES[experiment]}: {METRIC_NAMES[metric]}",
        caption="",
        panels=panels,
        data=evidence.with_kind(evidence.in_order(rows[columns], "dataset", "algorithm")),
    )


def _with_places(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the rows with the place of their level on the axis, and what is drawn there."""
    levels = rows[["dataset", "setting", "level"]].drop_duplicates().sort_values(["dataset", "level", "setting"])
    levels["place"] = levels.groupby("dataset").cumcount()
    rows = rows.merge(levels[["dataset", "setting", "place"]]).assign(score=lambda it: it[f"{metric}_mean"])
    spreads = rows[f"{metric}_std"]
    triples = zip(rows["setting"], rows["score"], spreads, strict=True)
    return rows.assign(
        spread=spreads.where(rows["algorithm"] == published.METHOD),
        tip=[f"{level_name(setting)}: {number(score, 3)} ± {number(spread, 3)}" for setting, score, spread in triples],
    )


def section(evidence: Evidence, experiment: str) -> Section:
    """Return the curves over the levels of one corruption; nothing if none was run."""
    tabs = level_curves(evidence, experiment)
    return Section(f"curves-{experiment}", f"Curves over {experiment} levels", [TEXT], tabs=tabs)
