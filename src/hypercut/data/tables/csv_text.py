"""Reading ``.csv`` files: separators, header line, encoding."""

from __future__ import annotations

import csv
import re
import warnings
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from hypercut.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

#: Separators other than the comma, by name; a run of spaces is one.
_SEPARATORS = {"';'": ";", "tabs": "\t", "spaces": " +"}
_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?")
#: Markers of missing values, in lower case: neither numbers nor names.
_MISSING = ("", "nan", "na", "n/a", "#n/a", "<na>", "null", "none")


def read_csv(path: Path, header: bool | None) -> tuple[pd.DataFrame, bool]:
    """Return the rows of a file, and whether its first line names the columns."""
    import pandas as pd  # slow to import, and needed for few files

    try:
        lines = _first_lines(path)
        _check_commas(path, lines)
        named = _has_header(path, lines) if header is None else header
        with warnings.catch_warnings():
            # pandas would drop fields without a header name, or take the first column for row names.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            # With low_memory, pandas infers types per block: 1 may be a number in one and text in the next.
            frame = pd.read_csv(
                path, header=0 if named else None, index_col=False, encoding="utf-8-sig", low_memory=False
            )
    except UnicodeDecodeError:
        raise not_utf8(path) from None
    except (pd.errors.ParserError, csv.Error) as error:
        raise InputError(f"{path}: not valid comma-separated text: {str(error).strip()}") from None
    except pd.errors.ParserWarning:
        raise InputError(f"{path}: its rows have more fields than its header. Give every column a name.") from None
    return frame, named


def not_utf8(path: Path) -> InputError:
    """Return the error for text in another encoding."""
    return InputError(f"{path}: expected text in UTF-8, found other bytes. Convert it to UTF-8.")


def _first_lines(path: Path) -> list[str]:
    """Return the first two lines that are not blank, or the only one."""
    with path.open(encoding="utf-8-sig") as file:
        lines = list(islice((line for line in file if line.strip()), 2))
    if not lines:
        raise InputError(f"{path}: expected a header line and rows of numbers, found an empty file.")
    if any("\0" in line for line in lines):
        raise not_utf8(path)
    return lines


def _check_commas(path: Path, lines: list[str]) -> None:
    """Raise an error for another separator, one that splits a line into numbers or a first line without commas."""
    for name, separator in _SEPARATORS.items():
        cut = [re.split(separator, line.strip()) for line in lines]
        numbers = any(len(fields) > 1 and all(map(_NUMBER.fullmatch, fields)) for fields in cut)
        # Names often contain spaces.
        names = len(cut[0]) > 1 and "," not in lines[0] and name != "spaces"
        if numbers or names:
            decimal = ", decimal=','" if any("," in line for line in lines) else ""
            raise InputError(
                f"{path}: expected commas between the fields and points in the numbers, found {name} between them: "
                f"{_shortened(lines[0])}. Convert it first; pandas.read_csv reads it with sep={separator!r}{decimal}."
            )


def _has_header(path: Path, lines: list[str]) -> bool:
    """Whether the first line names the columns: yes if no field is a number, no if no field is text.

    A line with both may be a row with a class, or names with years among them, and 0, 1, 2, … are also the default
    column names of pandas. A wrong guess would lose or invent a row, so these raise an error.
    """
    fields = [field.strip() for field in next(csv.reader(lines))]
    kinds = set(map(_kind, fields))
    unnamed_first = fields[0] == ""  # the column of row numbers
    counted = [str(column) for column in range(len(fields) - unnamed_first)]
    if kinds >= {"number", "word"} or (len(fields) > 1 and fields[unnamed_first:] == counted):
        raise InputError(
            f"{path}: its first line, {_shortened(lines[0])}, may be a row or the names of the columns. "
            "Specify which: --header yes or no, or header: true or false in the configuration."
        )
    return "word" in kinds


def _kind(field: str) -> str:
    if field.lower() in _MISSING:
        return "missing"
    try:
        float(field)
    except ValueError:
        return "word"
    return "number"


def _shortened(line: str, limit: int = 60) -> str:
    line = line.strip()
    return repr(line if len(line) <= limit else f"{line[:limit]}…")
