"""Figures of squares: scores over the weights, and the similarity matrices."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import METRIC_NAMES, capitalized
from hypercut.report.similarity import Matrices
from hypercut.report.style import Drawing


def weight_maps(evidence: Evidence) -> Iterator[Drawing]:
    """Yield, per metric, a map over (α, β) for every dataset of the sweep, the paper's figures below ours."""
    sweeps = evidence.sweeps[evidence.sweeps["sweep"] == "weights"]
    datasets = [name for name in evidence.datasets if name in set(sweeps["dataset"])]
    if not datasets:
        return
    columns = min(4, len(datasets))
    lines = -(-len(datasets) // columns)
    for metric in published.METRICS:
        height = 2.75 * lines
        figure = Figure(figsize=(max(2.55 * columns, 4.2), height))
        axes = figure.subplots(lines, columns, squeeze=False)
        for ax in axes.flat[len(datasets) :]:
            ax.set_axis_off()
        for ax, dataset in zip(axes.flat, datasets, strict=False):
            printed = published.weight_scores(metric).loc[dataset] if evidence.comparable(dataset, "clean") else None
            _weight_map(ax, sweeps[sweeps["dataset"] == dataset], metric, printed)
            ax.set_title(evidence.label(dataset), y=1.0)
        width = figure.get_figwidth()
        margins = {"left": 0.6 / width, "right": 1 - 0.15 / width, "top": 1 - 0.32 / height, "bottom": 0.5 / height}
        figure.subplots_adjust(**margins, hspace=0.45, wspace=0.3)
        yield Drawing(
            name=f"weights-{metric.replace('_', '-')}",
            title=f"Weights (α, β): {METRIC_NAMES[metric]}",
            caption=f"{capitalized(METRIC_NAMES[metric])} of PKO+HSC on the clean sets over its weights; the "
            "over-clustering hypergraph has the rest, 1 − α − β. Above: ours; below, in brackets: Table 2 of "
            "the paper. Each map has its own scale of colours, darker is better; the best of ours is framed. A map of "
            "one tone is insensitive.",
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
        ax.set_title(f"{name}{share}", y=1.0)
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
