"""Figures that compare algorithms: gains, selection rules, ranks, cost."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from hypercut.paper import published
from hypercut.report.cost import seconds
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import EXPERIMENT_NAMES, METRIC_NAMES
from hypercut.report.ranks import ALPHA, Ranking
from hypercut.report.style import Drawing, legend_below, looks


def gain_chart(gains: pd.DataFrame) -> Drawing | None:
    """Draw the average gains, published and ours with intervals, over the paper's seven competitors."""
    rows = gains[(gains["scope"] == "paper") & gains["competitor"].isin(published.COMPETITORS)]
    if rows.empty:
        return None
    figure = Figure(figsize=(10, 6.2))
    axes = figure.subplots(2, 3, sharey=True)
    for column, experiment in enumerate(published.EXPERIMENTS):
        for row, metric in enumerate(published.METRICS):
            part = rows[(rows["experiment"] == experiment) & (rows["metric"] == metric)]
            _gain_panel(axes[row, column], part.set_index("competitor").reindex(published.COMPETITORS))
            sets = int(part["n_datasets"].max()) if len(part) else 0
            over = f"{sets} dataset{'' if sets == 1 else 's'}" if sets else "nothing comparable"
            axes[row, column].set_title(f"{EXPERIMENT_NAMES[experiment]}, {METRIC_NAMES[metric]} ({over})", y=1.0)
    for ax in axes[1]:
        ax.set_xlabel("average gain of PKO+HSC, %")
    figure.subplots_adjust(left=0.085, right=0.985, top=0.94, bottom=0.15, hspace=0.25, wspace=0.08)
    entries = [
        Line2D([], [], color="#D55E00", marker="o", ls="-", label="ours, 95 % bootstrap interval over datasets"),
        Line2D([], [], color="#444444", marker="D", ls="", mfc="white", label="published, same datasets"),
        Line2D(
            [], [], color="#444444", marker="|", ls="", markersize=10, label="printed in the paper (all its datasets)"
        ),
    ]
    legend_below(figure, entries, columns=3)
    return Drawing(
        name="gains",
        title="Average gains",
        caption="Average gain of PKO+HSC over each competitor. A dot right of the zero line means that PKO+HSC is "
        "better on average; an interval across it means that these datasets do not decide. Where the published diamond "
        "lies outside our interval, the size of the gain did not reproduce.",
        alt="Dot chart of the average gains of PKO+HSC over seven competitors, published and ours; all figures are in "
        "the table of gains.",
        figure=figure,
    )


def _gain_panel(ax: Axes, part: pd.DataFrame) -> None:
    y = np.arange(len(part))[::-1]
    ax.axvline(0, color="#888888", lw=1)
    ours = part["ours"].to_numpy(dtype=float)
    errors = np.array([ours - part["low"], part["high"] - ours], dtype=float)
    ax.errorbar(ours, y + 0.13, xerr=np.nan_to_num(errors).clip(0), fmt="o", color="#D55E00", capsize=3, zorder=3)
    ax.plot(part["published"].to_numpy(dtype=float), y - 0.13, "D", color="#444444", mfc="white", zorder=4)
    ax.plot(part["printed"].to_numpy(dtype=float), y - 0.13, "|", color="#444444", markersize=11, zorder=2)
    ax.set_yticks(y, part.index)
    ax.set_ylim(-0.6, len(part) - 0.4)


def selection_chart(losses: pd.DataFrame, roles: dict[str, str]) -> Drawing | None:
    """Draw, per algorithm and experiment, the mean NMI with σ chosen with and without labels."""
    rows = losses[losses["metric"] == "nmi"]
    if rows.empty:
        return None
    styles = looks(roles)
    experiments = [name for name in published.EXPERIMENTS if name in set(rows["experiment"])]
    names = [name for name in styles if name in set(rows["algorithm"])]
    height = 1.35 + 0.3 * len(names)
    figure = Figure(figsize=(10, height))
    axes = figure.subplots(1, len(experiments), squeeze=False, sharey=True)[0]
    for ax, experiment in zip(axes, experiments, strict=True):
        part = rows[rows["experiment"] == experiment].set_index("algorithm").reindex(names)
        y = np.arange(len(names))[::-1]
        colors = [styles[name].color for name in names]
        ax.hlines(y, part["unsupervised"], part["oracle"], color=colors, lw=2)
        ax.scatter(part["oracle"], y, color=colors, marker="o", zorder=3)
        ax.scatter(part["unsupervised"], y, facecolor="white", edgecolor=colors, marker="s", zorder=3)
        ax.set_yticks(y, names)
        ax.set_title(f"{EXPERIMENT_NAMES[experiment]}", y=1.0)
        ax.set_xlabel("mean NMI over datasets, no stand-ins")
    figure.subplots_adjust(left=0.1, right=0.985, top=1 - 0.35 / height, bottom=0.85 / height, wspace=0.08)
    entries = [
        Line2D([], [], color="#444444", marker="o", ls="", label="σ chosen with the labels (the paper's protocol)"),
        Line2D([], [], color="#444444", marker="s", ls="", mfc="white", label="σ chosen without labels"),
    ]
    legend_below(figure, entries, columns=2)
    return Drawing(
        name="selection",
        title="Choosing σ with and without labels",
        caption="Mean NMI over all datasets run but stand-ins. The length of a bar is what an algorithm loses when σ "
        "is chosen without labels, as it must be in practice: the paper's protocol hides that loss.",
        alt="Dumbbell charts of mean NMI under the two selection rules; all figures are in the table of selection.",
        figure=figure,
    )


def critical_difference(ranking: Ranking, roles: dict[str, str]) -> Drawing:
    """Draw the mean ranks, with bars that join what cannot be told apart."""
    from scikit_posthocs import critical_difference_diagram

    styles = looks(roles)
    ranks = ranking.mean_ranks
    figure = Figure(figsize=(8, 0.7 + 0.28 * (len(ranks) + 2)))
    ax = figure.subplots()
    ax.grid(False)
    critical_difference_diagram(
        ranks,
        ranking.nemenyi(),
        ax=ax,
        alpha=ALPHA,
        label_fmt_left="{label} ({rank:.2f}) ",
        label_fmt_right=" {label} ({rank:.2f})",
        color_palette={name: styles[name].color for name in ranks.index},
        label_props={"fontsize": 9.5},
        elbow_props={"linewidth": 1.2},
    )
    ax.spines["top"].set_visible(True)
    for text in ax.texts:  # the lines are coloured; names in light colours would be hard to read
        text.set_color("black")
    figure.subplots_adjust(left=0.2, right=0.8, top=0.86, bottom=0.04)
    what = f"{EXPERIMENT_NAMES[ranking.experiment]}, {METRIC_NAMES[ranking.metric]}"
    figure.suptitle(f"{what}: mean rank over {len(ranking.scores)} datasets", y=0.985, fontsize=10.5)
    return Drawing(
        name=f"ranks-{ranking.scope}-{ranking.experiment}-{ranking.metric.replace('_', '-')}",
        title=f"Ranks: {what}",
        caption=f"{what}: mean ranks over {len(ranking.scores)} datasets, 1 is best. Algorithms joined by a bar cannot "
        f"be told apart at the {ALPHA:.0%} level (Nemenyi): their ranks differ by less than "
        f"{ranking.critical_difference:.2f}.",
        alt="Critical-difference diagram: " + ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.items()) + ".",
        figure=figure,
        wide=False,
    )


def cost_chart(evidence: Evidence) -> Drawing | None:
    """Draw time and peak memory of one clustering against N."""
    rows = seconds(evidence)
    if rows.empty:
        return None
    styles = looks(evidence.roles)
    names = [name for name in evidence.algorithms if name in set(rows["algorithm"])]
    sizes = rows.groupby("dataset")["n_samples"].first().sort_values()
    ticks = _apart([int(size) for size in sizes])
    figure = Figure(figsize=(10, 5.4))
    axes = figure.subplots(1, 2)
    panels = [("seconds", 1.0, "seconds"), ("peak_bytes", 1e6, "peak memory of the process, MB")]
    for ax, (column, unit, label) in zip(axes, panels, strict=True):
        for name in names:
            look = styles[name]
            part = rows[(rows["algorithm"] == name) & (rows[column] > 0)].sort_values("n_samples")
            ax.plot(
                part["n_samples"],
                part[column] / unit,
                color=look.color,
                marker=look.marker,
                ls=look.line,
                lw=look.width,
                zorder=look.order,
                markersize=5,
            )
        ax.set_xscale("log")
        ax.set_xticks(ticks, [str(tick) for tick in ticks])
        ax.set_xticks([], minor=True)
        ax.set_yscale("log")
        ax.set_ylabel(label)
        ax.set_xlabel("N, samples")
    axes[0].set_title("time of one clustering", y=1.0)
    axes[1].set_title("memory", y=1.0)
    figure.subplots_adjust(left=0.075, right=0.985, top=0.93, bottom=0.24, wspace=0.2)
    legend_below(figure, [styles[name].artist(name) for name in names], columns=6)
    return Drawing(
        name="cost",
        title="Time and memory",
        caption="One clustering of a clean set at one σ: mean time, the communities that it was given included and the "
        "distances not; and the peak memory of its process. Datasets: "
        + ", ".join(f"{evidence.label(str(name))} {size}" for name, size in sizes.items())
        + ". They differ in K and in features too, so the lines are not smooth.",
        alt="Two log-log charts of time and memory over the number of samples, one line an algorithm; all figures are "
        "in the table of costs.",
        figure=figure,
    )


def _apart(sizes: list[int]) -> list[int]:
    """Those of the ascending sizes that leave room for their labels on a logarithmic axis."""
    kept: list[int] = []
    for size in sizes:
        if not kept or size > 1.5 * kept[-1]:
            kept.append(size)
    return kept
