"""Section "Sensitivity": PKO+HSC over its weights, k and communities, the similarity matrices, and all over σ."""

from collections.abc import Iterator
from itertools import chain, product

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from hypercut.benchmark.matrices import NAMES, Matrices
from hypercut.paper import protocol, published
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import METRIC_NAMES
from hypercut.report.render import palette
from hypercut.report.render.figure import (
    CaptionedFigure,
    Style,
    algorithm_styles,
    dataset_styles,
    legend_below,
    legend_line,
    mark,
)
from hypercut.report.render.page import Section
from hypercut.report.render.table import capitalized, slug


def weight_maps(evidence: Evidence) -> Iterator[CaptionedFigure]:
    """Yield, per metric, a map over (α, β) for every dataset of the sweep, our scores above the published ones."""
    sweeps = evidence.sweeps[evidence.sweeps["variation"] == "weights"]
    datasets = [name for name in evidence.datasets if name in set(sweeps["dataset"])]
    if not datasets:
        return
    columns = min(4, len(datasets))
    lines = -(-len(datasets) // columns)
    for metric in published.METRICS:
        width, height = max(2.55 * columns, 4.2), 2.75 * lines
        figure = Figure(figsize=(width, height))
        axes = figure.subplots(lines, columns, squeeze=False)
        for ax in axes.flat[len(datasets) :]:
            ax.set_axis_off()
        for ax, dataset in zip(axes.flat, datasets, strict=False):
            counterpart = evidence.counterpart(dataset, "clean")
            printed = published.weight_scores(metric).loc[counterpart] if counterpart else None
            _weight_map(ax, sweeps[sweeps["dataset"] == dataset], metric, printed)
            ax.set_title(evidence.label(dataset))
        margins = {"left": 0.6 / width, "right": 1 - 0.15 / width, "top": 1 - 0.32 / height, "bottom": 0.5 / height}
        figure.subplots_adjust(**margins, hspace=0.45, wspace=0.3)
        yield CaptionedFigure(
            name=f"weights-{metric.replace('_', '-')}",
            title=f"Weights (α, β): {METRIC_NAMES[metric]}",
            caption=f"{capitalized(METRIC_NAMES[metric])} of PKO+HSC on the clean sets over its weights; the "
            "over-clustering hypergraph has weight 1 − α − β. Above: ours; below, in brackets: Table 2 of the paper. "
            "Each map has its own colour scale, darker is better; our best is framed. A map of one tone is "
            "insensitive.",
            alt=f"Heat maps of {METRIC_NAMES[metric]} over α and β for {len(datasets)} datasets; Table 2 has all "
            "numbers.",
            figure=figure,
        )


def _weight_map(ax: Axes, rows: pd.DataFrame, metric: str, printed: pd.Series | None) -> None:
    values = rows.pivot_table(index="beta", columns="alpha", values=f"{metric}_mean")
    low, high = np.nanmin(values), np.nanmax(values)
    # At least 0.05 from lightest to darkest: a flat map must look flat.
    middle, half = (low + high) / 2, max(high - low, 0.05) / 2
    ax.imshow(values, origin="lower", cmap="Blues", vmin=middle - 1.3 * half, vmax=middle + 1.6 * half, aspect="auto")
    best = divmod(int(np.nanargmax(values.to_numpy())), values.shape[1])
    for (i, beta), (j, alpha) in product(enumerate(values.index), enumerate(values.columns)):
        value = values.iloc[i, j]
        if np.isnan(value):
            continue
        paper = printed.get((alpha, beta)) if printed is not None else None
        text = f"{value:.3f}" + (f"\n({paper:.3f})" if paper is not None else "")
        color = "white" if value > middle + 0.9 * half else "black"
        weight = "bold" if (i, j) == best else "normal"
        ax.text(j, i, text, ha="center", va="center", fontsize=7.5, color=color, weight=weight)
    frame = Rectangle((best[1] - 0.48, best[0] - 0.48), 0.96, 0.96, fill=False, ec=palette.VERMILLION, lw=2)
    ax.add_patch(frame)
    ax.set_xticks(range(values.shape[1]), [f"{value:g}" for value in values.columns])
    ax.set_yticks(range(values.shape[0]), [f"{value:g}" for value in values.index])
    ax.set_xlabel("α", labelpad=1)
    ax.set_ylabel("β", labelpad=1)
    ax.grid(False)


#: Sweep → parameter, its name, and the label of its axis.
SWEPT_COUNTS = {
    "neighbors": ("n_neighbors", "k", f"k, neighbours in a kNN hyperedge (the paper uses {protocol.NEIGHBORS})"),
    "communities": (
        "communities_per_cluster",
        "the number of communities",
        f"communities, in multiples of K (the paper uses {protocol.COMMUNITIES_PER_CLUSTER})",
    ),
}


def sweep_curves(evidence: Evidence, sweep: str) -> Iterator[CaptionedFigure]:
    """Yield NMI and purity over the number of neighbours or communities, one line per dataset."""
    parameter, name, label = SWEPT_COUNTS[sweep]
    rows = evidence.sweeps[evidence.sweeps["variation"] == sweep]
    datasets = [name for name in evidence.datasets if name in set(rows["dataset"])]
    if not datasets:
        return
    styles = dataset_styles(evidence.datasets)
    figure = Figure(figsize=(10, 4.6))
    for ax, metric in zip(figure.subplots(1, 2), published.METRICS, strict=True):
        for dataset in datasets:
            part = rows[rows["dataset"] == dataset].sort_values(parameter)
            errors = part[f"{metric}_std"].fillna(0.0)
            spread = errors if errors.any() else None
            look = {**styles[dataset], "markersize": 5, "elinewidth": 0.9}
            ax.errorbar(part[parameter].astype(float), part[f"{metric}_mean"], spread, **look)
        ax.set_title(METRIC_NAMES[metric])
        ax.set_xlabel(label)
        ax.set_xticks(sorted(set(rows[parameter])))
    figure.subplots_adjust(left=0.06, right=0.985, top=0.92, bottom=0.25, wspace=0.13)
    legend_below(figure, [legend_line(evidence.label(name), styles[name]) for name in datasets], columns=5)
    yield CaptionedFigure(
        name=sweep,
        title=f"Sensitivity to {name}",
        caption=f"PKO+HSC on the clean sets over {name}, at the best σ for each value; bars are standard deviations "
        "over repeats. A flat line means that the choice hardly matters.",
        alt=f"Two line charts of NMI and purity of PKO+HSC over {name}, {len(datasets)} datasets.",
        figure=figure,
    )


def similarity_figure(evidence: Evidence, matrices: Matrices | None) -> Iterator[CaptionedFigure]:
    """Yield the similarity matrices of ORL, ordered by class, next to the ground truth."""
    if matrices is None:
        return
    figure = Figure(figsize=(10, 7.2))
    axes = figure.subplots(2, 3).flat
    _matrix(next(axes), matrices.truth, "ground truth", 1.0)
    for ax, (symbol, values) in zip(axes, matrices.similarities.items(), strict=True):
        # Most pairs are of different classes: scaled to the maximum, the blocks of the classes would be too faint.
        top = float(np.quantile(values[~np.eye(len(values), dtype=bool)], 0.995)) or 1.0
        _matrix(ax, values, f"{NAMES[symbol]}\nalignment {matrices.alignment(symbol):.3f}", top)
    figure.subplots_adjust(left=0.02, right=0.98, top=0.92, bottom=0.02, hspace=0.2, wspace=0.06)
    label = evidence.label(protocol.SIMILARITY_DATASET)
    yield CaptionedFigure(
        name=f"similarity-{protocol.SIMILARITY_DATASET}",
        title=f"Similarity matrices of {label}",
        caption=f"Similarities of {label}, samples ordered by class, at σ = {matrices.sigma_factor:g}ρ and "
        f"(α, β) = ({matrices.alpha:g}, {matrices.beta:g}). Dark blocks along the diagonal are classes that hold "
        "together, dark spots elsewhere are confusions. Each panel has its own grey scale. Alignment is the cosine "
        "with the ground truth over all pairs.",
        alt="Six grey-scale matrices: the ground truth with its blocks, and the similarities A, B, C, A with B, and S.",
        figure=figure,
    )


def _matrix(ax: Axes, values: np.ndarray, title: str, top: float) -> None:
    ax.imshow(values, cmap="Greys", vmin=0, vmax=top, interpolation="nearest", rasterized=True)
    ax.set_title(title)
    ax.set_xticks([])
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_visible(True)


def scale_curves(evidence: Evidence) -> Iterator[CaptionedFigure]:
    """Yield, per dataset, NMI and purity over σ on the clean set, with the two choices of σ marked."""
    scales = evidence.scales
    scales = scales[(scales["setting"] == "clean") & scales["sigma_factor"].notna()]
    summary = evidence.summary[evidence.summary["setting"] == "clean"]
    for dataset in evidence.datasets:
        rows = scales[scales["dataset"] == dataset]
        if rows["sigma_factor"].nunique() > 1:
            yield _scale_figure(evidence, dataset, rows, summary[summary["dataset"] == dataset])


def _scale_figure(evidence: Evidence, dataset: str, rows: pd.DataFrame, chosen: pd.DataFrame) -> CaptionedFigure:
    styles, label = algorithm_styles(evidence.roles), evidence.label(dataset)
    names = [name for name in evidence.algorithms if name in set(rows["algorithm"])]
    figure = Figure(figsize=(10, 5.2))
    for ax, metric in zip(figure.subplots(1, 2, sharex=True), published.METRICS, strict=True):
        for name in names:
            line, choices = rows[rows["algorithm"] == name], chosen[chosen["algorithm"] == name]
            _scale_curve(ax, line, choices, metric, styles[name])
        ax.set_title(METRIC_NAMES[metric])
        ax.set_xlabel("σ/ρ")
    figure.suptitle(f"{label}, clean: the scale σ", y=0.98, weight="bold")
    figure.subplots_adjust(left=0.06, right=0.985, top=0.87, bottom=0.27, wspace=0.13)
    marks = [
        mark("o", "chosen with labels", palette.BLACK, mfc="none", markersize=10),
        mark("s", "chosen without", palette.BLACK, mfc="none", markersize=9),
        mark("o", "with labels, at the edge", palette.RED, mfc="none", markersize=10),
    ]
    legend_below(figure, [*(legend_line(name, styles[name]) for name in names), *marks], columns=6, y=0.01)
    at_edge = set(chosen.loc[(chosen["rule"] == "oracle") & chosen["at_edge"], "algorithm"])
    edge = ", ".join(name for name in names if name in at_edge)
    remark = "No algorithm has its best σ at the edge of the grid."
    if edge:
        remark = f"The best σ is at the edge of the grid for {edge}: a better one may lie beyond."
    return CaptionedFigure(
        name=f"sigma-{slug(dataset)}",
        title=f"{label}: σ",
        caption=f"{label}, clean: mean over repeats at every σ of the grid. Flat curves need no tuning. {remark}",
        alt=f"Two line charts of NMI and purity over σ/ρ, {len(names)} algorithms on {label}.",
        figure=figure,
    )


def _scale_curve(ax: Axes, rows: pd.DataFrame, chosen: pd.DataFrame, metric: str, style: Style) -> None:
    rows = rows.sort_values("sigma_factor")
    ax.plot(rows["sigma_factor"], rows[f"{metric}_mean"], **style, markersize=3)
    for choice in chosen.itertuples():
        oracle = choice.rule == "oracle"
        color = palette.RED if oracle and choice.at_edge else style["color"]
        ring: Style = {"marker": "o" if oracle else "s", "markersize": 10 if oracle else 8, "mfc": "none", "mec": color}
        ax.plot([choice.sigma_factor], [getattr(choice, f"{metric}_mean")], **ring, mew=1.6, zorder=6)


def section(evidence: Evidence, matrices: Matrices | None) -> Section:
    """Return the section."""
    sweeps = chain.from_iterable(sweep_curves(evidence, sweep) for sweep in SWEPT_COUNTS)
    figures = chain(weight_maps(evidence), sweeps, similarity_figure(evidence, matrices), scale_curves(evidence))
    return Section("sensitivity", "Sensitivity", figures=figures)
