"""Figures: one colour and marker per algorithm in all of them, a shared style, and how they are saved."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from hypercut.paper import published
from hypercut.report.render import palette

_PAPER = {
    "PKO+HSC": (palette.VERMILLION, "o"),
    "PK+HSC": (palette.BLUE, "s"),
    "PO+HSC": (palette.SKY, "^"),
    "PKO+NC": (palette.GREEN, "D"),
    "CSC": (palette.PINK, "v"),
    "NRSC": (palette.ORANGE, "P"),
    "RWDSM": (palette.BROWN, "X"),
    "STSC": (palette.GREY, "*"),
}


@dataclass(frozen=True)
class Role:
    """How algorithms of one role are drawn that are not among the paper's eight."""

    colors: Sequence[str]
    markers: str
    line: str
    width: float


_MUTED = (palette.INDIGO, palette.PURPLE, palette.FOREST, palette.WINE, palette.TEAL, palette.OLIVE)
_ROLES = {
    "algorithm": Role(_MUTED, "<>phd8", "-.", 1.6),
    "beyond": Role((palette.BLACK, palette.VIOLET), "Hh", "-", 2.2),
    "reference": Role(palette.GREYS, "1234", "--", 1.0),
    "control": Role(palette.GREYS, "1234", ":", 1.0),
}
_DATASET_MARKERS = "os^DvPX*<>ph"


@dataclass(frozen=True)
class Look:
    """How a line is drawn."""

    color: str
    marker: str
    line: str = "-"
    width: float = 1.2
    order: int = 2

    @property
    def style(self) -> dict[str, Any]:
        """The options for matplotlib."""
        return {
            "color": self.color,
            "marker": self.marker,
            "ls": self.line,
            "lw": self.width,
            "zorder": self.order,
        }

    def legend_entry(self, label: str) -> Line2D:
        """Return an entry for the legend."""
        return Line2D([], [], **self.style, markersize=7 if self.width > 2 else 5, label=label)


def looks(roles: dict[str, str]) -> dict[str, Look]:
    """Return the look of every algorithm from its role: fixed for the paper's eight, by name for the others."""
    found = {name: Look(*_PAPER[name]) for name in published.ALGORITHMS if name in roles}
    if published.METHOD in found:
        found[published.METHOD] = Look(*_PAPER[published.METHOD], width=2.8, order=5)
    for role, it in _ROLES.items():
        names = sorted(name for name, its in roles.items() if its == role and name not in published.ALGORITHMS)
        for i, name in enumerate(names):
            slot = i % len(it.colors)
            found[name] = Look(it.colors[slot], it.markers[slot], it.line, it.width, order=3)
    return found


def dataset_looks(datasets: Sequence[str]) -> dict[str, Look]:
    """Return the look of every dataset, for figures whose lines are datasets."""
    slots = list(zip(palette.SERIES, _DATASET_MARKERS, strict=True))
    return {name: Look(*slots[i % len(slots)], width=1.6) for i, name in enumerate(datasets)}


def mark(marker: str, label: str, color: str = palette.GREY, **options: Any) -> Line2D:
    """Return a legend entry of a marker without a line."""
    return Line2D([], [], color=color, marker=marker, ls="", label=label, **options)


@dataclass(frozen=True)
class CaptionedFigure:
    """A figure with its file name, its caption and a description for readers who cannot see it."""

    name: str
    title: str
    caption: str
    alt: str
    figure: Figure
    wide: bool = True
    """whether a narrow screen scrolls it instead of shrinking it"""


@contextmanager
def figure_style() -> Iterator[None]:
    """Set the style of all figures. Saved files hold no dates or random identifiers: equal figures, equal bytes."""
    settings: dict[Any, Any] = {
        "svg.hashsalt": "hypercut",
        "svg.fonttype": "path",
        "font.size": 9.5,
        "axes.titlesize": 10.5,
        "axes.titley": 1.0,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": palette.GRID,
        "grid.linewidth": 0.7,
        "axes.axisbelow": True,
        "legend.frameon": False,
    }
    with matplotlib.rc_context(settings):
        yield


def svg(figure: Figure) -> bytes:
    """Return a figure as SVG."""
    return _saved(figure, format="svg", metadata={"Date": None, "Creator": None})


def png(figure: Figure) -> bytes:
    """Return a figure as PNG."""
    return _saved(figure, format="png", dpi=110, metadata={"Software": None})


def _saved(figure: Figure, **options: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, **options)
    return buffer.getvalue()


def legend_below(figure: Figure, entries: Sequence[Artist], *, columns: int, y: float = 0.0) -> None:
    """Put the legend below the axes, where it hides no data."""
    figure.legend(handles=list(entries), loc="lower center", bbox_to_anchor=(0.5, y), ncols=columns)


def error_bars(ax: Axes, x: Any, y: Any, spread: Any, look: Look, markersize: float) -> None:
    """Draw a line with error bars."""
    ax.errorbar(x, y, yerr=spread, **look.style, markersize=markersize, elinewidth=0.9)
