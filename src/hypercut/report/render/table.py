"""Tables, written to HTML and LaTeX from the same cells, and to CSV in full precision."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

#: A difference of this much from the published value has the full colour.
FULL_TONE = 0.15


@dataclass(frozen=True)
class Cell:
    """One entry of a table: a text, with ``notes`` below it in smaller print."""

    text: str
    value: float | None = None
    """sorts the column; the text does if there is none"""
    spread: str = ""
    """follows the text after ±"""
    notes: tuple[str, ...] = ()
    tone: float | None = None
    """colour of the last note, from −1 (much lower than published) to 1 (much higher)"""
    best: bool = False
    badge: str = ""
    """CSS class of a text that is a label, such as a verdict"""


EMPTY = Cell("–")


@dataclass(frozen=True)
class Table:
    """A table with its file name, its caption and the tidy data behind it."""

    name: str
    title: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    """the first cell of a row is its heading"""
    data: pd.DataFrame
    numeric: bool = True
    """whether all columns after the first hold numbers, which are right-aligned"""

    def csv(self) -> str:
        """Return the tidy data as CSV, floats in full precision."""
        return self.data.to_csv(index=False, lineterminator="\n")

    def latex(self) -> str:
        """Return a LaTeX table that needs only booktabs, notes in brackets."""
        count = len(self.columns)
        # Long texts need line breaks.
        align = "l" + "r" * (count - 1) if self.numeric else f"p{{{0.9 / count:.2f}\\linewidth}}" * count
        body = [" & ".join(_latex_cell(cell) for cell in row) + r" \\" for row in self.rows]
        lines = [
            "% needs \\usepackage{booktabs}",
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{escape_latex(self.caption)}}}",
            f"\\label{{tab:{self.name}}}",
            f"\\begin{{tabular}}{{{align}}}",
            "\\toprule",
            " & ".join(map(escape_latex, self.columns)) + r" \\",
            "\\midrule",
            *(body or ["% no rows"]),
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
        ]
        return "\n".join(lines) + "\n"


def grid(headings: Mapping[Any, str], columns: Iterable[Any], cells: Mapping[Any, Cell]) -> list[list[Cell]]:
    """Return the rows of a table from cells by (row, column), with a dash where there is none.

    >>> [[cell.text for cell in row] for row in grid({"a": "A"}, [1, 2], {("a", 2): Cell("0.5")})]
    [['A', '–', '0.5']]
    """
    columns = list(columns)
    return [
        [Cell(heading), *(cells.get((key, column), EMPTY) for column in columns)] for key, heading in headings.items()
    ]


def compared_cell(ours: float, spread: float, paper: float, *, best: float, notes: Iterable[str] = ()) -> Cell:
    """Return our score ± its spread, with the published one and the difference below where there is one."""
    notes = list(notes)
    tone = None
    if paper == paper:
        notes += [f"paper {number(paper)}", f"Δ {number(ours - paper, sign=True)}"]
        tone = max(-1.0, min(1.0, (ours - paper) / FULL_TONE))
    return Cell(
        number(ours),
        value=ours,
        spread=number(spread) if spread == spread else "",
        notes=tuple(notes),
        tone=tone,
        best=is_same(ours, best),
    )


def is_same(one: float, other: float) -> bool:
    """Whether two scores are equal except for rounding error."""
    return round(one, 12) == round(other, 12)


def number_cell(value: float, digits: int = 4, *, sign: bool = False) -> Cell:
    """Return a cell with a rounded number that sorts by its full value."""
    return Cell(number(value, digits, sign=sign), value=value)


def text_rows(rows: Iterable[Sequence[object]]) -> list[list[Cell]]:
    """Return rows of plain texts, with a dash for None."""
    return [[EMPTY if value is None else Cell(str(value)) for value in row] for row in rows]


def number(value: float, digits: int = 4, *, sign: bool = False) -> str:
    """Return a rounded number with a true minus sign; a dash for NaN.

    >>> number(-0.12345), number(float("nan")), number(0.5, 2, sign=True)
    ('−0.1235', '–', '+0.50')
    """
    if value is None or not math.isfinite(value):
        return "–"
    # + 0.0 turns −0 into 0.
    return f"{round(value, digits) + 0.0:{'+' if sign else ''}.{digits}f}".replace("-", "−")


def bounds(low: float, high: float, digits: int = 1, *, between: str = ", ") -> str:
    """Return the ends of an interval, with more digits where rounding would hide on which side of zero an end is.

    >>> bounds(-3.21, 0.5), bounds(-0.0087, 5.28, between=" to ")
    ('−3.2, +0.5', '−0.01 to +5.3')
    """
    return between.join(_end(value, digits) for value in (low, high))


def _end(value: float, digits: int) -> str:
    while value and not round(value, digits):
        digits += 1
    return number(value, digits, sign=True)


def counted(count: int, noun: str) -> str:
    """Return a number with a noun.

    >>> counted(1, "dataset"), counted(3, "dataset")
    ('1 dataset', '3 datasets')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def thousands(count: int) -> str:
    """Return a number with no-break spaces between groups of three digits.

    >>> thousands(56296).split("\N{NO-BREAK SPACE}"), thousands(520)
    (['56', '296'], '520')
    """
    return f"{count:,}".replace(",", "\N{NO-BREAK SPACE}")


def capitalized(text: str) -> str:
    """Return the text with its first letter in upper case, the rest unchanged."""
    return text[:1].upper() + text[1:]


def slug(name: str) -> str:
    """Return a name that may be part of a file name or a link."""
    return re.sub(r"[^\w.-]+", "-", name)


def _latex_cell(cell: Cell) -> str:
    text = escape_latex(cell.text)
    text = f"\\textbf{{{text}}}" if cell.best else text
    text += escape_latex(f" ± {cell.spread}") if cell.spread else ""
    notes = "; ".join(escape_latex(note) for note in cell.notes)
    return f"{text} ({notes})" if notes else text


_MATH = {
    **{"α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "σ": r"\sigma", "ρ": r"\rho", "Δ": r"\Delta", "Σ": r"\Sigma"},
    **{"±": r"\pm", "−": "-", "×": r"\times", "²": "^2", "≤": r"\leq", "≥": r"\geq", "√": r"\surd"},
    **{"·": r"\cdot", "≈": r"\approx", "→": r"\to", "†": r"\dagger"},
}
_LATEX = {
    **{char: f"\\{char}" for char in "&%$#_{}"},
    **{char: f"${command}$" for char, command in _MATH.items()},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "…": r"\dots{}", "–": "--", "\n": " "},
}
_LATEX_SPECIAL = re.compile("|".join(map(re.escape, _LATEX)))


def escape_latex(text: str) -> str:
    r"""Return the text with all characters escaped that are special in LaTeX.

    >>> escape_latex("50 % of a_b ± 1")
    '50 \\% of a\\_b $\\pm$ 1'
    """
    return _LATEX_SPECIAL.sub(lambda match: _LATEX[match.group()], text)
