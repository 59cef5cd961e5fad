"""Sections "Curves over noise levels" and "Curves over outlier levels": scores of all algorithms per dataset."""

from collections.abc import Iterator

import pandas as pd
from matplotlib.figure import Figure

from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import (
    EXPERIMENT_NAMES,
    METRIC_NAMES,
    NOISE_UNITS,
    at_paper_levels,
    experiment_settings,
    level_name,
    other_levels,
)
from hypercut.report.render.figure import CaptionedFigure, algorithm_styles, legend_below, legend_line
from hypercut.report.render.page import Section
from hypercut.report.render.table import slug

TEXT = [
    "PKO+HSC is the thick line. Every algorithm has the same colour and marker in all figures. References are dashed. "
    "Random labels are dotted; they show the chance level, which is above zero for NMI and purity.",
]


def level_curves(evidence: Evidence, experiment: str) -> Iterator[CaptionedFigure]:
    """Yield a figure per dataset that has corrupted levels: the four metrics over all its levels, with error bars."""
    summary = evidence.summary
    summary = summary[(summary["rule"] == "oracle") & summary["corruption"].isin(["clean", experiment])]
    for dataset in evidence.datasets:
        rows = summary[summary["dataset"] == dataset]
        if (rows["setting"] != "clean").any():
            yield _figure(evidence, experiment, dataset, rows)


def _figure(evidence: Evidence, experiment: str, dataset: str, rows: pd.DataFrame) -> CaptionedFigure:
    styles = algorithm_styles(evidence.roles)
    names = [name for name in evidence.algorithms if name in set(rows["algorithm"]) and name != "true labels"]
    levels = rows[["setting", "level"]].drop_duplicates().sort_values(["level", "setting"])
    ticks = [f"{level_name(row.setting)}\n{row.level:g}" for row in levels.itertuples()]
    positions = rows["setting"].map({setting: i for i, setting in enumerate(levels["setting"])})
    rows_by_position = rows.set_index(positions).sort_index()
    figure = Figure(figsize=(10, 7.6))
    axes = figure.subplots(2, 2, sharex=True)
    for ax, metric in zip(axes.flat, METRIC_NAMES, strict=True):
        for name in names:
            curve = rows_by_position[rows_by_position["algorithm"] == name]
            spread = curve[f"{metric}_std"].fillna(0.0) if (curve["repeats"] > 1).any() else None
            look = {**styles[name], "markersize": 6 if styles[name]["lw"] > 2 else 4, "elinewidth": 0.9}
            ax.errorbar(curve.index.to_numpy(), curve[f"{metric}_mean"], spread, **look)
        ax.set_title(METRIC_NAMES[metric])
        ax.set_xticks(range(len(ticks)), ticks)
    unit = "share of all elements set to zero"
    if experiment == "noise":
        unit = f"noise, in {NOISE_UNITS[evidence.noise['scale']]}"
    for ax in axes[1]:
        ax.set_xlabel(f"{unit}; L0 is clean")
    title = f"{evidence.label(dataset)}: {EXPERIMENT_NAMES[experiment]}"
    figure.suptitle(title, y=0.985, weight="bold")
    figure.subplots_adjust(left=0.06, right=0.985, top=0.915, bottom=0.185, hspace=0.16, wspace=0.13)
    legend_below(figure, [legend_line(name, styles[name]) for name in names], columns=6, y=0.012)
    run = ", ".join(map(level_name, levels["setting"]))
    return CaptionedFigure(
        name=f"{experiment}-{slug(dataset)}",
        title=title,
        caption=_caption(evidence, dataset, experiment, rows, run),
        alt=f"Four line charts of NMI, purity, matched accuracy and ARI of {len(names)} algorithms on "
        f"{evidence.label(dataset)} over the levels {run}.",
        figure=figure,
    )


def _caption(evidence: Evidence, dataset: str, experiment: str, rows: pd.DataFrame, run: str) -> str:
    means = rows[rows["algorithm"].isin(published.ALGORITHMS)].pivot(
        index="setting", columns="algorithm", values="nmi_mean"
    )
    caption = f"{evidence.label(dataset)} under {EXPERIMENT_NAMES[experiment]}, σ chosen with the labels at each level."
    if published.METHOD in means and means.shape[1] > 1:
        best = int((means[published.METHOD] >= means.max(axis=1) - 1e-12).sum())
        caption += f" PKO+HSC has the highest NMI of the paper's algorithms at {best} of {len(means)} levels."
    repeated = set(rows["repeats"]) != {1}
    caption += (
        " Bars are standard deviations over repeats." if repeated else " No error bars, since there is one repeat."
    )
    of_the_paper = rows.loc[at_paper_levels(rows, experiment), "setting"].nunique()
    if of_the_paper < len(experiment_settings(experiment)):
        caption += f" Only {run} were run."
    others = other_levels(rows, experiment)
    return caption + (f" Excluded from averages (not in the paper): {', '.join(others)}." if others else "")


def section(evidence: Evidence, experiment: str) -> Section:
    """Return the section of one corruption."""
    figures = level_curves(evidence, experiment)
    return Section(f"curves-{experiment}", f"Curves over {experiment} levels", TEXT, figures=figures, optional=True)
