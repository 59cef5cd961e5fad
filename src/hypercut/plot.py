"""Pictures of a fitted clustering, for notebooks."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from hypercut.algorithms.ak_nc import HypergraphClustering
from hypercut.algorithms.ak_nc.parts import GAP
from hypercut.report.render import palette


def k_profile(model: HypergraphClustering, ax: Axes | None = None) -> Axes:
    """Draw the evidence for each number of clusters that ``model`` tried, and the one it chose.

    Dots: the information of the partition into K, left axis. Bars: the ratio of rates (1 − λ_{K+1}) / (1 − λ_K), right
    axis, logarithmic; above the dashed line, parts are separate.
    """
    if not hasattr(model, "k_profile_"):
        raise AttributeError("The model has no profile: K was given. Fit it with n_clusters=None.")
    profile = model.k_profile_
    ax = plt.subplots(figsize=(6, 3.2), layout="constrained")[1] if ax is None else ax
    numbers, gap = profile["n_clusters"], profile["gap"]
    shown = np.flatnonzero(~np.isnan(gap))
    right = ax.twinx()
    right.bar(numbers[shown], gap[shown] - 1, bottom=1, width=0.8, color=palette.SKY, alpha=0.45, zorder=1)
    right.axhline(GAP, color=palette.SKY, ls="--", lw=1)
    right.set(yscale="log", ylim=(1, max(10, 1.5 * gap[shown].max(initial=1))), ylabel="ratio of rates (bars)")
    ax.set_zorder(right.get_zorder() + 1)
    ax.patch.set_visible(False)
    ax.plot(numbers, profile["information"], "o-", color=palette.BLUE, ms=4, lw=1, label="information")
    ax.axvline(model.n_clusters_, color=palette.VERMILLION, lw=1, label=f"chosen: {model.n_clusters_}")
    ax.set(xlabel="number of clusters K", ylabel="information I/log K (dots)", ylim=(0, 1.02))
    ax.legend(loc="lower right", fontsize=8)
    return ax
