"""Text tables: encoding, separator, decimal mark and header line, found from the first lines; pandas reads the rest."""

import codecs
import csv
import gzip
import io
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice, takewhile
from pathlib import Path

import pandas as pd

from hypercut.data.tables.columns import Source, source_of
from hypercut.errors import InputError

SPACES = r"\s+"
#: Separators by name, the likelier first.
SEPARATORS = {"tabs": "\t", "semicolons": ";", "'|'": "|", "commas": ",", "spaces": SPACES}
#: They occur neither in numbers nor, as a rule, in text.
_STRONG = ("\t", ";", "|")
#: The encoding tried if a text is not UTF-8: that of Windows, which is almost Latin-1.
FALLBACK = "cp1252"

#: Markers of missing values, in lower case: neither numbers nor names.
MISSING = ("", "nan", "na", "n/a", "#n/a", "<na>", "null", "none", "?")
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?")
_SPACED_FIELD = re.compile(r'"[^"]*"|\S+')
_GZIP = b"\x1f\x8b"
_SAMPLE_LINES = 200
#: A line shorter than this is shown whole in messages.
_SHOWN = 60


def read_text(path: Path, content: bytes, header: bool | None) -> Source:
    """Return all columns of the content of a text file, which may be compressed."""
    if content.startswith(_GZIP):
        try:
            content = gzip.decompress(content)
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise InputError(f"{path}: the compressed file is damaged: {error}. Get it again.") from None
    encoding = _encoding(path, content)
    with io.TextIOWrapper(io.BytesIO(content), encoding=encoding, newline="") as text:
        lines = list(islice(text, _SAMPLE_LINES))
    hint = re.fullmatch(r"sep=(.)", lines[0].strip(), re.IGNORECASE) if lines else None  # of Excel
    skipped = 1 if hint else 0
    skipped += len(list(takewhile(lambda line: line.startswith("#"), lines[skipped:])))
    table = [line for line in lines[skipped:] if line.strip()]
    if not table:
        raise InputError(f"{path}: expected a header line and rows of numbers, found an empty file.")
    separator = hint[1] if hint else _separator(table)
    rows = _split(table, separator)
    if not rows:
        raise InputError(f"{path}: not a valid table. Check the quotes and separators.")
    numbers = [field for row in rows for field in row if _is_number(field)]
    decimal = "," if sum("," in field for field in numbers) > sum("." in field for field in numbers) else "."
    named = has_header(path, rows[0]) if header is None else header
    name = next((name for name, mark in SEPARATORS.items() if mark == separator), separator)
    note = "text with a single column" if len(rows[0]) == 1 else f"text separated by {name}"
    note += ", decimal commas" if decimal == "," else ""
    note += {"utf-16": ", UTF-16", FALLBACK: ", not UTF-8, so read as Windows-1252"}.get(encoding, "")
    try:
        with warnings.catch_warnings():
            # pandas would drop fields without a header name, or take the first column for row names.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                io.BytesIO(content),
                sep=separator,
                decimal=decimal,
                header=0 if named else None,
                skiprows=skipped,
                index_col=False,
                skipinitialspace=True,
                na_values=[marker for marker in MISSING if marker],
                encoding=encoding,
                # Otherwise pandas infers types per block: 1 may be a number in one and text in the next.
                low_memory=False,
            )
    except pd.errors.ParserError as error:
        raise InputError(f"{path}: not a valid table, {note}: {str(error).strip()}") from None
    except pd.errors.ParserWarning:
        raise InputError(f"{path}: its rows have more fields than its header. Give every column a name.") from None
    return source_of(path, frame, note, named=named, separator=separator, decimal=decimal)


def has_header(path: Path, fields: Sequence[str]) -> bool:
    """Whether the first line names the columns: yes if no field is a number, no if no field is text.

    A line with both may be a row with a class, or names with years among them, and 0, 1, 2, … are also the default
    column names of pandas. A wrong guess would lose or invent a row, so these raise an error.
    """
    known = [field for field in fields if field.lower() not in MISSING]
    numbers = [field for field in known if _is_number(field)]
    unnamed_first = fields[0] == ""  # the column of row numbers
    counted = [str(column) for column in range(len(fields) - unnamed_first)]
    if 0 < len(numbers) < len(known) or (len(fields) > 1 and list(fields[unnamed_first:]) == counted):
        line = ",".join(fields)
        raise InputError(
            f"{path}: its first line, {line if len(line) <= _SHOWN else f'{line[:_SHOWN]}…'!r}, may be a row or the "
            "names of the columns. Specify which: --header yes or --header no; in a configuration, header: true or "
            "header: false."
        )
    return len(known) > len(numbers)


def _encoding(path: Path, content: bytes) -> str:
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in ["utf-16"] if is_utf16 else ["utf-8-sig", FALLBACK]:
        with suppress(UnicodeError):
            if "\0" not in content.decode(encoding):  # otherwise binary data
                return encoding
    raise InputError(f"{path}: expected text in UTF-8, found other bytes. Convert it to UTF-8.")


def _separator(lines: Sequence[str]) -> str:
    """Return the separator that splits the lines into the most numbers and into rows of equal width.

    Commas and spaces may be parts of a field, and commas may be decimal marks, so stronger separators win a tie.
    """
    below = lines[1:] or lines
    # A single column, perhaps with decimal commas, unless something splits it.
    best = (sum(map(_is_number, below)) / len(below), False, -1.0)
    chosen = ";" if "," in below[0] else ","
    for separator in SEPARATORS.values():
        rows = _split(lines, separator)
        width, alike = Counter(map(len, rows)).most_common(1)[0] if rows else (1, 0)
        if width < 2:
            continue
        fields = [field for row in rows[1:] or rows for field in row]
        numbers = sum(map(_is_number, fields))
        # A header of another width is strong evidence against a separator: all rows have the same decimal commas.
        agreement = alike / len(rows) * (1 if len(rows[0]) == width else 0.5)
        fit = (numbers / len(below) * agreement, separator in _STRONG, numbers / len(fields))
        if fit > best and (numbers or separator != SPACES):  # words have spaces between them
            best, chosen = fit, separator
    return chosen


def _split(lines: Sequence[str], separator: str) -> list[list[str]]:
    """Return the fields of the lines; an empty list if the lines cannot have this separator."""
    if separator == SPACES:
        return [[field.strip('"') for field in _SPACED_FIELD.findall(line)] for line in lines]
    try:
        rows = list(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    except csv.Error:  # a field of more than 128 KB
        return []
    return [[field.strip() for field in row] for row in rows]


def _is_number(field: str) -> bool:
    return _NUMBER.fullmatch(field.strip()) is not None
