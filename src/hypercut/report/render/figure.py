"""Figures: one colour and marker per algorithm in all of them, a shared style, and how they are saved."""

import base64
import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.artist import Artist
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


_MUTED = (palette.INDIGO, palette.PURPLE, palette.FOREST, palette.WINE, palette.TEAL, palette.OLIVE)

#: Role → colours, markers, line and width of the algorithms that are not among the paper's eight.
_ROLES = {
    "algorithm": (_MUTED, "<>phd8", "-.", 1.6),
    "beyond": ((palette.BLACK, palette.VIOLET), "Hh", "-", 2.2),
    "reference": (palette.GREYS, "1234", "--", 1.0),
    "control": (palette.GREYS, "1234", ":", 1.0),
}
_DATASET_MARKERS = "os^DvPX*<>ph"

Style = dict[str, Any]
"""matplotlib's options for a line"""


def _style(color: str, marker: str, line: str = "-", width: float = 1.2, order: int = 2) -> Style:
    return {"color": color, "marker": marker, "ls": line, "lw": width, "zorder": order}


def algorithm_styles(roles: dict[str, str]) -> dict[str, Style]:
    """Return the style of every algorithm from its role: fixed for the paper's eight, by name for the others."""
    found = {name: _style(*_PAPER[name]) for name in published.ALGORITHMS if name in roles}
    if published.METHOD in found:
        found[published.METHOD] |= {"lw": 2.8, "zorder": 5}
    for role, (colors, markers, line, width) in _ROLES.items():
        names = sorted(name for name, its in roles.items() if its == role and name not in published.ALGORITHMS)
        for i, name in enumerate(names):
            slot = i % len(colors)
            found[name] = _style(colors[slot], markers[slot], line, width, order=3)
    return found


def dataset_styles(datasets: Sequence[str]) -> dict[str, Style]:
    """Return the style of every dataset, for figures whose lines are datasets."""
    slots = list(zip(palette.SERIES, _DATASET_MARKERS, strict=True))
    return {name: _style(*slots[i % len(slots)], width=1.6) for i, name in enumerate(datasets)}


def legend_line(label: str, style: Style) -> Line2D:
    """Return a legend entry of a line."""
    return Line2D([], [], **style, markersize=7 if style["lw"] > 2 else 5, label=label)


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
    figure: Figure | None
    """None once it is saved: fifty figures would fill the memory"""
    wide: bool = True
    """whether a narrow screen scrolls it instead of shrinking it"""
    file: Path | None = None
    """the SVG, once it is saved"""

    @property
    def source(self) -> str:
        """The saved image as a data URL; inline SVGs would not do, since their identifiers clash."""
        assert self.file is not None
        return "data:image/svg+xml;base64," + base64.b64encode(self.file.read_bytes()).decode("ascii")


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


class FigureWriter:
    """Writes figures as SVG and PNG, several at once if there are several cores, since that takes most of the time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # A forked process has the figure, the fonts and the style. Elsewhere than on Linux it may crash.
        self._cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
        self._processes: list[tuple[BaseProcess, Figure, Path]] = []
        self._warm = False

    def write(self, it: CaptionedFigure) -> CaptionedFigure:
        """Write a figure, or begin to, and return it for the page."""
        assert it.figure is not None
        path = self._folder / f"{it.name}.svg"
        self._collect(all_of_them=False)
        # The first is written here: it loads the fonts for all others.
        if self._warm and len(self._processes) < self._cores - 1:
            process = multiprocessing.get_context("fork").Process(target=_write, args=(it.figure, path))
            process.start()
            self._processes.append((process, it.figure, path))
        else:
            _write(it.figure, path)
            self._warm = True
        return replace(it, figure=None, file=path)

    def finish(self) -> None:
        """Wait until all figures are written."""
        self._collect(all_of_them=True)

    def _collect(self, *, all_of_them: bool) -> None:
        """Collect processes that have ended. A figure whose process failed is written here, or raises the error."""
        for entry in list(self._processes):
            process, figure, path = entry
            if all_of_them or not process.is_alive():
                process.join()
                self._processes.remove(entry)
                if process.exitcode:
                    _write(figure, path)


def _write(figure: Figure, path: Path) -> None:
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    figure.savefig(path.with_suffix(".png"), dpi=110, metadata={"Software": None})


def legend_below(figure: Figure, entries: Sequence[Artist], *, columns: int, y: float = 0.0) -> None:
    """Put the legend below the axes, where it hides no data."""
    figure.legend(handles=list(entries), loc="lower center", bbox_to_anchor=(0.5, y), ncols=columns)
