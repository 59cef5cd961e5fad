"""Figures: grids of panels with values on hover, and one colour and marker per algorithm in all of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pandas as pd
import seaborn
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from hypercut.paper import published
from hypercut.report.render import palette

Style = dict[str, Any]
"""matplotlib's options for a line"""

_MARKERS = dict(zip(palette.ALGORITHMS, "os^DvPX*", strict=True))
_MUTED = (palette.INDIGO, palette.PURPLE, palette.FOREST, palette.WINE, palette.TEAL, palette.OLIVE)

#: Role → colours, markers, line and width of the algorithms that are not among the paper's eight.
_ROLES = {
    "algorithm": (_MUTED, "<>phd8", "-.", 1.6),
    "beyond": ((palette.BLACK, palette.VIOLET), "Hh", "-", 1.9),
    "baseline": (palette.GREYS, "<>d8", "--", 1.0),
    "control": (palette.GREYS, "<>d8", ":", 1.0),
}


def algorithm_styles(roles: Mapping[str, str]) -> dict[str, Style]:
    """Return the style of every algorithm from its role: fixed for the paper's eight, by name for the others."""
    found: dict[str, Style] = {}
    for name in published.ALGORITHMS:
        if name in roles:
            width, order = (2.4, 5) if name == published.METHOD else (1.1, 2)
            color = palette.ALGORITHMS[name]
            found[name] = {"color": color, "marker": _MARKERS[name], "ls": "-", "lw": width, "zorder": order}
    for role, (colors, markers, line, width) in _ROLES.items():
        for i, name in enumerate(sorted(name for name, its in roles.items() if its == role and name not in found)):
            slot = i % len(colors)
            found[name] = {"color": colors[slot], "marker": markers[slot], "ls": line, "lw": width, "zorder": 3}
    return found


@dataclass(frozen=True)
class Key:
    """An entry of a legend."""

    label: str
    style: Style

    @property
    def line(self) -> Line2D:
        """The entry of matplotlib's legend."""
        return Line2D([], [], **{"markersize": 5, **self.style}, label=self.label)


def mark(marker: str, label: str, color: str = palette.GREY, **options: Any) -> Key:
    """Return an entry of a marker without a line."""
    return Key(label, {"color": color, "marker": marker, "ls": "", **options})


#: At most this many intervals between ticks, unless a figure has its own.
TICKS = 5
#: Inches of a line of the legend, and of an entry without its text and per letter.
_LEGEND_LINE, _LEGEND_ENTRY, _LETTER = 0.2, 0.7, 0.065


class Panels:
    """A grid of equal panels of a width and height in inches, below a legend."""

    def __init__(
        self, count: int, columns: int, *, size: tuple[float, float] = (3.5, 2.5), keys: Sequence[Key] = ()
    ) -> None:
        columns = min(columns, count)
        rows = -(-count // columns)
        width = columns * size[0]
        across = int(width / (_LEGEND_ENTRY + _LETTER * max((len(key.label) for key in keys), default=0))) or 1
        height = rows * size[1] + -(-len(keys) // across) * _LEGEND_LINE
        self.figure = Figure(figsize=(width, height), layout="constrained")
        grid = self.figure.add_gridspec(rows, columns)
        self._places = (grid[i] for i in range(count))
        self.tips: dict[str, list[str]] = {}
        if keys:
            self.figure.legend(handles=[key.line for key in keys], loc="outside upper left", ncols=across)

    def add(self, title: str = "") -> Any:
        """Return the axes of the next panel."""
        ax = self.figure.add_subplot(next(self._places))
        # Ticks take a fifth of the time to draw a figure, and panels are small.
        ax.xaxis.set_major_locator(MaxNLocator(TICKS, steps=[1, 2, 5, 10]))
        ax.yaxis.set_major_locator(MaxNLocator(TICKS, steps=[1, 2, 5, 10]))
        # With y given, matplotlib does not measure all tick labels to move the title above them.
        ax.set_title(title, loc="left", y=1.0)
        return ax

    def name(self, artist: Artist, series: str = "", tips: Sequence[str] = ()) -> None:
        """Give the marks of an artist their texts on hover, which begin with the name of the series."""
        artist.set_gid(f"tips{len(self.tips)}")
        self.tips[f"tips{len(self.tips)}"] = [" · ".join(filter(None, [series, tip])) if tip else "" for tip in tips]


def draw_lines(panels: Panels, ax: Axes, rows: pd.DataFrame, x: str, y: str, styles: Mapping[str, Style]) -> None:
    """Draw a line per algorithm over ``x``; the columns ``spread`` and ``tip`` have bars and texts on hover."""
    curves = dict(list(rows.sort_values(x).groupby("algorithm")))
    names = [name for name in styles if name in curves]
    colors = [styles[name]["color"] for name in names]
    seaborn.lineplot(
        rows, x=x, y=y, hue="algorithm", hue_order=names, palette=colors, estimator=None, legend=False, ax=ax
    )
    for name, line in zip(names, ax.lines, strict=True):
        line.set(**{"markersize": 4, **styles[name]})
        panels.name(line, name, curves[name]["tip"].tolist())
        bars = curves[name].dropna(subset="spread")
        if len(bars):
            ax.errorbar(bars[x], bars[y], bars["spread"], fmt="none", ecolor=styles[name]["color"], elinewidth=1)


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
    """A figure with its file name and its caption."""

    name: str
    title: str
    caption: str
    panels: Panels | None
    """None once it is saved: all figures together would fill the memory"""
    data: pd.DataFrame
    """what is drawn, for a CSV file"""
    markup: str = ""
    """the SVG for the page, once it is saved"""

    @property
    def figure(self) -> Figure:
        """The figure, before it is saved."""
        assert self.panels is not None
        return self.panels.figure


def save_figure(it: CaptionedFigure, folder: Path) -> CaptionedFigure:
    """Write a figure as SVG and CSV, and return it for the page."""
    text = svg(it)
    (folder / f"{it.name}.svg").write_text(text, encoding="utf-8")
    it.data.to_csv(folder / f"{it.name}.csv", index=False, lineterminator="\n")
    return replace(it, panels=None, data=it.data[:0], markup=_inline(text))


_SVG, _LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", _LINK)


def svg(it: CaptionedFigure) -> str:
    """Return a figure as SVG with its texts on hover."""
    assert it.panels is not None
    drawn = StringIO()
    # Identifiers that no other figure has, since the page holds all figures.
    with matplotlib.rc_context({"svg.hashsalt": it.name}):
        it.figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    root = ElementTree.fromstring(drawn.getvalue())
    use, path = f"{{{_SVG}}}use", f"{{{_SVG}}}path"
    for group in root.iter(f"{{{_SVG}}}g"):
        tips = it.panels.tips.get(group.attrib.pop("id", ""), [])
        marks = [*group.iter(use)] or [*group.iter(path)]
        if tips and len(marks) != len(tips):
            raise ValueError(f"{it.name}: {len(tips)} texts for {len(marks)} marks, beginning with {tips[0]!r}")
        for mark_, tip in zip(marks, tips, strict=False):
            if tip:
                ElementTree.SubElement(mark_, f"{{{_SVG}}}title").text = tip
        # Equal marks get their style from the group: it would be half of the file.
        if len({(child.tag == use, child.get("style")) for child in group}) == 1 and group[0].tag == use:
            group.set("style", group[0].get("style", ""))
            for child in group:
                child.attrib.pop("style", None)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


_VARIABLES = {light.lower(): f"var({palette.variable(light)})" for light in palette.DARK}


def _inline(text: str) -> str:
    """Return the SVG of a file in the colours of the page, which change in dark mode."""
    return re.sub("#[0-9a-f]{6}", lambda found: _VARIABLES.get(found.group(), found.group()), text)
