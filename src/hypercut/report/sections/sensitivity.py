"""Section "Sensitivity": scores over weights, k, over-clusters and σ, and the similarity matrices."""

from collections.abc import Iterator
from itertools import chain

import numpy as np
import pandas as pd
import seaborn

from hypercut.analysis.evidence import Evidence, present
from hypercut.analysis.experiments import METRIC_NAMES
from hypercut.paper import protocol, published
from hypercut.report.render import palette
from hypercut.report.render.figure import (
    CaptionedFigure,
    Key,
    Panels,
    Style,
    algorithm_styles,
    draw_lines,
    mark,
    score_limits,
)
from hypercut.report.render.page import Section
from hypercut.report.render.table import number
from hypercut.report.sections.weights import tuned_table
from hypercut.results.matrices import NAMES, Matrices


def weight_maps(evidence: Evidence) -> Iterator[CaptionedFigure]:
    """Yield, per metric, a map over (α, β) for every dataset of the sweep; Table 2 has the published scores."""
    sweeps = evidence.sweeps[evidence.sweeps["variation"] == "weights"]
    datasets = present(evidence.datasets, sweeps["dataset"])
    for metric in published.METRICS if datasets else ():
        panels = Panels(len(datasets), 4, size=(2.75, 2.35))
        for dataset in datasets:
            part = sweeps[sweeps["dataset"] == dataset]
            values = part.pivot_table(index="beta", columns="alpha", values=f"{metric}_mean").iloc[::-1]
            # At least 0.05 from lightest to darkest: a flat map must look flat.
            low, high = np.nanmin(values), np.nanmax(values)
            middle, half = (low + high) / 2, max(high - low, 0.05) / 2
            ax = panels.add(evidence.label(dataset))
            shades = {"cmap": "Blues", "vmin": middle - 1.3 * half, "vmax": middle + 1.6 * half}
            seaborn.heatmap(values, ax=ax, annot=True, fmt=".3f", annot_kws={"fontsize": 6.8}, cbar=False, **shades)
            for text in ax.texts:  # on a coloured cell, which is the same in dark mode
                text.set_color(palette.ON_DARK if text.get_color() == "w" else palette.ON_LIGHT)
            ax.set_xlabel("α", labelpad=1)
            ax.set_ylabel("β", labelpad=1)
        columns = ["dataset", "alpha", "beta", f"{metric}_mean", f"{metric}_std", "repeats", "sigma_factor"]
        yield CaptionedFigure(
            name=f"weights-{metric}",
            title=f"Weights (α, β): {METRIC_NAMES[metric]}",
            caption="PKO+HSC on the clean sets; the over-clustering hypergraph has weight 1 − α − β. At the corners, "
            "one hypergraph is alone: (1, 0) pairwise, (0, 1) kNN, (0, 0) over-clustering. Each map has its own colour "
            "scale, darker is better; a map of one tone is insensitive.",
            panels=panels,
            data=evidence.with_kind(evidence.in_order(sweeps[columns], "dataset")),
        )


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
    "NMI": {"color": palette.VERMILLION, "marker": "o", "ls": "-", "lw": 1.8},
    "purity": {"color": palette.VERMILLION, "marker": "s", "ls": "--", "lw": 1.1, "mfc": palette.BACK},
}


def sweep_curves(evidence: Evidence, sweep: str) -> Iterator[CaptionedFigure]:
    """Yield NMI and purity over the values of a sweep, one panel per dataset."""
    parameter, name, label = SWEPT_COUNTS[sweep]
    rows = evidence.sweeps[evidence.sweeps["variation"] == sweep]
    datasets = present(evidence.datasets, rows["dataset"])
    if not datasets:
        return
    panels = Panels(len(datasets), 4, size=(2.75, 2.2), keys=[Key(*it) for it in _SWEEP_STYLES.items()])
    for dataset in datasets:
        part = rows[rows["dataset"] == dataset].astype({parameter: float})
        ax = panels.add(evidence.label(dataset))
        lines = [
            part.assign(algorithm=METRIC_NAMES[metric], score=part[f"{metric}_mean"], spread=part[f"{metric}_std"])
            for metric in published.METRICS
        ]
        both = pd.concat(lines)
        spreads = zip(both["score"], both["spread"], strict=True)
        both["tip"] = [f"{number(score, 3)} ± {number(spread, 3)}" for score, spread in spreads]
        draw_lines(panels, ax, both, parameter, "score", _SWEEP_STYLES)
        ax.set(xlabel=label, ylabel="", ylim=score_limits(both["score"]))
        ax.set_xticks(part[parameter], [f"{value:g}" for value in part[parameter]])
    columns = ["dataset", parameter, *(f"{metric}_{what}" for metric in METRIC_NAMES for what in ("mean", "std"))]
    yield CaptionedFigure(
        name=sweep,
        title=f"Sensitivity to {name}",
        caption="PKO+HSC on the clean sets, at the best σ for each value; bars are standard deviations over repeats.",
        panels=panels,
        data=evidence.with_kind(evidence.in_order(rows[[*columns, "repeats"]], "dataset")),
    )


def similarity_figure(evidence: Evidence, matrices: Matrices | None) -> Iterator[CaptionedFigure]:
    """Yield the similarity matrices of ORL, ordered by class, next to the ground truth."""
    if matrices is None:
        return
    panels = Panels(1 + len(matrices.similarities), 6, size=(2.3, 2.6))
    _matrix(panels, matrices.truth, "ground truth", 1.0)
    other = ~np.eye(len(matrices.truth), dtype=bool)
    facts = []
    for symbol, values in matrices.similarities.items():
        # Most pairs are of different classes: scaled to the maximum, the blocks of the classes would be too faint.
        alignment = matrices.alignment(symbol)
        top = float(np.quantile(values[other], 0.995)) or 1.0
        _matrix(panels, values, f"{NAMES[symbol]}\nalignment {alignment:.3f}", top)
        within, between = (values[other & (matrices.truth == is_same)].mean() for is_same in (1, 0))
        facts.append([symbol, NAMES[symbol], alignment, within, between])
    label = evidence.label(protocol.SIMILARITY_DATASET)
    yield CaptionedFigure(
        name=f"similarity-{protocol.SIMILARITY_DATASET}",
        title=f"Similarity matrices of {label}",
        caption=f"Samples ordered by class, at σ = {matrices.sigma_factor:g}ρ and "
        f"(α, β) = ({matrices.alpha:g}, {matrices.beta:g}). Each panel has its own grey scale. Alignment is the cosine "
        "with the ground truth over all pairs.",
        panels=panels,
        data=pd.DataFrame(facts, columns=["symbol", "name", "alignment", "mean_within", "mean_between"]),
    )


def _matrix(panels: Panels, values: np.ndarray, title: str, top: float) -> None:
    ax = panels.add(title)
    ax.imshow(values, cmap="Greys", vmin=0, vmax=top, interpolation="nearest", rasterized=True)
    ax.grid(visible=False)
    ax.set(xticks=[], yticks=[])


_CHOICES = {
    "oracle": mark("o", "σ chosen with labels", palette.SOFT, mfc="none", markersize=8),
    "unsupervised": mark("s", "σ chosen without labels", palette.SOFT, mfc="none", markersize=7),
}


def sigma_curves(evidence: Evidence) -> Iterator[CaptionedFigure]:
    """Yield the NMI over σ on the clean sets, with the two choices of σ marked; the file has the other metrics."""
    rows = evidence.clean_by_sigma[evidence.clean_by_sigma["sigma_factor"].notna()]
    rows = rows[rows.groupby("dataset")["sigma_factor"].transform("nunique") > 1]
    datasets, names = present(evidence.datasets, rows["dataset"]), present(evidence.algorithms, rows["algorithm"])
    if not datasets:
        return
    look = algorithm_styles(evidence.roles)
    styles: dict[str, Style] = {name: {**look[name], "marker": ".", "markersize": 2.5} for name in names}
    chosen = evidence.summary[(evidence.summary["setting"] == "clean") & evidence.summary["sigma_factor"].notna()]
    keys = [*(Key(name, styles[name]) for name in names), *_CHOICES.values()]
    panels = Panels(len(datasets), 4, size=(2.75, 2.2), keys=keys)
    rows = rows.assign(
        spread=np.nan, tip=[f"σ {it.sigma_factor:g}ρ: {number(it.nmi_mean, 3)}" for it in rows.itertuples()]
    )
    for dataset in datasets:
        ax, part = panels.add(evidence.label(dataset)), rows[rows["dataset"] == dataset]
        draw_lines(panels, ax, part, "sigma_factor", "nmi_mean", styles)
        for it in chosen[chosen["dataset"] == dataset].itertuples():
            ring = {**_CHOICES[it.rule].style, "color": styles[it.algorithm]["color"], "zorder": 6}
            (choice,) = ax.plot([it.sigma_factor], [it.nmi_mean], **ring)
            panels.name(choice, it.algorithm, [f"{_CHOICES[it.rule].label}: {it.sigma_factor:g}ρ"])
        ax.set(xlabel="σ/ρ", ylabel="", ylim=score_limits(part["nmi_mean"]))
    columns = ["dataset", "algorithm", "sigma_factor", "repeats", "failed"]
    columns += [f"{it}_{what}" for it in METRIC_NAMES for what in ("mean", "std")]
    yield CaptionedFigure(
        name="sigma-nmi",
        title="NMI over the scale σ, clean sets",
        caption="Mean over repeats at every σ of the grid, with the chosen ones marked. Flat curves need no tuning.",
        panels=panels,
        data=evidence.with_kind(
            evidence.in_order(rows[[*columns, "neighbor_information_mean"]], "dataset", "algorithm")
        ),
    )


def section(evidence: Evidence, matrices: Matrices | None) -> Section:
    """Return all sweeps that were run, the similarity matrices, and scores over σ."""
    sweeps = chain.from_iterable(sweep_curves(evidence, sweep) for sweep in SWEPT_COUNTS)
    return Section(
        "sensitivity",
        "Sensitivity",
        tabs=weight_maps(evidence),
        tables=[tuned_table(evidence)],
        figures=chain(sweeps, similarity_figure(evidence, matrices), sigma_curves(evidence)),
    )
