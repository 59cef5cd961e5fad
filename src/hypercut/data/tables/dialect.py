"""How a text file is written: encoding, separator and decimal mark, found from its first lines."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from hypercut.errors import InputError

SPACES = r"\s+"
#: Separators by name, the likelier first.
SEPARATORS = {"tabs": "\t", "semicolons": ";", "'|'": "|", "commas": ",", "spaces": SPACES}
#: They occur neither in numbers nor, as a rule, in text.
_STRONG = "\t;|"
#: The encoding tried where a text is not UTF-8: that of Windows and, nearly, Latin-1.
FALLBACK = "cp1252"

#: Markers of missing values, in lower case: neither numbers nor names.
MISSING = ("", "nan", "na", "n/a", "#n/a", "<na>", "null", "none", "?")
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?")
_SPACED_FIELD = re.compile(r'"[^"]*"|\S+')
_EXCEL_HINT = re.compile(r"sep=(.)", re.IGNORECASE)

_SAMPLE_BYTES = 2**18
_SAMPLE_LINES = 200
#: Lines that a sample has at least, however long they are.
_FEWEST_LINES = 5


@dataclass(frozen=True)
class Dialect:
    """How a text file is written."""

    encoding: str = "utf-8-sig"
    separator: str = ","
    decimal: str = "."
    skipped: int = 0
    """lines before the table: comments, and Excel's ``sep=;``"""
    first: tuple[str, ...] = ()
    """the fields of the first line of the table"""

    @property
    def description(self) -> str:
        """The dialect in words."""
        name = next((name for name, separator in SEPARATORS.items() if separator == self.separator), self.separator)
        parts = [f"text separated by {name}" if len(self.first) > 1 else "text with a single column"]
        parts += ["decimal commas"] if self.decimal == "," else []
        parts += ["UTF-16"] if self.encoding == "utf-16" else []
        parts += ["not UTF-8, so read as Windows-1252"] if self.encoding == FALLBACK else []
        return ", ".join(parts)


def detect(path: Path, file: BinaryIO, encoding: str | None = None) -> Dialect:
    """Return the dialect of an open file, from its first lines; ``encoding`` overrides what these show."""
    start, complete = _sample(file)
    encoding = encoding or _encoding(start)
    lines = _lines(path, start, encoding, complete)
    skipped, separator = _preamble(lines)
    table = [line for line in lines[skipped:] if line.strip()][:_SAMPLE_LINES]
    if not table:
        raise InputError(f"{path}: expected a header line and rows of numbers, found an empty file.")
    separator = separator or _separator(table)
    try:
        rows = _split(table, separator)
    except csv.Error as error:
        raise InputError(f"{path}: not a valid table: {error}. Check the quotes and separators.") from None
    fields = [field for row in rows for field in row if _NUMBER.fullmatch(field)]
    commas = sum("," in field for field in fields)
    decimal = "," if commas > sum("." in field for field in fields) else "."
    return Dialect(encoding, separator, decimal, skipped, tuple(rows[0]))


def not_text(path: Path) -> InputError:
    """Return the error for a file that is not text in a known encoding."""
    return InputError(f"{path}: expected text in UTF-8, found other bytes. Convert it to UTF-8.")


def _encoding(start: bytes) -> str:
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return FALLBACK
    return "utf-8-sig"


def _sample(file: BinaryIO) -> tuple[bytes, bool]:
    """Return the first bytes of a file, at least a few lines of them, and whether that is all."""
    start = bytearray()
    while block := file.read(_SAMPLE_BYTES):
        start += block
        if start.count(b"\n") >= _FEWEST_LINES:
            return bytes(start), False
    return bytes(start), True


def _lines(path: Path, start: bytes, encoding: str, complete: bool) -> list[str]:
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(start)
    except UnicodeDecodeError:
        raise not_text(path) from None
    if "\0" in text:
        raise not_text(path)
    lines = text.splitlines()
    return lines if complete else lines[:-1]  # the last one may be cut short


def _preamble(lines: Sequence[str]) -> tuple[int, str | None]:
    """Return the number of lines before the table, and the separator if Excel's hint states it."""
    separator = None
    for number, line in enumerate(lines):
        if number == 0 and (hint := _EXCEL_HINT.fullmatch(line.strip())):
            separator = hint[1]
        elif not line.startswith("#"):
            # Blank lines at the start are left to pandas.
            return number, separator
    return len(lines), separator


def _separator(lines: Sequence[str]) -> str:
    """Return the separator that splits the lines into most numbers, and all of them alike.

    Commas and spaces may be parts of a field, and commas decimal marks, so that stronger separators win a tie.
    """
    below = lines[1:] or lines
    # A single column, perhaps with decimal commas, unless something splits it.
    best, chosen = _Fit(sum(map(_is_number, below)) / len(below), False, -1), ";" if "," in below[0] else ","
    for separator in SEPARATORS.values():
        try:
            fit = _fit(_split(lines, separator), separator in _STRONG)
        except csv.Error:  # a field of more than 128 KB
            continue
        # Words have spaces between them.
        if fit is not None and fit > best and (fit.numbers or separator != SPACES):
            best, chosen = fit, separator
    return chosen


@dataclass(frozen=True, order=True)
class _Fit:
    """How well a separator fits; compared in this order."""

    numbers: float
    """numbers per line, fewer if lines differ in their number of fields"""
    strong: bool
    share: float
    """share of the fields that are numbers"""


def _fit(rows: Sequence[Sequence[str]], strong: bool) -> _Fit | None:
    """Return how well a separator fits that gave these rows; None if it does not split them."""
    width, alike = Counter(map(len, rows)).most_common(1)[0]
    if width < 2:
        return None
    below = rows[1:] or rows
    numbers = sum(_is_number(field) for row in below for field in row)
    fields = sum(map(len, below))
    # A header of another width is strong evidence against a separator: all rows have the same decimal commas.
    agreement = alike / len(rows) * (1 if len(rows[0]) == width else 0.5)
    return _Fit(numbers / len(below) * agreement, strong, numbers / fields)


def _split(lines: Sequence[str], separator: str) -> list[list[str]]:
    if separator == SPACES:
        return [[field.strip('"') for field in _SPACED_FIELD.findall(line)] for line in lines]
    rows = csv.reader((f"{line}\n" for line in lines), delimiter=separator, skipinitialspace=True)
    return [[field.strip() for field in row] for row in rows]


def _is_number(field: str) -> bool:
    return _NUMBER.fullmatch(field.strip()) is not None
