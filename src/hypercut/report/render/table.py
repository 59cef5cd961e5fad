"""Tables, written to HTML, LaTeX and Markdown from the same cells, and to CSV in full precision."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
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
        body = [" & ".join(_inline(cell, escape_latex, r"\textbf{%s}") for cell in row) + r" \\" for row in self.rows]
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

    def markdown(self) -> str:
        """Return a Markdown table, notes in brackets."""
        rows = [[_inline(cell, _escape_markdown, "**%s**") for cell in row] for row in self.rows]
        lines = [map(_escape_markdown, self.columns), ["---"] * len(self.columns), *rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def grid_table(
    name: str,
    title: str,
    caption: str,
    data: pd.DataFrame,
    cells: Mapping[tuple[Any, Any], Cell],
    *,
    corner: str,
    rows: Mapping[Any, str],
    columns: Mapping[Any, str],
) -> Table:
    """Return a table from cells by (row, column), a dash where there is none; rows and columns map keys to headings.

    >>> cells = {("a", 2): Cell("5")}
    >>> table = grid_table("t", "T", "", pd.DataFrame(), cells, corner="", rows={"a": "A"}, columns={2: "B"})
    >>> [[cell.text for cell in row] for row in table.rows]
    [['A', '5']]
    """
    body = [[Cell(head), *(cells.get((key, column), EMPTY) for column in columns)] for key, head in rows.items()]
    return Table(name, title, caption, [corner, *columns.values()], body, data)


def record_table(
    name: str,
    title: str,
    caption: str,
    data: pd.DataFrame,
    columns: Mapping[str, Callable[[Any], Cell | str | None]],
    *,
    shown: pd.DataFrame | None = None,
    numeric: bool = True,
) -> Table:
    """Return a table with a line per row of the data, or of ``shown``; columns map headings to what a row has there."""
    rows = [[_cell(make(row)) for make in columns.values()] for row in (data if shown is None else shown).itertuples()]
    return Table(name, title, caption, list(columns), rows, data, numeric=numeric)


def _cell(content: Cell | str | None) -> Cell:
    return content if isinstance(content, Cell) else Cell(content) if content else EMPTY


def compared_cell(
    ours: float, spread: float, paper: float, *, best: float = float("nan"), notes: Iterable[str] = ()
) -> Cell:
    """Return our score ± its spread, with the published one and the difference below where there is one."""
    notes = list(notes)
    tone = None
    if paper == paper:
        notes += [f"paper {number(paper, 3)}", f"Δ {number(ours - paper, 3, sign=True)}"]
        tone = max(-1.0, min(1.0, (ours - paper) / FULL_TONE))
    shown = number(spread, 3) if spread == spread else ""
    return Cell(number(ours, 3), value=ours, spread=shown, notes=tuple(notes), tone=tone, best=is_same(ours, best))


def effect_cell(
    value: float, low: float, high: float, *, digits: int = 2, text: str = "", notes: Iterable[str] = ()
) -> Cell:
    """Return a gain or difference with its interval below, coloured where that excludes zero."""
    interval = [f"[{bounds(low, high, 1 if digits == 2 else digits)}]"] if low == low else []
    tone = 0.6 if low > 0 else -0.6 if high < 0 else None
    return Cell(text or number(value, digits, sign=True), value, notes=(*notes, *interval), tone=tone)


def is_same(one: float, other: float) -> bool:
    """Whether two scores are equal except for rounding error."""
    return round(one, 12) == round(other, 12)


def number_cell(value: float, digits: int = 4, *, sign: bool = False) -> Cell:
    """Return a cell with a rounded number that sorts by its full value."""
    return Cell(number(value, digits, sign=sign), value=value)


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


def _inline(cell: Cell, escape: Callable[[str], str], bold: str) -> str:
    """Return a cell in one line, notes in brackets."""
    text = bold % escape(cell.text) if cell.best else escape(cell.text)
    text += escape(f" ± {cell.spread}") if cell.spread else ""
    return f"{text} ({'; '.join(map(escape, cell.notes))})" if cell.notes else text


def _escape_markdown(text: str) -> str:
    return text.replace("|", r"\|")


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
