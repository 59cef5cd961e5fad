"""The look of all figures, of the report, MLflow and the documentation: seaborn's, in the colours of hypercut."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
import seaborn

from hypercut.report.render import palette

_OWN: dict[Any, Any] = {
    # Saved files hold no random identifiers: equal figures, equal bytes.
    "svg.hashsalt": "hypercut",
    "svg.fonttype": "none",
    "text.color": palette.INK,
    "axes.labelcolor": palette.INK,
    "axes.titlecolor": palette.INK,
    "axes.edgecolor": palette.AXIS,
    "xtick.color": palette.SOFT,
    "ytick.color": palette.SOFT,
    "grid.color": palette.GRID,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.titlesize": 9.5,
    "axes.labelsize": 8.5,
    "font.size": 8.5,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "grid.linewidth": 0.7,
    "axes.linewidth": 0.8,
    "legend.frameon": False,
    "legend.fontsize": 8,
}

#: Settings of pictures that are scaled to a page, such as those of the documentation.
ON_PAPER: dict[str, Any] = {
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.labelsize": 11,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "legend.fontsize": 10,
}


@contextmanager
def theme(**given: Any) -> Iterator[None]:
    """Draw everything inside in the theme of hypercut; ``given`` are further settings of matplotlib."""
    base: list[dict[Any, Any]] = [seaborn.axes_style("whitegrid"), seaborn.plotting_context("paper"), _OWN, given]
    with matplotlib.rc_context({name: value for settings in base for name, value in settings.items()}):
        yield
