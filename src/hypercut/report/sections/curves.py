"""Sections "Curves over noise levels" and "Curves over outlier levels": scores of all algorithms per dataset."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from hypercut.paper import published
from hypercut.report.evidence import Evidence, present
from hypercut.report.experiments import (
    EXPERIMENT_NAMES,
    METRIC_NAMES,
    NOISE_UNITS,
    experiment_settings,
    level_name,
    other_levels,
)
from hypercut.report.render.figure import CaptionedFigure, Key, Panels, Style, algorithm_styles, score_limits
from hypercut.report.render.page import Section
from hypercut.report.render.table import capitalized, number

TEXT = [
    "PKO+HSC is the thick line, with bars of one standard deviation over repeats; the others have theirs on hover and "
    "in the CSV file, which also has matched accuracy and ARI. Every algorithm has the same colour and marker in all "
    "figures. References are dashed. Random labels are dotted; they show the chance level, which is above zero for NMI "
    "and purity. σ is chosen with the labels at each level.",
]

#: With more levels than this, every second one has its number below it.
MOST_TICKS = 6


def level_curves(evidence: Evidence, experiment: str) -> Iterator[CaptionedFigure]:
    """Yield a figure per metric of the paper: a panel per dataset that has corrupted levels, over all its levels."""
    rows = evidence.summary
    rows = rows[(rows["rule"] == "oracle") & rows["corruption"].isin(["clean", experiment])]
    corrupted = set(rows.loc[rows["setting"] != "clean", "dataset"])
    datasets = [name for name in evidence.datasets if name in corrupted]
    if datasets:
        rows = rows[rows["dataset"].isin(datasets) & (rows["algorithm"] != "true labels")]
        for metric in published.METRICS:
            yield _figure(evidence, experiment, metric, datasets, rows)


def _figure(
    evidence: Evidence, experiment: str, metric: str, datasets: list[str], rows: pd.DataFrame
) -> CaptionedFigure:
    styles = algorithm_styles(evidence.roles)
    names = present(evidence.algorithms, rows["algorithm"])
    panels = Panels(len(datasets), 3, size=(3.45, 2.5), keys=[Key(name, styles[name]) for name in names])
    by_dataset = dict(list(rows.groupby("dataset")))
    for dataset in datasets:
        part = by_dataset[dataset]
        ax = panels.add(evidence.label(dataset), dataset=evidence.label(dataset))
        levels = part[["setting", "level"]].drop_duplicates().sort_values(["level", "setting"])
        positions = {setting: i for i, setting in enumerate(levels["setting"])}
        curves = dict(list(part.assign(x=part["setting"].map(positions)).sort_values("x").groupby("algorithm")))
        for name in names:
            if name in curves:
                _curve(panels, ax, name, curves[name], metric, styles[name])
        step = 1 if len(levels) <= MOST_TICKS else 2
        ax.set_xticks(range(0, len(levels), step), [f"{level:g}" for level in levels["level"][::step]])
        ax.set_ylim(*score_limits(_extent(part, metric)))
        ax.set_xlabel(_unit(evidence, experiment))
    title = f"{capitalized(METRIC_NAMES[metric])} over the levels of {EXPERIMENT_NAMES[experiment]}"
    return CaptionedFigure(
        name=f"{experiment}-{metric}",
        title=title,
        caption=_caption(evidence, experiment, rows) if metric == "nmi" else "",
        alt=f"{title}: line charts of {len(names)} algorithms, one per dataset; the CSV file has all numbers.",
        panels=panels,
        data=_data(evidence, rows),
    )


def _extent(rows: pd.DataFrame, metric: str) -> np.ndarray:
    """Return the values that the axis must show: all means, and the bars of PKO+HSC as far as scores go."""
    means, spreads = (rows[f"{metric}_{what}"].to_numpy(dtype=float) for what in ("mean", "std"))
    barred = (rows["algorithm"] == published.METHOD).to_numpy()
    bars = np.concatenate([(means - spreads)[barred], (means + spreads)[barred]]).clip(0, 1)
    return np.concatenate([means, bars])


def _curve(panels: Panels, ax: Axes, name: str, curve: pd.DataFrame, metric: str, style: Style) -> None:
    x, mean = curve["x"].to_numpy(), curve[f"{metric}_mean"].to_numpy(dtype=float)
    spread = curve[f"{metric}_std"].to_numpy(dtype=float)
    (line,) = ax.plot(x, mean, **style, markersize=4 if style["lw"] > 1.5 else 3)
    deviations = [f" ± {number(value, 3)}" if value == value else "" for value in spread]
    settings = zip(curve["setting"], mean, deviations, strict=True)
    panels.name(line, name, [f"{level_name(setting)}: {number(value, 3)}{more}" for setting, value, more in settings])
    if name == published.METHOD and np.nansum(spread):
        bars = ax.vlines(x, mean - np.nan_to_num(spread), mean + np.nan_to_num(spread), color=style["color"], lw=1)
        panels.name(bars, name)


def _unit(evidence: Evidence, experiment: str) -> str:
    if experiment == "noise":
        return f"noise, in {NOISE_UNITS[evidence.noise['scale']]}"
    return "share of all elements set to zero"


def _data(evidence: Evidence, rows: pd.DataFrame) -> pd.DataFrame:
    columns = ["dataset", "setting", "level", "algorithm", "repeats", "failed", "sigma_factor"]
    columns += [f"{metric}_{what}" for metric in METRIC_NAMES for what in ("mean", "std")]
    return evidence.with_kind(evidence.in_order(rows[columns], "dataset", "algorithm"))


def _caption(evidence: Evidence, experiment: str, rows: pd.DataFrame) -> str:
    counts = _highest(evidence, experiment, set(rows["dataset"]))
    parts = []
    if counts:
        of = "of those with all eight algorithms"
        parts.append(f"Levels at which PKO+HSC has the highest NMI, {of}: {', '.join(counts)}.")
    levels = rows.groupby("dataset")["setting"].nunique()
    few = [evidence.label(str(name)) for name in levels.index[levels < len(experiment_settings(experiment))]]
    if few:
        parts.append(f"Not all levels of the paper were run: {', '.join(few)}.")
    others = other_levels(rows, experiment)
    if others:
        parts.append(f"Excluded from averages (not in the paper): {', '.join(others)}.")
    return " ".join(parts)


def _highest(evidence: Evidence, experiment: str, datasets: set[str]) -> list[str]:
    """Return, per dataset, at how many of the paper's levels PKO+HSC has the highest NMI of all eight algorithms.

    As in the claims about levels, those that lack one of the eight are not counted.
    """
    scores = evidence.level_scores(experiment, "nmi").reindex(columns=published.ALGORITHMS).dropna()
    highest = scores[published.METHOD] >= scores.max(axis=1) - 1e-12
    counts = highest.groupby("dataset").agg(["sum", "size"])
    drawn = [name for name in evidence.datasets if name in datasets and name in counts.index]
    return [f"{evidence.label(name)} {counts.loc[name, 'sum']} of {counts.loc[name, 'size']}" for name in drawn]


def section(evidence: Evidence, experiment: str) -> Section:
    """Return the section of one corruption."""
    figures = level_curves(evidence, experiment)
    return Section(f"curves-{experiment}", f"Curves over {experiment} levels", TEXT, figures=figures, optional=True)
