"""The figure of each run, drawn fast because a benchmark has more than a thousand.

Only the lines and the title differ between figures with the same axis, so axes, ticks and legend are drawn once and
their pixels reused.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from PIL import Image

from hypercut.benchmark.rows import METRICS
from hypercut.report.render.palette import SERIES
from hypercut.report.render.theme import theme

#: Inches and dots per inch: as wide as MLflow's viewer of artifacts.
SIZE, DPI = (7.0, 4.2), 90

#: Left, bottom, width and height of the axes within the figure.
AXES = (0.09, 0.13, 0.88, 0.77)

#: Metrics lie between 0 and 1; the margin keeps lines at the edge visible. An ARI below 0 (worse than chance) is cut.
LIMITS = (-0.02, 1.04)

#: MLflow shows pixels on light and on dark pages, so these figures bring their own background.
ON_WHITE = {"figure.facecolor": "white", "savefig.facecolor": "white"}

LABELS = ("NMI", "purity", "matched accuracy", "ARI")


class MetricFigure:
    """A figure with one line per metric and a band of one standard deviation, reused for all runs."""

    def __init__(self) -> None:
        with theme(**ON_WHITE):
            self._draw_axes()

    def _draw_axes(self) -> None:
        figure = Figure(figsize=SIZE, dpi=DPI)
        self._canvas: Any = FigureCanvasAgg(figure)
        self._axes = figure.add_axes(AXES)
        self._axes.set_ylim(*LIMITS)
        self._axes.xaxis.set_major_locator(MaxNLocator(nbins=10, steps=[1, 2, 5, 10]))
        # "animated" artists are not part of the pixels that are reused.
        self._title = figure.text(0.5, 0.94, "", ha="center", fontsize=11, animated=True)
        self._lines, self._bands = {}, {}
        for metric, colour, label in zip(METRICS, SERIES[: len(METRICS)], LABELS, strict=True):
            (self._lines[metric],) = self._axes.plot(
                [], [], marker="o", markersize=3, color=colour, label=label, animated=True
            )
            self._bands[metric] = PolyCollection([], facecolor=colour, alpha=0.15, linewidth=0, animated=True)
            self._axes.add_collection(self._bands[metric], autolim=False)
        self._axes.legend(ncols=len(METRICS), fontsize=8, loc="lower center", framealpha=0.8)
        self._backgrounds: dict[tuple[float, float, str], Any] = {}

    def cell(self, rows: pd.DataFrame, scales: pd.DataFrame, title: str, path: Path) -> None:
        """Draw the metrics over σ with their spread; without σ, over the repeats."""
        over_scale = scales.dropna(subset="sigma_factor")
        if len(over_scale):
            self._draw(over_scale["sigma_factor"], over_scale, "σ/ρ", title, path)
        else:
            means = rows[list(METRICS)].fillna(0.0).add_suffix("_mean")
            self._draw(rows["repeat"], means, "repeat", title, path)

    def curve(self, table: pd.DataFrame, title: str, path: Path) -> None:
        """Draw the metrics over the levels of a corruption, at the σ of the paper's protocol."""
        oracle = table[table["rule"] == "oracle"]
        self._draw(oracle["index"], oracle, "level of corruption (0: clean)", title, path)

    def sweep(self, table: pd.DataFrame, swept: Sequence[str], title: str, path: Path) -> None:
        """Draw the metrics over the swept parameter; for two parameters, a map of NMI."""
        if len(swept) == 2:
            _draw_map(table, swept[0], swept[1], title, path)
        elif len(swept) == 1 and pd.api.types.is_numeric_dtype(table[swept[0]]):
            self._draw(table[swept[0]], table, swept[0], title, path)
        else:
            self._draw(pd.Series(range(len(table))), table, "position in per_value.csv", title, path)

    def _draw(self, x: "pd.Series[float]", table: pd.DataFrame, label: str, title: str, path: Path) -> None:
        """Draw the means in a table, with a band of the standard deviations if it has them."""
        self._restore_background(float(x.min()), float(x.max()), label)
        self._title.set_text(title)
        for metric in METRICS:
            mean = table[f"{metric}_mean"].to_numpy(float)
            self._lines[metric].set_data(x, mean)
            if f"{metric}_std" in table:
                spread = table[f"{metric}_std"].fillna(0.0).to_numpy(float)
                outline = np.column_stack([np.append(x, x[::-1]), np.append(mean - spread, (mean + spread)[::-1])])
                self._bands[metric].set_verts([outline])
                self._axes.draw_artist(self._bands[metric])
            self._axes.draw_artist(self._lines[metric])
        self._axes.draw_artist(self._title)
        Image.fromarray(np.asarray(self._canvas.buffer_rgba())[..., :3]).save(path, compress_level=3)

    def _restore_background(self, low: float, high: float, label: str) -> None:
        """Restore the pixels that all figures with this axis share."""
        margin = 0.03 * (high - low) or 0.5
        self._axes.set_xlim(low - margin, high + margin)
        axis = (low, high, label)
        if axis not in self._backgrounds:
            self._axes.set_xlabel(label)
            self._canvas.draw()
            self._backgrounds[axis] = self._canvas.copy_from_bbox(self._axes.figure.bbox)
        self._canvas.restore_region(self._backgrounds[axis])


def _draw_map(table: pd.DataFrame, first: str, second: str, title: str, path: Path) -> None:
    """Draw NMI over two parameters."""
    with theme(**ON_WHITE, **{"axes.grid": False}):
        _draw_map_in_theme(table, first, second, title, path)


def _draw_map_in_theme(table: pd.DataFrame, first: str, second: str, title: str, path: Path) -> None:
    figure = Figure(figsize=SIZE, dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    grid = table.pivot_table(index=second, columns=first, values="nmi_mean")
    image = axes.imshow(grid, origin="lower", aspect="auto", cmap="Blues")
    axes.set_xticks(range(grid.shape[1]), [str(value) for value in grid.columns])
    axes.set_yticks(range(grid.shape[0]), [str(value) for value in grid.index])
    axes.set_xlabel(first)
    axes.set_ylabel(second)
    axes.set_title(title, fontsize=11)
    figure.colorbar(image, ax=axes, label="NMI")
    figure.savefig(path)
