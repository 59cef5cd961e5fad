"""Figures: grids of panels with values on hover, and one colour and marker per algorithm in all of them.

A figure is drawn once. Its file has all panels and a legend; the page shows the panels one by one, so that they fit any
screen and can be filtered, with a legend of its own (:mod:`~hypercut.report.render.svg`).
"""

import multiprocessing
import os
import pickle
import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from io import StringIO
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from hypercut.paper import published
from hypercut.report.render import palette, svg

#: The markers of the paper's algorithms.
_MARKERS = dict(zip(palette.ALGORITHMS, "os^DvPX*", strict=True))

_MUTED = (palette.INDIGO, palette.PURPLE, palette.FOREST, palette.WINE, palette.TEAL, palette.OLIVE)

#: Role → colours, markers, line and width of the algorithms that are not among the paper's eight.
_ROLES = {
    "algorithm": (_MUTED, "<>phd8", "-.", 1.6),
    "beyond": ((palette.BLACK, palette.VIOLET), "Hh", "-", 1.9),
    "reference": (palette.GREYS, "1234", "--", 1.0),
    "control": (palette.GREYS, "1234", ":", 1.0),
}

Style = dict[str, Any]
"""matplotlib's options for a line"""


def _style(color: str, marker: str, line: str = "-", width: float = 1.1, order: int = 2) -> Style:
    return {"color": color, "marker": marker, "ls": line, "lw": width, "zorder": order}


def algorithm_styles(roles: dict[str, str]) -> dict[str, Style]:
    """Return the style of every algorithm from its role: fixed for the paper's eight, by name for the others."""
    found = {name: _style(palette.ALGORITHMS[name], _MARKERS[name]) for name in published.ALGORITHMS if name in roles}
    if published.METHOD in found:
        found[published.METHOD] |= {"lw": 2.4, "zorder": 5}
    for role, (colors, markers, line, width) in _ROLES.items():
        names = sorted(name for name, its in roles.items() if its == role and name not in published.ALGORITHMS)
        for i, name in enumerate(names):
            slot = i % len(colors)
            found[name] = _style(colors[slot], markers[slot], line, width, order=3)
    return found


@dataclass(frozen=True)
class Key:
    """An entry of a legend; that of a series hides and shows it."""

    label: str
    style: Style
    toggles: bool = True

    @property
    def line(self) -> Line2D:
        """The entry of matplotlib's legend."""
        return Line2D([], [], **{"markersize": 5, **self.style}, label=self.label)


def mark(marker: str, label: str, color: str = palette.GREY, **options: Any) -> Key:
    """Return an entry of a marker without a line."""
    return Key(label, {"color": color, "marker": marker, "ls": "", **options})


#: At most this many intervals between ticks, unless a figure has its own.
TICKS = 5
#: Inches between the legend's lines in a file, and how wide an entry is.
_LEGEND_LINE, _LEGEND_ENTRY = 0.22, 1.55


class Panels:
    """A figure that is a grid of equal panels.

    ``size`` is the width and height of a panel in inches, ``margins`` the inches left, right, above and below its axes.
    """

    def __init__(
        self,
        count: int,
        columns: int,
        *,
        size: tuple[float, float] = (3.5, 2.5),
        margins: tuple[float, float, float, float] = (0.45, 0.12, 0.3, 0.45),
        keys: Sequence[Key] = (),
    ) -> None:
        self.columns = min(columns, count)
        self.rows = -(-count // self.columns)
        self.size, self.margins, self.keys = size, margins, keys
        self.panels: list[svg.Panel] = []
        self.series: dict[str, svg.Series] = {}
        width = self.columns * size[0]
        across = max(1, int(width / max(_LEGEND_ENTRY, 0.075 * max((len(key.label) for key in keys), default=1) + 0.5)))
        self._legend = (-(-len(keys) // across) * _LEGEND_LINE + 0.1) if keys else 0.0
        self.figure = Figure(figsize=(width, self.rows * size[1] + self._legend))
        if keys:
            lines = [key.line for key in keys]
            self.figure.legend(handles=lines, loc="lower center", bbox_to_anchor=(0.5, 0), ncols=across)

    def add(self, title: str = "", *, dataset: str = "", split: float = 0.0) -> Any:
        """Return the axes of the next panel; with ``split``, two, the lower one with this share of the height.

        ``dataset`` is the label of the dataset that the panel shows, for the page's filter.
        """
        number = len(self.panels)
        row, column = divmod(number, self.columns)
        (width, height), (left, right, top, bottom) = self.size, self.margins
        x, y = column * width, row * height
        self.panels.append(svg.Panel((72 * x, 72 * y, 72 * width, 72 * height), title, dataset))
        whole = (x + left, y + top, width - left - right, height - top - bottom)
        boxes = [whole]
        if split:
            lower = split * whole[3]
            boxes = [(*whole[:3], whole[3] - lower - 0.06), (whole[0], y + height - bottom - lower, whole[2], lower)]
        found = [self._axes(box) for box in boxes]
        for ax in found:
            ax.set_gid(f"panel{number}-{found.index(ax)}")
        # With y given, matplotlib does not measure the tick labels of every panel to move the title above them.
        found[0].set_title(title, loc="left", y=1.0)
        return found if split else found[0]

    def _axes(self, box: tuple[float, float, float, float]) -> Axes:
        """Return axes at left, top, width and height in inches from the upper left corner."""
        width, height = self.figure.get_size_inches()
        x, y, w, h = box
        axes = self.figure.add_axes((x / width, 1 - (y + h) / height, w / width, h / height))
        # Ticks take a fifth of the time to draw a figure, and panels are small.
        axes.xaxis.set_major_locator(MaxNLocator(TICKS, steps=[1, 2, 5, 10]))
        axes.yaxis.set_major_locator(MaxNLocator(TICKS, steps=[1, 2, 5, 10]))
        return axes

    def name(self, artist: Artist | Iterable[Artist], series: str = "", tips: Sequence[str] = ()) -> None:
        """Make artists part of a series that the legend toggles; ``tips`` are the texts on hover, one per mark."""
        for it in [artist] if isinstance(artist, Artist) else artist:
            gid = f"series{len(self.series)}"
            it.set_gid(gid)
            self.series[gid] = svg.Series(series, list(tips))


def score_limits(values: Any, least: float = 0.2) -> tuple[float, float]:
    """Return limits of an axis of scores that span at least ``least``, so that no small difference looks large.

    >>> score_limits([0.801, 0.802])
    (0.7, 0.9)
    """
    found = np.asarray(values, dtype=float)
    found = found[np.isfinite(found)]
    low, high = (found.min(), found.max()) if len(found) else (0.0, 1.0)
    margin = max(0.05 * (high - low), (least - (high - low)) / 2)
    low, high = low - margin, high + margin
    # Scores end at 1: move the span instead of showing what cannot be.
    shift = max(0.0, high - max(1.02, found.max(initial=0.0)))
    return round(float(low - shift), 2), round(float(high - shift), 2)


@dataclass(frozen=True)
class CaptionedFigure:
    """A figure with its file name, its caption and a description for readers who cannot see it."""

    name: str
    title: str
    caption: str
    alt: str
    panels: Panels | None
    """None once it is saved: all figures together would fill the memory"""
    data: pd.DataFrame
    """what is drawn, for a CSV file"""
    wide: bool = False
    """whether a narrow screen scrolls it instead of shrinking it"""
    keys: Sequence[Key] = ()
    inline: Path | None = field(default=None, repr=False)
    """the page's version, once it is saved"""

    @property
    def figure(self) -> Figure:
        """The figure, before it is saved."""
        assert self.panels is not None
        return self.panels.figure

    @property
    def markup(self) -> str:
        """The panels for the page."""
        assert self.inline is not None
        return self.inline.read_text(encoding="utf-8")

    @property
    def legend(self) -> list[dict[str, Any]]:
        """The entries of the page's legend."""
        return [{"label": key.label, "toggles": key.toggles, "swatch": svg.swatch(key.style)} for key in self.keys]


class FigureWriter:
    """Draws and writes the figures of each section in a process of its own, since that takes most of the time.

    ``folder`` gets the SVG and CSV files, ``scratch`` the versions for the page.
    """

    def __init__(self, folder: Path, scratch: Path) -> None:
        self._folder, self._scratch = folder, scratch
        # A forked process has the results, the fonts and the style. Elsewhere than on Linux it may crash.
        self._cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
        self._fork = multiprocessing.get_context("fork") if self._cores > 1 else None
        self._free = self._fork.Semaphore(self._cores) if self._fork else nullcontext()
        self._begun = 0

    def begin(self, figures: Iterable[CaptionedFigure]) -> "Future":
        """Begin to draw figures, which may be a generator, and return where they will be."""
        self._begun += 1
        future = Future(figures, self, self._scratch / f"{self._begun}.pickle")
        if self._fork and figures:
            future.process = self._fork.Process(target=future.draw, daemon=True)
            future.process.start()
        return future

    def write_all(self, figures: Iterable[CaptionedFigure]) -> list[CaptionedFigure]:
        """Draw and write figures, when a core is free, and return them for the page."""
        with self._free:
            return [self.write(figure) for figure in figures]

    def write(self, it: CaptionedFigure) -> CaptionedFigure:
        """Write a figure, and return it for the page."""
        assert it.panels is not None
        it.data.to_csv(self._folder / f"{it.name}.csv", index=False, lineterminator="\n")
        inline = self._scratch / f"{it.name}.svg"
        _write(it.panels, it.name, self._folder / f"{it.name}.svg", inline)
        return replace(it, panels=None, data=it.data[:0], keys=it.panels.keys, inline=inline)


class Future:
    """Figures that are being drawn. Those whose process failed are drawn here, or raise the error."""

    def __init__(self, figures: Iterable[CaptionedFigure], writer: FigureWriter, path: Path) -> None:
        self._figures, self._writer, self._path = figures, writer, path
        self.process: BaseProcess | None = None

    def draw(self) -> None:
        """Draw and write the figures, and save what the page needs to know of them."""
        self._path.write_bytes(pickle.dumps(self._writer.write_all(self._figures)))

    def result(self) -> list[CaptionedFigure]:
        """Wait for the figures and return them for the page."""
        if self.process is not None:
            self.process.join()
        if self.process is None or self.process.exitcode:
            self.draw()
        found: list[CaptionedFigure] = pickle.loads(self._path.read_bytes())
        return found


def _write(panels: Panels, name: str, path: Path, inline: Path) -> None:
    drawn = StringIO()
    panels.figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    text = drawn.getvalue()
    path.write_text(svg.standalone(text), encoding="utf-8")
    inline.write_text(svg.split(text, name, panels.panels, panels.series), encoding="utf-8")
