"""Section "Sensitivity": PKO+HSC over its weights, k and communities, the similarity matrices, and all over σ."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, product

import numpy as np
import pandas as pd
import seaborn
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from hypercut.benchmark.matrices import NAMES, Matrices
from hypercut.paper import protocol, published
from hypercut.report.evidence import Evidence, present
from hypercut.report.experiments import METRIC_NAMES
from hypercut.report.render import palette
from hypercut.report.render.figure import (
    CaptionedFigure,
    Key,
    Panels,
    Style,
    algorithm_styles,
    mark,
    score_limits,
)
from hypercut.report.render.page import Section
from hypercut.report.render.table import capitalized, number


def weight_maps(evidence: Evidence) -> Iterator[CaptionedFigure]:
    """Yield, per metric, a map over (α, β) for every dataset of the sweep, our scores above the published ones."""
    sweeps = evidence.sweeps[evidence.sweeps["variation"] == "weights"]
    datasets = present(evidence.datasets, sweeps["dataset"])
    if not datasets:
        return
    for metric in published.METRICS:
        panels = Panels(len(datasets), 4, size=(2.75, 2.35), margins=(0.45, 0.1, 0.3, 0.4))
        for dataset in datasets:
            counterpart = evidence.counterpart(dataset, "clean")
            printed = published.weight_scores(metric).loc[counterpart] if counterpart else None
            ax = panels.add(evidence.label(dataset), dataset=evidence.label(dataset))
            _weight_map(panels, ax, sweeps[sweeps["dataset"] == dataset], metric, printed)
        columns = ["dataset", "alpha", "beta", f"{metric}_mean", f"{metric}_std", "repeats", "sigma_factor"]
        yield CaptionedFigure(
            name=f"weights-{metric.replace('_', '-')}",
            title=f"Weights (α, β): {METRIC_NAMES[metric]}",
            caption=f"{capitalized(METRIC_NAMES[metric])} of PKO+HSC on the clean sets over its weights; the "
            "over-clustering hypergraph has weight 1 − α − β. Above: ours; below, in brackets: Table 2 of the paper. "
            "Each map has its own colour scale, darker is better; our best is framed. A map of one tone is "
            "insensitive.",
            alt=f"Heat maps of {METRIC_NAMES[metric]} over α and β for {len(datasets)} datasets; Table 2 has all "
            "numbers.",
            panels=panels,
            data=evidence.with_kind(evidence.in_order(sweeps[columns], "dataset")),
        )


def _weight_map(panels: Panels, ax: Axes, rows: pd.DataFrame, metric: str, printed: pd.Series | None) -> None:
    values = rows.pivot_table(index="beta", columns="alpha", values=f"{metric}_mean").sort_index(ascending=False)
    low, high = np.nanmin(values), np.nanmax(values)
    # At least 0.05 from lightest to darkest: a flat map must look flat.
    middle, half = (low + high) / 2, max(high - low, 0.05) / 2
    seaborn.heatmap(
        values, ax=ax, cmap="Blues", vmin=middle - 1.3 * half, vmax=middle + 1.6 * half, cbar=False, linewidths=1
    )
    best = divmod(int(np.nanargmax(values.to_numpy())), values.shape[1])
    tips = []
    for (i, beta), (j, alpha) in product(enumerate(values.index), enumerate(values.columns)):
        value = values.iloc[i, j]
        if np.isnan(value):
            tips.append("")
            continue
        paper = printed.get((alpha, beta)) if printed is not None else None
        text = f"{value:.3f}" + (f"\n({paper:.3f})" if paper is not None else "")
        color = palette.ON_DARK if value > middle + 0.3 * half else palette.ON_LIGHT
        weight = "bold" if (i, j) == best else "normal"
        ax.text(j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=6.8, color=color, weight=weight)
        tips.append(f"α {alpha:g}, β {beta:g}: {value:.4f}" + (f", paper {paper:.4f}" if paper is not None else ""))
    panels.name(ax.collections[0], "", tips)
    frame = Rectangle((best[1] + 0.02, best[0] + 0.02), 0.96, 0.96, fill=False, ec=palette.VERMILLION, lw=1.6)
    ax.add_patch(frame)
    ax.set_xticks(np.arange(values.shape[1]) + 0.5, [f"{value:g}" for value in values.columns], rotation=0)
    ax.set_yticks(np.arange(values.shape[0]) + 0.5, [f"{value:g}" for value in values.index], rotation=0)
    ax.grid(visible=False)
    ax.set_xlabel("α", labelpad=1)
    ax.set_ylabel("β", labelpad=1)


#: Sweep → parameter, its name, and the label of its axis.
SWEPT_COUNTS = {
    "neighbors": ("n_neighbors", "k", f"k (the paper uses {protocol.NEIGHBORS})"),
    "communities": (
        "communities_per_cluster",
        "the number of communities",
        f"communities / K (the paper uses {protocol.COMMUNITIES_PER_CLUSTER})",
    ),
}

#: The two metrics of a sweep, both in the colour of PKO+HSC, whose parameters are swept.
_SWEEP_STYLES: dict[str, Style] = {
    "nmi": {"color": palette.VERMILLION, "marker": "o", "ls": "-", "lw": 1.8},
    "purity": {"color": palette.VERMILLION, "marker": "s", "ls": "--", "lw": 1.1, "mfc": palette.BACK},
}


def sweep_curves(evidence: Evidence, sweep: str) -> Iterator[CaptionedFigure]:
    """Yield NMI and purity over the number of neighbours or communities, one panel per dataset."""
    parameter, name, label = SWEPT_COUNTS[sweep]
    rows = evidence.sweeps[evidence.sweeps["variation"] == sweep]
    datasets = present(evidence.datasets, rows["dataset"])
    if not datasets:
        return
    keys = [Key(METRIC_NAMES[metric], style) for metric, style in _SWEEP_STYLES.items()]
    panels = Panels(len(datasets), 4, size=(2.75, 2.2), keys=keys)
    for dataset in datasets:
        part = rows[rows["dataset"] == dataset].sort_values(parameter)
        ax = panels.add(evidence.label(dataset), dataset=evidence.label(dataset))
        x = part[parameter].to_numpy(dtype=float)
        for metric, style in _SWEEP_STYLES.items():
            means, spreads = (part[f"{metric}_{what}"].to_numpy(dtype=float) for what in ("mean", "std"))
            (line,) = ax.plot(x, means, **style, markersize=4)
            texts = [
                f"{value:g}: {number(mean, 3)}" + (f" ± {number(spread, 3)}" if spread == spread else "")
                for value, mean, spread in zip(x, means, spreads, strict=True)
            ]
            panels.name(line, METRIC_NAMES[metric], texts)
            if np.nansum(spreads):
                ends = np.nan_to_num(spreads)
                panels.name(ax.vlines(x, means - ends, means + ends, color=style["color"], lw=1), METRIC_NAMES[metric])
        ax.set_xlabel(label)
        ax.set_xticks(x, [f"{value:g}" for value in x])
        ax.set_ylim(*score_limits(part[["nmi_mean", "purity_mean"]]))
    columns = ["dataset", parameter, *(f"{metric}_{what}" for metric in METRIC_NAMES for what in ("mean", "std"))]
    yield CaptionedFigure(
        name=sweep,
        title=f"Sensitivity to {name}",
        caption=f"PKO+HSC on the clean sets over {name}, at the best σ for each value; bars are standard deviations "
        "over repeats. A flat line means that the choice hardly matters.",
        alt=f"Line charts of NMI and purity over {name} for {len(datasets)} datasets.",
        panels=panels,
        data=evidence.with_kind(evidence.in_order(rows[[*columns, "repeats"]], "dataset")),
    )


def similarity_figure(evidence: Evidence, matrices: Matrices | None) -> Iterator[CaptionedFigure]:
    """Yield the similarity matrices of ORL, ordered by class, next to the ground truth."""
    if matrices is None:
        return
    panels = Panels(1 + len(matrices.similarities), 6, size=(2.3, 2.6), margins=(0.08, 0.08, 0.45, 0.02))
    _matrix(panels, matrices.truth, "ground truth", 1.0)
    same, other = (matrices.truth > 0) & ~np.eye(len(matrices.truth), dtype=bool), matrices.truth == 0
    facts = []
    for symbol, values in matrices.similarities.items():
        # Most pairs are of different classes: scaled to the maximum, the blocks of the classes would be too faint.
        top = float(np.quantile(values[~np.eye(len(values), dtype=bool)], 0.995)) or 1.0
        alignment = matrices.alignment(symbol)
        _matrix(panels, values, f"{NAMES[symbol]}\nalignment {alignment:.3f}", top)
        facts.append([symbol, NAMES[symbol], alignment, values[same].mean(), values[other].mean()])
    label = evidence.label(protocol.SIMILARITY_DATASET)
    yield CaptionedFigure(
        name=f"similarity-{protocol.SIMILARITY_DATASET}",
        title=f"Similarity matrices of {label}",
        caption=f"Similarities of {label}, samples ordered by class, at σ = {matrices.sigma_factor:g}ρ and "
        f"(α, β) = ({matrices.alpha:g}, {matrices.beta:g}). Dark blocks along the diagonal are classes that hold "
        "together, dark spots elsewhere are confusions. Each panel has its own grey scale. Alignment is the cosine "
        "with the ground truth over all pairs. The CSV file has the alignments and the means within and between "
        "classes.",
        alt="Six grey-scale matrices: the ground truth with its blocks, and the similarities A, B, C, A with B, and S.",
        panels=panels,
        data=pd.DataFrame(facts, columns=["symbol", "name", "alignment", "mean_within", "mean_between"]),
    )


def _matrix(panels: Panels, values: np.ndarray, title: str, top: float) -> None:
    ax = panels.add(title)
    ax.imshow(values, cmap="Greys", vmin=0, vmax=top, interpolation="nearest", rasterized=True)
    ax.grid(visible=False)
    ax.set_xticks([])
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_visible(True)


def scale_curves(evidence: Evidence) -> Iterator[CaptionedFigure]:
    """Yield the NMI over σ on the clean sets, with the two choices of σ marked; the file has the other metrics."""
    scales = evidence.clean_scales[evidence.clean_scales["sigma_factor"].notna()]
    grids = scales.groupby("dataset")["sigma_factor"].nunique()
    datasets = [name for name in evidence.datasets if grids.get(name, 0) > 1]
    if datasets:
        chosen = evidence.summary[evidence.summary["setting"] == "clean"]
        yield _scale_figure(evidence, "nmi", datasets, scales, chosen)


_CHOICES = {
    "oracle": mark("o", "σ chosen with labels", palette.SOFT, mfc="none", markersize=8),
    "unsupervised": mark("s", "σ chosen without labels", palette.SOFT, mfc="none", markersize=7),
}


def _scale_figure(
    evidence: Evidence, metric: str, datasets: list[str], rows: pd.DataFrame, chosen: pd.DataFrame
) -> CaptionedFigure:
    styles = algorithm_styles(evidence.roles)
    names = present(evidence.algorithms, rows["algorithm"])
    keys = [*(Key(name, styles[name]) for name in names), *(replace(key, toggles=False) for key in _CHOICES.values())]
    panels = Panels(len(datasets), 3, size=(3.45, 2.5), keys=keys)
    lines = dict(list(rows.groupby(["dataset", "algorithm"])))
    choices = dict(list(chosen[chosen["sigma_factor"].notna()].groupby(["dataset", "algorithm"])))
    for dataset in datasets:
        ax = panels.add(evidence.label(dataset), dataset=evidence.label(dataset))
        found = {name: lines[dataset, name] for name in names if (dataset, name) in lines}
        for name, line in found.items():
            _scale_curve(panels, ax, name, line, choices.get((dataset, name)), metric, styles[name])
        ax.set_ylim(*score_limits(np.concatenate([line[f"{metric}_mean"] for line in found.values()])))
        ax.set_xlabel("σ/ρ")
    columns = ["dataset", "algorithm", "sigma_factor", "repeats", "failed"]
    columns += [f"{it}_{what}" for it in METRIC_NAMES for what in ("mean", "std")]
    shown = rows.loc[rows["dataset"].isin(datasets), [*columns, "neighbor_information_mean"]]
    return CaptionedFigure(
        name=f"sigma-{metric}",
        title=f"{capitalized(METRIC_NAMES[metric])} over the scale σ, clean sets",
        caption="Mean over repeats at every σ of the grid, with the chosen ones marked. Flat curves need no tuning. "
        + _edges(datasets, chosen),
        alt=f"Line charts of {METRIC_NAMES[metric]} over σ/ρ, {len(names)} algorithms on {len(datasets)} datasets.",
        panels=panels,
        data=evidence.with_kind(evidence.in_order(shown, "dataset", "algorithm")),
    )


def _edges(datasets: list[str], chosen: pd.DataFrame) -> str:
    """Return how often the best σ is at the edge of the grid."""
    rows = chosen[(chosen["rule"] == "oracle") & chosen["sigma_factor"].notna() & chosen["dataset"].isin(datasets)]
    return (
        f"The best σ is at the edge of the grid, so that a better one may lie beyond, in {rows['at_edge'].sum()} of "
        f"{len(rows)} curves; the table of chosen σ says which."
    )


def _scale_curve(
    panels: Panels, ax: Axes, name: str, rows: pd.DataFrame, chosen: pd.DataFrame | None, metric: str, style: Style
) -> None:
    rows = rows.sort_values("sigma_factor")
    x, means = (rows[column].to_numpy(dtype=float) for column in ("sigma_factor", f"{metric}_mean"))
    (line,) = ax.plot(x, means, **{**style, "marker": "."}, markersize=2.5)
    panels.name(line, name, [f"σ {value:g}ρ: {number(mean, 3)}" for value, mean in zip(x, means, strict=True)])
    for choice in chosen.itertuples() if chosen is not None else ():
        look = _CHOICES[choice.rule].style
        mean = getattr(choice, f"{metric}_mean")
        (ring,) = ax.plot([choice.sigma_factor], [mean], **{**look, "color": style["color"], "zorder": 6})
        edge = ", at the edge of the grid" if choice.at_edge else ""
        tip = f"{_CHOICES[choice.rule].label}: {choice.sigma_factor:g}ρ{edge}, {number(mean, 3)}"
        panels.name(ring, name, [tip])


def section(evidence: Evidence, matrices: Matrices | None) -> Section:
    """Return the section."""
    sweeps = chain.from_iterable(sweep_curves(evidence, sweep) for sweep in SWEPT_COUNTS)
    figures = chain(weight_maps(evidence), sweeps, similarity_figure(evidence, matrices), scale_curves(evidence))
    run = set(evidence.sweeps["variation"])
    absent = [name for name in ("weights", *SWEPT_COUNTS) if name not in run]
    text = [f"Not run: the sweep of {' and of '.join(_SWEEPS[name] for name in absent)}."] if absent else []
    return Section("sensitivity", "Sensitivity", text, figures=figures)


_SWEEPS = {"weights": "the weights (α, β)", **{sweep: name for sweep, (_, name, _) in SWEPT_COUNTS.items()}}
