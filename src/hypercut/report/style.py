"""One colour and one marker per algorithm, the same in every figure; and how figures are saved."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from hypercut.paper import published

#: Colours after Okabe and Ito, told apart by the colour-blind, with yellow replaced by brown, which shows on white.
_PAPER = {
    "PKO+HSC": ("#D55E00", "o"),
    "PK+HSC": ("#0072B2", "s"),
    "PO+HSC": ("#56B4E9", "^"),
    "PKO+NC": ("#009E73", "D"),
    "CSC": ("#CC79A7", "v"),
    "NRSC": ("#E69F00", "P"),
    "RWDSM": ("#7F4F24", "X"),
    "STSC": ("#444444", "*"),
}

#: For algorithms that the paper does not have, in the order of their names.
_EXTRA = [("#332288", "<"), ("#AA4499", ">"), ("#117733", "p"), ("#882255", "h"), ("#44AA99", "d"), ("#999933", "8")]

#: For what goes beyond the paper.
_BEYOND = [("#000000", "H"), ("#5D3FD3", "h")]

_REFERENCE = [("#777777", "1"), ("#999999", "2"), ("#666666", "3"), ("#AAAAAA", "4")]

#: For lines that are datasets, not algorithms.
_DATASETS = [
    *(("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#E69F00", "v"), ("#56B4E9", "P")),
    *(("#7F4F24", "X"), ("#332288", "*"), ("#444444", "<"), ("#117733", ">"), ("#882255", "p"), ("#999933", "h")),
]


@dataclass(frozen=True)
class Look:
    """How a line is drawn."""

    color: str
    marker: str
    line: str = "-"
    width: float = 1.2
    order: int = 2

    def artist(self, label: str) -> Line2D:
        """A legend entry."""
        size = 7 if self.width > 2 else 5
        return Line2D(
            [], [], color=self.color, marker=self.marker, ls=self.line, lw=self.width, markersize=size, label=label
        )


def looks(roles: dict[str, str]) -> dict[str, Look]:
    """Return the look of every algorithm: the paper's fixed, others from slots of their own, references dashed."""
    found = {name: Look(*_PAPER[name]) for name in published.ALGORITHMS if name in roles}
    if published.METHOD in found:
        found[published.METHOD] = Look(*_PAPER[published.METHOD], width=2.8, order=5)
    slots: dict[str, list[tuple[str, str]]] = {
        "algorithm": _EXTRA,
        "beyond": _BEYOND,
        "reference": _REFERENCE,
        "control": _REFERENCE,
    }
    lines = {"algorithm": "-.", "beyond": "-", "reference": "--", "control": ":"}
    for role, slot in slots.items():
        names = sorted(name for name, its in roles.items() if its == role and name not in published.ALGORITHMS)
        for number, name in enumerate(names):
            width = {"algorithm": 1.6, "beyond": 2.2}.get(role, 1.0)
            found[name] = Look(*slot[number % len(slot)], line=lines[role], width=width, order=3)
    return found


def dataset_looks(datasets: Sequence[str]) -> dict[str, Look]:
    """Return the look of every dataset, where lines are datasets."""
    return {name: Look(*_DATASETS[number % len(_DATASETS)], width=1.6) for number, name in enumerate(datasets)}


@dataclass(frozen=True)
class Drawing:
    """A figure with its file name, its caption and its description for those who cannot see it."""

    name: str
    title: str
    caption: str
    alt: str
    figure: Figure
    wide: bool = True
    """whether it needs room, and scrolls on a narrow screen"""


@contextmanager
def drawing() -> Iterator[None]:
    """Set what figures share. Saved files depend on the figure alone: no dates, no random identifiers."""
    settings: dict[Any, Any] = {
        "svg.hashsalt": "hypercut",
        "svg.fonttype": "path",
        "font.size": 9.5,
        "axes.titlesize": 10.5,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#E4E4E4",
        "grid.linewidth": 0.7,
        "axes.axisbelow": True,
        "legend.frameon": False,
    }
    with matplotlib.rc_context(settings):
        yield


def svg(figure: Figure) -> bytes:
    """Return a figure as SVG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def png(figure: Figure, dpi: int = 110) -> bytes:
    """Return a figure as PNG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    return buffer.getvalue()


def legend_below(figure: Figure, entries: Sequence[Artist], *, columns: int, y: float = 0.0) -> None:
    """Put the legend below the axes, where it hides no data."""
    figure.legend(handles=list(entries), loc="lower center", bbox_to_anchor=(0.5, y), ncols=columns)
