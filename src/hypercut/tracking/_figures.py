"""The figure of each run. One matplotlib figure is used again and again: making one takes longer than drawing in it."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from hypercut.results import METRICS

#: Inches and dots per inch: as wide as MLflow's viewer of artifacts.
SIZE, DPI = (7.0, 4.2), 90

#: Okabe and Ito's colours, told apart by colour-blind readers too; one per metric.
COLOURS = dict(zip(METRICS, ("#0072B2", "#D55E00", "#009E73", "#CC79A7"), strict=True))

LABELS = {"nmi": "NMI", "purity": "purity", "matched_accuracy": "matched accuracy", "ari": "ARI"}


class Drawing:
    """Draws one figure after the other."""

    def __init__(self) -> None:
        self._figure = Figure(figsize=SIZE, dpi=DPI)
        FigureCanvasAgg(self._figure)

    def cell(self, rows: pd.DataFrame, scales: pd.DataFrame, title: str, path: Path) -> None:
        """Metrics over σ with their spread; without σ, one point per repeat."""
        axes = self._axes(title)
        over_scale = scales.dropna(subset="sigma_factor")
        if len(over_scale):
            _lines(axes, over_scale["sigma_factor"], over_scale)
            axes.set_xlabel("σ/ρ")
        else:
            for position, metric in enumerate(METRICS):
                values = rows[metric].fillna(0.0)
                axes.bar(position, values.mean(), width=0.6, color=COLOURS[metric], alpha=0.35)
                axes.plot([position] * len(values), values, ".", color=COLOURS[metric])
            axes.set_xticks(range(len(METRICS)), [LABELS[metric] for metric in METRICS])
        self._save(axes, path)

    def curve(self, table: pd.DataFrame, title: str, path: Path) -> None:
        """Metrics over the levels of a corruption, at the σ of the paper's protocol."""
        axes = self._axes(title)
        oracle = table[table["rule"] == "oracle"]
        _lines(axes, oracle["index"], oracle)
        axes.set_xlabel("level (0: clean)")
        self._save(axes, path)

    def sweep(self, table: pd.DataFrame, swept: Sequence[str], title: str, path: Path) -> None:
        """Metrics over the swept value; of two values, a map of NMI."""
        axes = self._axes(title)
        if len(swept) == 2:
            first, second = swept
            grid = table.pivot_table(index=second, columns=first, values="nmi_mean")
            image = axes.imshow(grid, origin="lower", aspect="auto", cmap="viridis")
            axes.set_xticks(range(grid.shape[1]), [f"{value:g}" for value in grid.columns])
            axes.set_yticks(range(grid.shape[0]), [f"{value:g}" for value in grid.index])
            axes.set_xlabel(first)
            axes.set_ylabel(second)
            self._figure.colorbar(image, ax=axes, label="NMI")
            self._figure.savefig(path)
            return
        values = table[swept[0]] if len(swept) == 1 else pd.Series(range(len(table)))
        _lines(axes, values, table)
        axes.set_xlabel(swept[0] if len(swept) == 1 else "combination")
        self._save(axes, path)

    def _axes(self, title: str) -> Axes:
        self._figure.clear()
        axes = self._figure.add_axes((0.09, 0.13, 0.87, 0.78))
        axes.set_title(title, fontsize=11)
        return axes

    def _save(self, axes: Axes, path: Path) -> None:
        axes.set_ylim(-0.02, 1.02)
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(ncols=4, fontsize=8, loc="upper center", framealpha=0.8)
        self._figure.savefig(path)


def _lines(axes: Axes, x: "pd.Series[float]", table: pd.DataFrame) -> None:
    """One line per metric, the band being one standard deviation over repeats."""
    position = x.astype(float)
    for metric in METRICS:
        mean = table[f"{metric}_mean"].astype(float)
        spread = table[f"{metric}_std"].astype(float).fillna(0.0)
        axes.plot(position, mean, marker="o", markersize=3, color=COLOURS[metric], label=LABELS[metric])
        axes.fill_between(position, mean - spread, mean + spread, color=COLOURS[metric], alpha=0.15, linewidth=0)
