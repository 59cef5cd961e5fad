"""A table, once: shown in HTML and LaTeX from the same cells, and as CSV with every digit."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Cell:
    """One entry. ``text`` is what is printed; ``notes`` stand below it, smaller."""

    text: str
    value: float | None = None
    """what the column is sorted by; the text if there is none"""
    spread: str = ""
    """stands after the text with ±"""
    notes: tuple[str, ...] = ()
    tone: float | None = None
    """from −1, much lower than published, to 1, much higher: how the last note is coloured"""
    best: bool = False
    badge: str = ""
    """a class for texts that are a kind of label, like a verdict"""


@dataclass(frozen=True)
class Table:
    """A table with its file name, its caption, and the tidy data that its figures come from."""

    name: str
    title: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    """the first cell of a row is its heading"""
    data: pd.DataFrame
    numeric: bool = True
    """whether all columns but the first hold numbers, and are set to the right"""

    def csv(self) -> str:
        """Return the tidy data; floats with all their digits."""
        return self.data.to_csv(index=False, lineterminator="\n")

    def latex(self) -> str:
        """Return a table that needs only booktabs. Notes follow in brackets."""
        heads = " & ".join(escape_latex(column) for column in self.columns)
        body = " \\\\\n".join(" & ".join(_latex_cell(cell) for cell in row) for row in self.rows)
        others = len(self.columns) - 1
        # Texts may be long, and are broken.
        width = f"p{{{0.9 / len(self.columns):.2f}\\linewidth}}"
        align = "l" + "r" * others if self.numeric else width * (others + 1)
        lines = [
            "% needs \\usepackage{booktabs}",
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{escape_latex(self.caption)}}}",
            f"\\label{{tab:{self.name}}}",
            f"\\begin{{tabular}}{{{align}}}",
            "\\toprule",
            f"{heads} \\\\",
            "\\midrule",
            f"{body} \\\\" if body else "% no rows",
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
        ]
        return "\n".join(lines) + "\n"


def _latex_cell(cell: Cell) -> str:
    text = escape_latex(cell.text)
    text = f"\\textbf{{{text}}}" if cell.best else text
    text += escape_latex(f" ± {cell.spread}") if cell.spread else ""
    notes = "; ".join(escape_latex(note) for note in cell.notes)
    return f"{text} ({notes})" if notes else text


_LATEX = {
    "\\": r"\textbackslash{}",
    **{char: f"\\{char}" for char in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{
        "α": r"$\alpha$",
        "β": r"$\beta$",
        "σ": r"$\sigma$",
        "ρ": r"$\rho$",
        "Δ": r"$\Delta$",
        "Σ": r"$\Sigma$",
        "γ": r"$\gamma$",
    },
    **{"±": r"$\pm$", "−": "$-$", "×": r"$\times$", "²": "$^2$", "≤": r"$\leq$", "≥": r"$\geq$", "√": r"$\surd$"},
    **{"…": r"\dots{}", "–": "--", "·": r"$\cdot$", "≈": r"$\approx$", "→": r"$\to$", "\n": " "},
}
_LATEX_SPECIAL = re.compile("|".join(map(re.escape, _LATEX)))


def escape_latex(text: str) -> str:
    r"""Return text that LaTeX prints as it is.

    >>> escape_latex("50 % of a_b ± 1")
    '50 \\% of a\\_b $\\pm$ 1'
    """
    return _LATEX_SPECIAL.sub(lambda match: _LATEX[match.group()], text)


def number(value: float, digits: int = 4, *, sign: bool = False) -> str:
    """Return a number rounded for print, with a true minus; a dash for none.

    >>> number(-0.12345), number(float("nan")), number(0.5, 2, sign=True)
    ('−0.1235', '–', '+0.50')
    """
    if value is None or not math.isfinite(value):
        return "–"
    # + 0.0 turns −0 into 0.
    return f"{round(value, digits) + 0.0:{'+' if sign else ''}.{digits}f}".replace("-", "−")


def text_rows(rows: Iterable[Sequence[object]]) -> list[list[Cell]]:
    """Return cells of plain values."""
    return [[Cell("–" if value is None else str(value)) for value in row] for row in rows]
