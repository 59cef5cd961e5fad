"""The colours of hypercut, for the figures of the report and of MLflow and for the page. Imports nothing."""

# Okabe and Ito's colours, which colour-blind readers can tell apart; brown replaces yellow, which is faint on white.
BLUE, VERMILLION, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BROWN, GREY = "#E69F00", "#56B4E9", "#7F4F24", "#444444"

# Paul Tol's muted colours, for longer series.
INDIGO, PURPLE, FOREST, WINE, TEAL, OLIVE = "#332288", "#AA4499", "#117733", "#882255", "#44AA99", "#999933"

BLACK, VIOLET, RED, WHITE = "#000000", "#5D3FD3", "#FF0000", "#FFFFFF"

GREYS = ("#777777", "#999999", "#666666", "#AAAAAA")
"""lines in the background: baselines and controls"""
AXIS, GRID = "#888888", "#E4E4E4"
INK, SOFT = "#1D2127", "#59616C"
"""text and its labels"""
BACK = WHITE
"""the page behind the figures, and the inside of hollow markers"""
ON_LIGHT, ON_DARK = "#101010", "#FEFEFE"
"""text on a coloured cell: the same in light and dark mode, so neither is in :data:`DARK`"""

ALGORITHMS = {
    **{"PKO+HSC": VERMILLION, "PK+HSC": BLUE, "PO+HSC": SKY, "PKO+NC": GREEN},
    **{"CSC": PINK, "NRSC": ORANGE, "RWDSM": BROWN, "STSC": GREY},
}
"""each of the paper's algorithms → its colour in all figures"""
OTHERS = (BLACK, INDIGO, PURPLE, FOREST, WINE, TEAL, OLIVE, VIOLET)
"""for other algorithms in MLflow's charts, which have no markers or dashes to tell them apart"""

SERIES = (BLUE, VERMILLION, GREEN, PINK, ORANGE, SKY, BROWN, INDIGO, GREY, FOREST, WINE, OLIVE)
"""for lines that have no colour of their own, in this order"""

DARK = {
    **{BLUE: "#5AA2F0", VERMILLION: "#FF7F2A", GREEN: "#2FC79A", PINK: "#E8A0CB"},
    **{ORANGE: "#F2B632", SKY: "#96D8F7", BROWN: "#BF9268", GREY: "#B4BAC2"},
    **{INDIGO: "#9187E8", PURPLE: "#D582C8", FOREST: "#5FBE78", WINE: "#DB7199", TEAL: "#73D3C2", OLIVE: "#C9C75F"},
    **{BLACK: "#F4F6F8", VIOLET: "#A795FF", RED: "#FF5C5C", WHITE: "#15181C"},
    **dict(zip(GREYS, ("#969CA5", "#7E858E", "#A6ACB4", "#6C737C"), strict=True)),
    **{AXIS: "#8A9099", GRID: "#2E343C", INK: "#E6E8EB", SOFT: "#A4ACB7"},
}
"""each colour → its counterpart on a dark page, of the same hue and about the same contrast"""


def variable(color: str) -> str:
    """Return the name of the CSS variable of a colour, which is another colour in dark mode.

    >>> variable("#D55E00")
    '--c-d55e00'
    """
    return f"--c-{color[1:].lower()}"


def rgb(color: str) -> str:
    """Return a colour as CSS takes it in ``rgba()``.

    >>> rgb("#D55E00")
    '213, 94, 0'
    """
    return ", ".join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))


def darker(color: str) -> str:
    """Return a shade of a colour on which white text is easy to read."""
    return f"rgb({', '.join(str(int(value) * 6 // 10) for value in rgb(color).split(', '))})"
