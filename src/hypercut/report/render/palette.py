"""The colours of hypercut, for the figures of the report and of MLflow and for the page. Imports nothing."""

# Okabe and Ito's colours, which colour-blind readers can tell apart; brown replaces yellow, which is faint on white.
BLUE, VERMILLION, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BROWN, GREY = "#E69F00", "#56B4E9", "#7F4F24", "#444444"

# Paul Tol's muted colours, for longer series.
INDIGO, PURPLE, FOREST, WINE, TEAL, OLIVE = "#332288", "#AA4499", "#117733", "#882255", "#44AA99", "#999933"

BLACK, VIOLET, RED, WHITE = "#000000", "#5D3FD3", "#FF0000", "#FFFFFF"

GREYS = ("#777777", "#999999", "#666666", "#AAAAAA")
"""lines in the background: references and controls"""
AXIS, GRID = "#888888", "#E4E4E4"

SERIES = (BLUE, VERMILLION, GREEN, PINK, ORANGE, SKY, BROWN, INDIGO, GREY, FOREST, WINE, OLIVE)
"""for lines that have no colour of their own, in this order"""


def rgb(color: str) -> str:
    """Return a colour as CSS takes it in ``rgba()``.

    >>> rgb("#D55E00")
    '213, 94, 0'
    """
    return ", ".join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))


def darker(color: str) -> str:
    """Return a shade of a colour on which white text is easy to read."""
    return f"rgb({', '.join(str(int(value) * 6 // 10) for value in rgb(color).split(', '))})"
