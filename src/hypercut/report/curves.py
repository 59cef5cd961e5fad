"""Figures of lines: scores over levels, over σ, and over the numbers of neighbours and communities."""

from collections.abc import Iterator

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import (
    EXPERIMENT_NAMES,
    METRIC_NAMES,
    NOISE_UNITS,
    at_paper_levels,
    capitalized,
    experiment_settings,
    level_name,
    other_levels,
    slug,
)
from hypercut.report.style import Drawing, Look, dataset_looks, legend_below, looks


def level_curves(evidence: Evidence, experiment: str) -> Iterator[Drawing]:
    """Yield, per dataset that has corrupted levels, the four metrics over all its levels with error bars."""
    styles = looks(evidence.roles)
    summary = evidence.summary
    columns = [f"{metric}_{what}" for metric in METRIC_NAMES for what in ("mean", "std")]
    summary = summary.loc[
        (summary["rule"] == "oracle") & summary["corruption"].isin(["clean", experiment]),
        ["dataset", "algorithm", "setting", "level", "repeats", *columns],
    ]
    for dataset in evidence.datasets:
        rows = summary[summary["dataset"] == dataset]
        if not (rows["setting"] != "clean").any():
            continue
        names = [name for name in evidence.algorithms if name in set(rows["algorithm"]) and name != "true labels"]
        levels = level_values(rows)
        curves = {name: _in_order(rows[rows["algorithm"] == name], list(levels)) for name in names}
        figure = Figure(figsize=(10, 7.6))
        axes = figure.subplots(2, 2, sharex=True)
        for ax, metric in zip(axes.flat, METRIC_NAMES, strict=True):
            for name, curve in curves.items():
                _level_curve(ax, curve, metric, styles[name])
            ax.set_title(METRIC_NAMES[metric], y=1.0)
            ax.set_xticks(range(len(levels)), [f"{level_name(name)}\n{value:g}" for name, value in levels.items()])
        for ax in axes[1]:
            ax.set_xlabel(_level_axis(evidence, experiment))
        figure.suptitle(f"{evidence.label(dataset)}: {EXPERIMENT_NAMES[experiment]}", y=0.985, weight="bold")
        figure.subplots_adjust(left=0.06, right=0.985, top=0.915, bottom=0.185, hspace=0.16, wspace=0.13)
        legend_below(figure, [styles[name].artist(name) for name in names], columns=6, y=0.012)
        run = [level_name(setting) for setting in levels]
        yield Drawing(
            name=f"{experiment}-{slug(dataset)}",
            title=f"{evidence.label(dataset)}: {EXPERIMENT_NAMES[experiment]}",
            caption=_curve_caption(evidence, dataset, experiment, rows, run),
            alt=f"Four line charts of NMI, accuracy, matched accuracy and ARI of {len(names)} algorithms on "
            f"{evidence.label(dataset)} over the levels {', '.join(run)}.",
            figure=figure,
        )


def level_values(rows: pd.DataFrame) -> dict[str, float]:
    """The settings of these rows and the values behind their names, the weakest first."""
    found = rows[["setting", "level"]].drop_duplicates().sort_values(["level", "setting"])
    return dict(found.itertuples(index=False))


def _level_axis(evidence: Evidence, experiment: str) -> str:
    if experiment == "noise":
        return f"noise, in {NOISE_UNITS[evidence.noise['scale']]}; L0 is clean"
    return "share of all elements that is set to zero; L0 is clean"


def _in_order(rows: pd.DataFrame, settings: list[str]) -> pd.DataFrame:
    """The rows of one algorithm by the number of their level."""
    positions = rows["setting"].map({setting: number for number, setting in enumerate(settings)})
    return rows.drop(columns=["dataset", "algorithm", "setting", "level"]).set_index(positions).sort_index()


def _level_curve(ax: Axes, rows: pd.DataFrame, metric: str, look: Look) -> None:
    ax.errorbar(
        rows.index.to_numpy(),
        rows[f"{metric}_mean"],
        yerr=rows[f"{metric}_std"].fillna(0.0) if (rows["repeats"] > 1).any() else None,
        color=look.color,
        marker=look.marker,
        ls=look.line,
        lw=look.width,
        zorder=look.order,
        markersize=6 if look.width > 2 else 4,
        elinewidth=0.9,
    )


def _curve_caption(evidence: Evidence, dataset: str, experiment: str, rows: pd.DataFrame, run: list[str]) -> str:
    means = rows[rows["algorithm"].isin(published.ALGORITHMS)].pivot(
        index="setting", columns="algorithm", values="nmi_mean"
    )
    caption = f"{evidence.label(dataset)} under {EXPERIMENT_NAMES[experiment]}, σ chosen with the labels at each level."
    if published.METHOD in means and means.shape[1] > 1:
        best = int((means[published.METHOD] >= means.max(axis=1) - 1e-12).sum())
        caption += f" PKO+HSC has the highest NMI of the paper's algorithms at {best} of {len(means)} levels."
    repeats = sorted(set(rows["repeats"]))
    bars = "no error bars, since there is one repeat" if repeats == [1] else "bars are standard deviations over repeats"
    caption += f" {capitalized(bars)}."
    of_the_paper = rows.loc[at_paper_levels(rows, experiment), "setting"].nunique()
    if of_the_paper < len(experiment_settings(experiment)):
        caption += f" Run: {', '.join(run)} only."
    others = other_levels(rows, experiment)
    return caption + (f" Not the paper's levels, and in no average: {', '.join(others)}." if others else "")


def scale_curves(evidence: Evidence) -> Iterator[Drawing]:
    """Yield, per dataset, NMI over σ on the clean set, with the two choices and the grid's edge marked."""
    styles = looks(evidence.roles)
    scales = evidence.scales
    scales = scales[(scales["setting"] == "clean") & scales["sigma_factor"].notna()]
    summary = evidence.summary[evidence.summary["setting"] == "clean"]
    for dataset in evidence.datasets:
        rows = scales[scales["dataset"] == dataset]
        names = [name for name in evidence.algorithms if name in set(rows["algorithm"])]
        if rows["sigma_factor"].nunique() < 2:
            continue
        figure = Figure(figsize=(10, 5.2))
        axes = figure.subplots(1, 2, sharex=True)
        for ax, metric in zip(axes, published.METRICS, strict=True):
            for name in names:
                chosen = summary[(summary["dataset"] == dataset) & (summary["algorithm"] == name)]
                _scale_curve(ax, rows[rows["algorithm"] == name], chosen, metric, styles[name])
            ax.set_title(METRIC_NAMES[metric], y=1.0)
            ax.set_xlabel("σ/ρ")
        at_edge = summary[(summary["dataset"] == dataset) & (summary["rule"] == "oracle") & summary["at_edge"]]
        edge = [name for name in names if name in set(at_edge["algorithm"])]
        figure.suptitle(f"{evidence.label(dataset)}, clean: the scale σ", y=0.98, weight="bold")
        figure.subplots_adjust(left=0.06, right=0.985, top=0.87, bottom=0.27, wspace=0.13)
        marks = [
            Line2D([], [], color="black", marker="o", ls="", mfc="none", markersize=10, label="chosen with labels"),
            Line2D([], [], color="black", marker="s", ls="", mfc="none", markersize=9, label="chosen without"),
            Line2D([], [], color="red", marker="o", ls="", mfc="none", markersize=10, label="with labels, at the edge"),
        ]
        legend_below(figure, [*(styles[name].artist(name) for name in names), *marks], columns=6, y=0.01)
        yield Drawing(
            name=f"sigma-{slug(dataset)}",
            title=f"{evidence.label(dataset)}: σ",
            caption=f"{evidence.label(dataset)}, clean: mean over repeats at every σ of the grid. Flat curves need no "
            "tuning. "
            + (
                f"The best σ lies on the edge of the grid for {', '.join(edge)}: a better one may lie beyond."
                if edge
                else "No algorithm has its best σ on the edge of the grid."
            ),
            alt=f"Two line charts of NMI and accuracy over σ/ρ, {len(names)} algorithms on {evidence.label(dataset)}.",
            figure=figure,
        )


def _scale_curve(ax: Axes, rows: pd.DataFrame, chosen: pd.DataFrame, metric: str, look: Look) -> None:
    rows = rows.sort_values("sigma_factor")
    ax.plot(
        rows["sigma_factor"],
        rows[f"{metric}_mean"],
        color=look.color,
        marker=look.marker,
        ls=look.line,
        lw=look.width,
        markersize=3,
        zorder=look.order,
    )
    for choice in chosen.itertuples():
        oracle = choice.rule == "oracle"
        ax.plot(
            [choice.sigma_factor],
            [getattr(choice, f"{metric}_mean")],
            marker="o" if oracle else "s",
            markersize=10 if oracle else 8,
            mfc="none",
            mec="red" if oracle and choice.at_edge else look.color,
            mew=1.6,
            zorder=6,
        )


def sweep_curves(evidence: Evidence, sweep: str) -> Drawing | None:
    """Draw NMI and accuracy over the number of neighbours or of communities, one line a dataset."""
    parameter, axis = {
        "neighbors": ("n_neighbors", "k, neighbours in a kNN hyperedge (the paper uses 3)"),
        "communities": ("communities_per_cluster", "communities, in multiples of K (the paper uses 2)"),
    }[sweep]
    rows = evidence.sweeps[evidence.sweeps["sweep"] == sweep]
    datasets = [name for name in evidence.datasets if name in set(rows["dataset"])]
    if not datasets:
        return None
    styles = dataset_looks(evidence.datasets)
    figure = Figure(figsize=(10, 4.6))
    axes = figure.subplots(1, 2)
    for ax, metric in zip(axes, published.METRICS, strict=True):
        for dataset in datasets:
            look = styles[dataset]
            part = rows[rows["dataset"] == dataset].sort_values(parameter)
            errors = part[f"{metric}_std"].fillna(0.0)
            ax.errorbar(
                part[parameter].astype(float),
                part[f"{metric}_mean"],
                yerr=errors if errors.any() else None,
                color=look.color,
                marker=look.marker,
                lw=look.width,
                markersize=5,
                elinewidth=0.9,
            )
        ax.set_title(METRIC_NAMES[metric], y=1.0)
        ax.set_xlabel(axis)
        ax.set_xticks(sorted(set(rows[parameter])))
    figure.subplots_adjust(left=0.06, right=0.985, top=0.92, bottom=0.25, wspace=0.13)
    legend_below(figure, [styles[name].artist(evidence.label(name)) for name in datasets], columns=5)
    what = {"neighbors": "k", "communities": "the number of communities"}[sweep]
    return Drawing(
        name=sweep,
        title=f"Sensitivity to {what}",
        caption=f"PKO+HSC on the clean sets over {what}, at the best σ for each value; bars are standard deviations "
        "over repeats. A level line means that the choice hardly matters.",
        alt=f"Two line charts of NMI and accuracy of PKO+HSC over {what}, {len(datasets)} datasets.",
        figure=figure,
    )
