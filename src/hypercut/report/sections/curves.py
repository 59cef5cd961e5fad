"""Section "Curves over levels": scores of all algorithms under noise and outliers, per dataset."""

from collections.abc import Iterator
from itertools import chain

import pandas as pd

from hypercut.analysis.evidence import Evidence, present
from hypercut.analysis.experiments import METRIC_NAMES, NOISE_UNITS, level_name, pair_name
from hypercut.paper import published
from hypercut.report.render.figure import CaptionedFigure, Key, Panels, algorithm_styles, draw_lines, score_limits
from hypercut.report.render.page import Section
from hypercut.report.render.table import number

TEXT = (
    "PKO+HSC is the thick line, with bars of one standard deviation over repeats; the others have theirs on hover and "
    "in the CSV file. Baselines are dashed, random labels dotted. σ is chosen with the labels at each level."
)


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
    datasets = present(evidence.datasets, rows["dataset"])
    panels = Panels(len(datasets), 4, size=(2.75, 2.2), keys=[Key(name, style) for name, style in styles.items()])
    unit = NOISE_UNITS[evidence.noise["scale"]] if experiment == "noise" else "share of all elements set to zero"
    scores, spreads = rows[f"{metric}_mean"], rows[f"{metric}_std"]
    triples = zip(rows["setting"], scores, spreads, strict=True)
    lines = rows.assign(
        score=scores,
        spread=spreads.where(rows["algorithm"] == published.METHOD),
        tip=[f"{level_name(setting)}: {number(score, 3)} ± {number(spread, 3)}" for setting, score, spread in triples],
    )
    for dataset in datasets:
        ax, part = panels.add(evidence.label(dataset)), lines[lines["dataset"] == dataset]
        draw_lines(panels, ax, part, "level", "score", styles)
        ends = [(part["score"] + sign * part["spread"]).dropna().clip(0, 1) for sign in (-1, 1)]
        ax.set(xlabel=unit, ylabel="", ylim=score_limits(pd.concat([part["score"], *ends])))
    columns = ["dataset", "setting", "level", "algorithm", "repeats", "failed", "sigma_factor"]
    columns += [f"{metric}_{what}" for metric in METRIC_NAMES for what in ("mean", "std")]
    return CaptionedFigure(
        name=f"{experiment}-{metric}",
        title=f"Scores over levels: {pair_name((experiment, metric))}",
        caption="",
        panels=panels,
        data=evidence.with_kind(evidence.in_order(rows[columns], "dataset", "algorithm")),
    )


def section(evidence: Evidence) -> Section:
    """Return the curves over the levels of both corruptions, as far as they were run."""
    tabs = chain.from_iterable(level_curves(evidence, experiment) for experiment in ("noise", "outlier"))
    return Section("curves", "Curves over levels", [TEXT], tabs=tabs)
