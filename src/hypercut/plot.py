"""Pictures of a fitted clustering, for notebooks and for ``hypercut cluster --plot``.

Every function draws on ``ax``, or on new axes, and returns the axes. :func:`overview` returns a figure with all plots.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from hypercut.algorithms import Estimator
from hypercut.algorithms.ak_nc import HypergraphClustering
from hypercut.algorithms.ak_nc.parts import GAP
from hypercut.core.normalized_cut import unit_rows
from hypercut.core.samples import Array, IntArray
from hypercut.report.render import palette
from hypercut.report.render.theme import ON_PAPER, theme

#: A function that draws on axes.
Drawing = Callable[[Axes], Axes]

# More points would hide each other and make large files, so this many are drawn at random.
MOST_POINTS = 20_000
# More clusters than this are not numbered in the picture: the numbers would hide it.
MOST_NUMBERED = 40
# More bars than this are too narrow for labels.
MOST_LABELLED_BARS = 15
# A sample whose largest membership is smaller lies between clusters.
BORDER = 0.6
# Paths of the solver whose embedding has one point per cluster.
_WITHOUT_VECTORS = ("parts", "distinct")


def clustering(model: Estimator, X: ArrayLike | None = None, ax: Axes | None = None, *, by: str = "auto") -> Axes:
    """Draw the samples in two dimensions, coloured by cluster.

    Parameters
    ----------
    model
        A fitted estimator.
    X
        The samples it was fitted to. Without them, only the spectral embedding can be drawn, which a clustering into
        separate parts does not have.
    ax
        The axes to draw on.
    by : {"auto", "features", "pca", "spectral"}
        The two dimensions: the features themselves, if there are one or two; the first two principal components of the
        features; or those of the spectral embedding, from which the labels were read. ``auto`` takes the first of
        these that exists.
    """
    ax = _axes(ax, (6, 5))
    # In random order: otherwise the last cluster would hide the others.
    rows = np.random.default_rng(0).permutation(len(model.labels_))[:MOST_POINTS]
    points, title, (xlabel, ylabel) = _project(model, X, rows, by)
    labels, colors = model.labels_[rows], _colors(model)
    size = float(np.clip(20_000 / len(rows), 2, 30))
    colored = [colors[label] for label in labels]
    x, y = points.T
    ax.scatter(x, y, c=colored, s=size, alpha=0.75, lw=0, rasterized=len(rows) > 2000)
    if len(colors) <= MOST_NUMBERED:
        _number_clusters(ax, points, labels, colors)
    some = "" if len(rows) == len(model.labels_) else f", {len(rows)} of {len(model.labels_)}"
    ax.set(title=title + some, xlabel=xlabel, ylabel=ylabel)
    if not ylabel:
        ax.set_yticks([])
    return ax


def sizes(model: Estimator, ax: Axes | None = None) -> Axes:
    """Draw the number of samples in each cluster, in the colours of :func:`clustering`; many are sorted by size."""
    counts, colors = np.bincount(model.labels_), _colors(model)
    few = len(counts) <= MOST_LABELLED_BARS
    order = np.arange(len(counts)) if few else np.argsort(-counts, kind="stable")
    ax = _axes(ax, (6, 3.2))
    bars = ax.bar(np.arange(len(order)), counts[order], color=[colors[label] for label in order], width=0.8)
    if few:
        ax.set_xticks(np.arange(len(order)), [str(label) for label in order])
        ax.tick_params(axis="x", length=0)
        ax.bar_label(bars, fontsize=8, padding=1)
        ax.margins(y=0.15)
    else:
        ax.set_xticks([])
    ax.grid(axis="x", visible=False)
    ax.set(title=f"Sizes of the {len(order)} clusters", xlabel="cluster" + ("" if few else ", largest first"))
    ax.set_ylabel("samples")
    return ax


def memberships(model: HypergraphClustering, ax: Axes | None = None) -> Axes:
    """Draw the distribution of the largest membership of each sample: near 1 inside a cluster, smaller at borders."""
    if not hasattr(model, "probabilities_"):
        raise AttributeError(f"{model.name} has no memberships. Fit HypergraphClustering.")
    largest = model.probabilities_.max(axis=1)
    ax = _axes(ax, (6, 3.2))
    for values, color in ((largest, palette.BLUE), (largest[largest < BORDER], palette.VERMILLION)):
        ax.hist(values, bins=np.linspace(0, 1, 21).tolist(), color=color, edgecolor="white", lw=0.5)
    share = (largest < BORDER).mean()
    ax.set(
        title=f"Certainty: {share:.1%} between clusters",
        xlabel=f"largest membership of a sample (red: below {BORDER})",
        ylabel="samples",
        xlim=(0, 1),
    )
    return ax


def k_profile(model: HypergraphClustering, ax: Axes | None = None) -> Axes:
    """Draw the evidence for each number of clusters that ``model`` tried, and the one it chose.

    Dots, left axis: what the cluster of a sample says about that of its neighbour, from 0 (nothing) to 1 (all).
    Bars, right axis: how much better K clusters are separated than K + 1, namely by which factor a random walk from
    neighbour to neighbour is slower to leave them, (1 − λ_{K+1}) / (1 − λ_K). Above the dashed line they are separate
    parts.
    """
    if not hasattr(model, "k_profile_"):
        raise AttributeError("The model has no profile: K was given. Fit it with n_clusters=None.")
    profile = model.k_profile_
    ax = _axes(ax, (6, 3.2))
    numbers, gap = profile["n_clusters"], profile["gap"]
    shown = np.flatnonzero(~np.isnan(gap))
    right = ax.twinx()
    right.bar(numbers[shown], gap[shown] - 1, bottom=1, width=0.8, color=palette.SKY, alpha=0.45, zorder=1)
    right.axhline(GAP, color=palette.SKY, ls="--", lw=1)
    right.set(yscale="log", ylim=(1, max(10, 1.5 * gap[shown].max(initial=1))), ylabel="separation: K to K + 1 (bars)")
    right.grid(visible=False)
    right.spines["right"].set_visible(True)
    ax.set_zorder(right.get_zorder() + 1)
    ax.patch.set_visible(False)
    ax.plot(numbers, profile["information"], "o-", color=palette.BLUE, ms=4, lw=1, label="information")
    ax.axvline(model.n_clusters_, color=palette.VERMILLION, lw=1, label=f"chosen: {model.n_clusters_}")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="number of clusters K", ylabel="information I/log K (dots)", ylim=(0, 1.02), title="Evidence for K")
    ax.legend(loc="lower right", fontsize=8)
    return ax


def overview(model: Estimator, X: ArrayLike | None = None) -> Figure:
    """Return a figure of the clustering: the samples, the sizes and, if available, the certainty and profile of K."""
    spaces = ["auto"] if X is not None and not model._precomputed else []
    spaces += ["spectral"] if _is_spectral(model) else []
    samples: list[Drawing] = [partial(clustering, model, X, by=by) for by in spaces]
    details: list[Drawing] = [partial(sizes, model)]
    if isinstance(model, HypergraphClustering):
        details += [partial(memberships, model)]
        details += [partial(k_profile, model)] if hasattr(model, "k_profile_") else []
    with theme(**ON_PAPER):
        figure = plt.figure(figsize=(13, 8), layout="constrained")
        grid = figure.add_gridspec(2, 1, height_ratios=(1.7, 1))
        for row, drawings in enumerate((samples, details)):
            part = figure.add_subfigure(grid[row])
            for column, draw in enumerate(drawings):
                draw(part.add_subplot(1, len(drawings), column + 1))
    return figure


def _project(model: Estimator, given: ArrayLike | None, rows: IntArray, by: str) -> tuple[Array, str, list[str]]:
    """Return points (n, 2), a title that says how they were found, and the names of the axes."""
    X = None if given is None or model._precomputed else np.asarray(given, dtype=np.float64)
    few = X is not None and X.shape[1] <= 2
    if by == "auto":
        by = "spectral" if X is None else "features" if few else "pca"
    if by not in ("features", "spectral", "pca"):
        raise ValueError(f"Expected by='auto', 'features', 'spectral' or 'pca', found {by!r}.")
    if by == "spectral":
        if not _is_spectral(model):
            raise ValueError("The model has no spectral embedding of two dimensions. Pass the samples: X=….")
        return _principal(unit_rows(model.embedding_[rows]), "PCA of the spectral embedding")
    if X is None:
        raise ValueError(f"by={by!r} needs the features that the model was fitted to. Pass them: X=….")
    if by == "pca":
        if getattr(model, "view_", "given") == "given":
            return _principal(X[rows], "PCA of the features")
        return _principal(StandardScaler().fit_transform(X)[rows], "PCA of the standardized features")
    if not few:
        raise ValueError(f"by='features' needs one or two features, found {X.shape[1]}.")
    names = [str(name) for name in getattr(given, "columns", [f"feature {i}" for i in range(X.shape[1])])]
    if len(names) == 2:
        return X[rows], "The two features", names
    # Spread over the height, so that equal values can be seen.
    height = np.random.default_rng(0).random(len(rows))
    return np.column_stack([X[rows], height]), "The only feature (height is random)", [*names, ""]


def _is_spectral(model: Estimator) -> bool:
    """Whether the model has a spectral embedding that can be drawn; with two vectors, one is nearly constant."""
    return model.solver_.get("path") not in _WITHOUT_VECTORS and model.embedding_.shape[1] > 2


def _principal(X: Array, title: str) -> tuple[Array, str, list[str]]:
    pca = PCA(2, random_state=0)
    points = pca.fit_transform(X)
    shares = pca.explained_variance_ratio_
    return points, title, [f"principal component {i + 1} ({shares[i]:.0%} of the variance)" for i in range(2)]


def _number_clusters(ax: Axes, points: Array, labels: IntArray, colors: Sequence[Any]) -> None:
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9, "weight": "bold"}
    for label in np.unique(labels):
        middle = np.median(points[labels == label], axis=0)
        box = {"boxstyle": "round,pad=0.2", "fc": "white", "ec": colors[label], "alpha": 0.85, "lw": 1.2}
        # Above the middle: a cluster may be a single point.
        ax.annotate(str(label), middle, xytext=(0, 11), textcoords="offset points", bbox=box, **style)


def _colors(model: Estimator) -> Sequence[Any]:
    """Return one colour per cluster."""
    k = int(model.labels_.max()) + 1
    if k <= len(palette.SERIES):
        return palette.SERIES[:k]
    return list(sns.husl_palette(k, s=0.85, l=0.55))


def _axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    return plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax
