"""Figures: what each shows, drawn from the benchmark."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from hypercut.report import published
from hypercut.report.benchmark import Benchmark
from hypercut.report.cost import seconds
from hypercut.report.experiments import EXPERIMENT_NAMES, METRIC_NAMES, experiment_settings, level_name
from hypercut.report.ranks import ALPHA, Ranking
from hypercut.report.similarity import Matrices
from hypercut.report.style import Look, dataset_looks, legend_below, looks


@dataclass(frozen=True)
class Drawing:
    """A figure with its file name, its caption and its description for those who cannot see it."""

    name: str
    title: str
    caption: str
    alt: str
    figure: Figure
    wide: bool = True
    """whether it needs room, and scrolls on a narrow screen"""


def level_curves(benchmark: Benchmark, experiment: str) -> Iterator[Drawing]:
    """Yield, per dataset that has corrupted levels, the four metrics over the levels with error bars."""
    styles = looks(benchmark.roles)
    settings = experiment_settings(experiment)
    summary = benchmark.summary
    summary = summary[(summary["rule"] == "oracle") & summary["setting"].isin(settings)]
    for dataset in benchmark.datasets:
        rows = summary[summary["dataset"] == dataset]
        if not (rows["setting"] != "clean").any():
            continue
        names = [name for name in benchmark.algorithms if name in set(rows["algorithm"]) and name != "true labels"]
        figure = Figure(figsize=(10, 7.6))
        axes = figure.subplots(2, 2, sharex=True)
        for ax, metric in zip(axes.flat, METRIC_NAMES, strict=True):
            for name in names:
                _level_curve(ax, rows[rows["algorithm"] == name], metric, styles[name], settings)
            ax.set_title(METRIC_NAMES[metric])
            ax.set_xticks(range(len(settings)), [level_name(setting) for setting in settings])
        for ax in axes[1]:
            ax.set_xlabel(_level_axis(experiment))
        figure.suptitle(f"{benchmark.label(dataset)}: {EXPERIMENT_NAMES[experiment]}", y=0.985, weight="bold")
        figure.subplots_adjust(left=0.06, right=0.985, top=0.915, bottom=0.185, hspace=0.16, wspace=0.13)
        legend_below(figure, [styles[name].artist(name) for name in names], columns=6, y=0.012)
        run = [level_name(setting) for setting in settings if setting in set(rows["setting"])]
        yield Drawing(
            name=f"{experiment}-{dataset}",
            title=f"{benchmark.label(dataset)}: {EXPERIMENT_NAMES[experiment]}",
            caption=_curve_caption(benchmark, dataset, experiment, rows, run),
            alt=f"Four line charts of NMI, accuracy, matched accuracy and ARI of {len(names)} algorithms on "
            f"{benchmark.label(dataset)} over the levels {', '.join(run)}.",
            figure=figure,
        )


def _level_axis(experiment: str) -> str:
    if experiment == "noise":
        return "level: noise of 0.2, 0.4 … 2.0 standard deviations; L0 is clean"
    return "level: 20, 40, 60 % of all elements set to zero; L0 is clean"


def _level_curve(ax: Axes, rows: pd.DataFrame, metric: str, look: Look, settings: list[str]) -> None:
    rows = rows.set_index("setting").reindex([setting for setting in settings if setting in set(rows["setting"])])
    ax.errorbar(
        [settings.index(setting) for setting in rows.index],
        rows[f"{metric}_mean"],
        yerr=rows[f"{metric}_std"].fillna(0.0) if (rows["repeats"] > 1).any() else None,
        color=look.color,
        marker=look.marker,
        ls=look.line,
        lw=look.width,
        zorder=look.order,
        markersize=6 if look.width > 2 else 4,
        elinewidth=0.8,
        capsize=2,
    )


def _curve_caption(benchmark: Benchmark, dataset: str, experiment: str, rows: pd.DataFrame, run: list[str]) -> str:
    means = rows[rows["algorithm"].isin(published.ALGORITHMS)].pivot(
        index="setting", columns="algorithm", values="nmi_mean"
    )
    caption = (
        f"{benchmark.label(dataset)} under {EXPERIMENT_NAMES[experiment]}, σ chosen with the labels at each level."
    )
    if published.METHOD in means and means.shape[1] > 1:
        best = int((means[published.METHOD] >= means.max(axis=1) - 1e-12).sum())
        caption += f" PKO+HSC has the highest NMI of the paper's algorithms at {best} of {len(means)} levels."
    repeats = sorted(set(rows["repeats"]))
    bars = "no error bars, since there is one repeat" if repeats == [1] else "bars are standard deviations over repeats"
    missing = len(experiment_settings(experiment)) - len(run)
    return caption + f" {bars.capitalize()}." + (f" Run: {', '.join(run)} only." if missing else "")


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
            over = f"{sets} dataset{'' if sets == 1 else 's'}" if sets else "not run"
            axes[row, column].set_title(f"{EXPERIMENT_NAMES[experiment]}, {METRIC_NAMES[metric]} ({over})")
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


def scale_curves(benchmark: Benchmark) -> Iterator[Drawing]:
    """Yield, per dataset, NMI over σ on the clean set, with the two choices and the grid's edge marked."""
    styles = looks(benchmark.roles)
    scales = benchmark.scales
    scales = scales[(scales["setting"] == "clean") & scales["sigma_factor"].notna()]
    summary = benchmark.summary[benchmark.summary["setting"] == "clean"]
    for dataset in benchmark.datasets:
        rows = scales[scales["dataset"] == dataset]
        names = [name for name in benchmark.algorithms if name in set(rows["algorithm"])]
        if rows["sigma_factor"].nunique() < 2:
            continue
        figure = Figure(figsize=(10, 5.2))
        axes = figure.subplots(1, 2, sharex=True)
        for ax, metric in zip(axes, published.METRICS, strict=True):
            for name in names:
                chosen = summary[(summary["dataset"] == dataset) & (summary["algorithm"] == name)]
                _scale_curve(ax, rows[rows["algorithm"] == name], chosen, metric, styles[name])
            ax.set_title(METRIC_NAMES[metric])
            ax.set_xlabel("σ/ρ")
        at_edge = summary[(summary["dataset"] == dataset) & (summary["rule"] == "oracle") & summary["at_edge"]]
        edge = [name for name in names if name in set(at_edge["algorithm"])]
        figure.suptitle(f"{benchmark.label(dataset)}, clean: the scale σ", y=0.98, weight="bold")
        figure.subplots_adjust(left=0.06, right=0.985, top=0.87, bottom=0.27, wspace=0.13)
        marks = [
            Line2D([], [], color="black", marker="o", ls="", mfc="none", markersize=10, label="chosen with labels"),
            Line2D([], [], color="black", marker="s", ls="", mfc="none", markersize=9, label="chosen without"),
            Line2D([], [], color="red", marker="o", ls="", mfc="none", markersize=10, label="with labels, at the edge"),
        ]
        legend_below(figure, [*(styles[name].artist(name) for name in names), *marks], columns=6, y=0.01)
        yield Drawing(
            name=f"sigma-{dataset}",
            title=f"{benchmark.label(dataset)}: σ",
            caption=f"{benchmark.label(dataset)}, clean: mean over repeats at every σ of the grid. Flat curves need no "
            "tuning. "
            + (
                f"The best σ lies on the edge of the grid for {', '.join(edge)}: a better one may lie beyond."
                if edge
                else "No algorithm has its best σ on the edge of the grid."
            ),
            alt=f"Two line charts of NMI and accuracy over σ/ρ, {len(names)} algorithms on {benchmark.label(dataset)}.",
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


def weight_maps(benchmark: Benchmark) -> Iterator[Drawing]:
    """Yield, per metric, a map over (α, β) for every dataset of the sweep, the paper's figures below ours."""
    sweeps = benchmark.sweeps[benchmark.sweeps["sweep"] == "weights"]
    datasets = [name for name in benchmark.datasets if name in set(sweeps["dataset"])]
    if not datasets:
        return
    columns = min(4, len(datasets))
    lines = -(-len(datasets) // columns)
    for metric in published.METRICS:
        figure = Figure(figsize=(max(2.55 * columns, 4.2), 2.75 * lines + 0.35))
        axes = figure.subplots(lines, columns, squeeze=False)
        for ax in axes.flat[len(datasets) :]:
            ax.set_axis_off()
        for ax, dataset in zip(axes.flat, datasets, strict=False):
            printed = published.weight_scores(metric).loc[dataset] if benchmark.comparable(dataset, "clean") else None
            _weight_map(ax, sweeps[sweeps["dataset"] == dataset], metric, printed)
            ax.set_title(benchmark.label(dataset))
        figure.subplots_adjust(left=0.07, right=0.985, top=0.91, bottom=0.45 / (2.75 * lines), hspace=0.45, wspace=0.3)
        yield Drawing(
            name=f"weights-{metric.replace('_', '-')}",
            title=f"Weights (α, β): {METRIC_NAMES[metric]}",
            caption=f"{METRIC_NAMES[metric]} of PKO+HSC on the clean sets over its weights; the over-clustering "
            "hypergraph has the rest, 1 − α − β. Above: ours; below, in brackets: Table 2 of the paper. Each map has "
            "its own scale of colours, darker is better; the best of ours is framed. Maps of one tone are insensitive.",
            alt=f"Heat maps of {METRIC_NAMES[metric]} over α and β for {len(datasets)} datasets; all figures are in "
            "Table 2.",
            figure=figure,
        )


def _weight_map(ax: Axes, rows: pd.DataFrame, metric: str, printed: pd.Series | None) -> None:
    values = rows.pivot_table(index="beta", columns="alpha", values=f"{metric}_mean")
    low, high = np.nanmin(values), np.nanmax(values)
    # Never less than 0.05 from lightest to darkest: a flat map must look flat.
    middle, half = (low + high) / 2, max(high - low, 0.05) / 2
    ax.imshow(values, origin="lower", cmap="Blues", vmin=middle - 1.3 * half, vmax=middle + 1.6 * half, aspect="auto")
    best = divmod(int(np.nanargmax(values.to_numpy())), values.shape[1])
    for (i, beta), (j, alpha) in ((a, b) for a in enumerate(values.index) for b in enumerate(values.columns)):
        if np.isnan(values.iloc[i, j]):
            continue
        dark = values.iloc[i, j] > middle + 0.9 * half
        paper = printed.get((alpha, beta)) if printed is not None else None
        text = f"{values.iloc[i, j]:.3f}" + (f"\n({paper:.3f})" if paper is not None else "")
        weight = "bold" if (i, j) == best else "normal"
        ax.text(j, i, text, ha="center", va="center", fontsize=7.5, color="white" if dark else "black", weight=weight)
    ax.add_patch(_frame(best))
    ax.set_xticks(range(values.shape[1]), [f"{value:g}" for value in values.columns])
    ax.set_yticks(range(values.shape[0]), [f"{value:g}" for value in values.index])
    ax.set_xlabel("α", labelpad=1)
    ax.set_ylabel("β", labelpad=1)
    ax.grid(False)


def _frame(cell: tuple[int, int]) -> Rectangle:
    return Rectangle((cell[1] - 0.48, cell[0] - 0.48), 0.96, 0.96, fill=False, ec="#D55E00", lw=2)


def sweep_curves(benchmark: Benchmark, sweep: str) -> Drawing | None:
    """Draw NMI and accuracy over the number of neighbours or of communities, one line a dataset."""
    parameter, axis = {
        "neighbors": ("n_neighbors", "k, neighbours in a kNN hyperedge (the paper uses 3)"),
        "communities": ("communities_per_cluster", "communities, in multiples of K (the paper uses 2)"),
    }[sweep]
    rows = benchmark.sweeps[benchmark.sweeps["sweep"] == sweep]
    datasets = [name for name in benchmark.datasets if name in set(rows["dataset"])]
    if not datasets:
        return None
    styles = dataset_looks(benchmark.datasets)
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
                capsize=2,
                elinewidth=0.8,
            )
        ax.set_title(METRIC_NAMES[metric])
        ax.set_xlabel(axis)
        ax.set_xticks(sorted(set(rows[parameter])))
    figure.subplots_adjust(left=0.06, right=0.985, top=0.92, bottom=0.25, wspace=0.13)
    legend_below(figure, [styles[name].artist(benchmark.label(name)) for name in datasets], columns=5)
    what = {"neighbors": "k", "communities": "the number of communities"}[sweep]
    return Drawing(
        name=sweep,
        title=f"Sensitivity to {what}",
        caption=f"PKO+HSC on the clean sets over {what}, at the best σ for each value; bars are standard deviations "
        "over repeats. A level line means that the choice hardly matters.",
        alt=f"Two line charts of NMI and accuracy of PKO+HSC over {what}, {len(datasets)} datasets.",
        figure=figure,
    )


def similarity_figure(matrices: Matrices, label: str) -> Drawing:
    """Draw the similarity matrices ordered by class, beside the truth."""
    figure = Figure(figsize=(10, 7.2))
    axes = figure.subplots(2, 3)
    panels = {"ground truth": matrices.truth, **matrices.similarities}
    for ax, (name, values) in zip(axes.flat, panels.items(), strict=True):
        off = values[~np.eye(len(values), dtype=bool)]
        # Most pairs are of different classes: the brightest percent tell the blocks, and the rest must not drown them.
        top = 1.0 if name == "ground truth" else float(np.quantile(off, 0.995)) or 1.0
        ax.imshow(values, cmap="Greys", vmin=0, vmax=top, interpolation="nearest", rasterized=True)
        share = "" if name == "ground truth" else f"\nalignment {matrices.alignment(name):.3f}"
        ax.set_title(f"{name}{share}")
        ax.set_xticks([])
        ax.set_yticks([])
        for side in ax.spines.values():
            side.set_visible(True)
    figure.subplots_adjust(left=0.02, right=0.98, top=0.92, bottom=0.02, hspace=0.2, wspace=0.06)
    return Drawing(
        name="similarity-orl",
        title=f"Similarity matrices of {label}",
        caption=f"Similarities of {label}, samples ordered by class, at σ = {matrices.sigma_factor:g}ρ and "
        f"(α, β) = ({matrices.alpha:g}, {matrices.beta:g}): dark blocks along the diagonal are classes that hold "
        "together, dark spots elsewhere are confusions. Each panel has its own grey scale. Alignment is the cosine "
        "with the ground truth over all pairs.",
        alt="Six grey-scale matrices: the ground truth with its blocks, and the similarities A, B, C, A with B, and S.",
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


def cost_chart(benchmark: Benchmark) -> Drawing | None:
    """Draw time and peak memory of one clustering against N."""
    rows = seconds(benchmark)
    if rows.empty:
        return None
    styles = looks(benchmark.roles)
    names = [name for name in benchmark.algorithms if name in set(rows["algorithm"])]
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
        ax.set_yscale("log")
        ax.set_ylabel(label)
        ax.set_xlabel("N, samples")
    sizes = rows.groupby("dataset")["n_samples"].first().sort_values()
    axes[0].set_title("time of one clustering")
    axes[1].set_title("memory")
    figure.subplots_adjust(left=0.075, right=0.985, top=0.93, bottom=0.24, wspace=0.2)
    legend_below(figure, [styles[name].artist(name) for name in names], columns=6)
    return Drawing(
        name="cost",
        title="Time and memory",
        caption="One clustering of a clean set at one σ: mean time, the communities that it was given included and the "
        "distances not; and the peak memory of its process. Datasets: "
        + ", ".join(f"{benchmark.label(str(name))} {size}" for name, size in sizes.items())
        + ". They differ in K and in features too, so the lines are not smooth.",
        alt="Two log-log charts of time and memory over the number of samples, one line an algorithm; all figures are "
        "in the table of costs.",
        figure=figure,
    )


def selection_chart(losses: pd.DataFrame, roles: dict[str, str]) -> Drawing | None:
    """Draw, per algorithm and experiment, the mean NMI with σ chosen with and without labels."""
    rows = losses[losses["metric"] == "nmi"]
    if rows.empty:
        return None
    styles = looks(roles)
    experiments = [name for name in published.EXPERIMENTS if name in set(rows["experiment"])]
    names = [name for name in styles if name in set(rows["algorithm"])]
    figure = Figure(figsize=(10, 0.9 + 0.3 * len(names)))
    axes = figure.subplots(1, len(experiments), squeeze=False, sharey=True)[0]
    for ax, experiment in zip(axes, experiments, strict=True):
        part = rows[rows["experiment"] == experiment].set_index("algorithm").reindex(names)
        y = np.arange(len(names))[::-1]
        colors = [styles[name].color for name in names]
        ax.hlines(y, part["unsupervised"], part["oracle"], color=colors, lw=2)
        ax.scatter(part["oracle"], y, color=colors, marker="o", zorder=3)
        ax.scatter(part["unsupervised"], y, facecolor="white", edgecolor=colors, marker="s", zorder=3)
        ax.set_yticks(y, names)
        ax.set_title(f"{EXPERIMENT_NAMES[experiment]}")
        ax.set_xlabel("mean NMI over datasets")
    figure.subplots_adjust(left=0.1, right=0.985, top=0.9, bottom=0.28 if len(names) < 8 else 0.22, wspace=0.08)
    entries = [
        Line2D([], [], color="#444444", marker="o", ls="", label="σ chosen with the labels (the paper's protocol)"),
        Line2D([], [], color="#444444", marker="s", ls="", mfc="white", label="σ chosen without labels"),
    ]
    legend_below(figure, entries, columns=2)
    return Drawing(
        name="selection",
        title="Choosing σ with and without labels",
        caption="Mean NMI over all datasets run. The length of a bar is what an algorithm loses when σ is chosen "
        "without labels, as it must be in practice: the paper's protocol hides that loss.",
        alt="Dumbbell charts of mean NMI under the two selection rules; all figures are in the table of selection.",
        figure=figure,
    )
