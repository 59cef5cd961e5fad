"""Reading text files: ``.csv``, ``.tsv`` and the like, perhaps compressed."""

from __future__ import annotations

import gzip
import io
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from hypercut.data.tables.dialect import FALLBACK, MISSING, Dialect, detect, not_text
from hypercut.data.tables.wording import Wording
from hypercut.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

GZIP = b"\x1f\x8b"
#: A field shorter than this is shown whole in messages.
_SHOWN = 60


def read_text(
    path: Path, header: bool | None, wording: Wording, content: bytes | None = None
) -> tuple[pd.DataFrame, Dialect, bool]:
    """Return the rows of a file or of the ``content`` of one, how it is written, and whether it has a header line."""
    try:
        try:
            return _read(path, header, wording, content)
        except UnicodeDecodeError:  # beyond the lines that the dialect was detected from
            return _read(path, header, wording, content, FALLBACK)
    except UnicodeDecodeError:
        raise not_text(path) from None
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(f"{path}: the compressed file is damaged: {error}. Get it again.") from None


def has_header(path: Path, fields: Sequence[str], wording: Wording, decimal: str = ".") -> bool:
    """Whether the first line names the columns: yes if no field is a number, no if no field is text.

    A line with both may be a row with a class, or names with years among them, and 0, 1, 2, … are also the default
    column names of pandas. A wrong guess would lose or invent a row, so these raise an error.
    """
    kinds = {_kind(field, decimal) for field in fields}
    unnamed_first = fields[0] == ""  # the column of row numbers
    counted = [str(column) for column in range(len(fields) - unnamed_first)]
    if kinds >= {"number", "word"} or (len(fields) > 1 and list(fields[unnamed_first:]) == counted):
        line = ",".join(fields)
        raise InputError(
            f"{path}: its first line, {line if len(line) <= _SHOWN else f'{line[:_SHOWN]}…'!r}, may be a row or the "
            f"names of the columns. Specify which: {wording.either_header}."
        )
    return "word" in kinds


def _read(
    path: Path, header: bool | None, wording: Wording, content: bytes | None, encoding: str | None = None
) -> tuple[pd.DataFrame, Dialect, bool]:
    import pandas as pd  # slow to import, and needed for few files

    with _open(path, content) as file:
        dialect = detect(path, file, encoding)
    named = has_header(path, dialect.first, wording, dialect.decimal) if header is None else header
    try:
        with _open(path, content) as file, warnings.catch_warnings():
            # pandas would drop fields without a header name, or take the first column for row names.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                file,
                sep=dialect.separator,
                decimal=dialect.decimal,
                header=0 if named else None,
                skiprows=dialect.skipped,
                index_col=False,
                skipinitialspace=True,
                na_values=[marker for marker in MISSING if marker],
                encoding=dialect.encoding,
                # Otherwise pandas infers types per block: 1 may be a number in one and text in the next.
                low_memory=False,
            )
    except pd.errors.ParserError as error:
        raise InputError(f"{path}: not a valid table, {dialect.description}: {str(error).strip()}") from None
    except pd.errors.ParserWarning:
        raise InputError(f"{path}: its rows have more fields than its header. Give every column a name.") from None
    return frame, dialect, named


@contextmanager
def _open(path: Path, content: bytes | None) -> Iterator[BinaryIO]:
    """Open a file or its content for reading; whether it is compressed shows in its first bytes."""
    file: BinaryIO
    with path.open("rb") if content is None else io.BytesIO(content) as file:
        compressed = file.read(len(GZIP)) == GZIP
        file.seek(0)
        if compressed:
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield cast("BinaryIO", unpacked)
        else:
            yield file


def _kind(field: str, decimal: str) -> str:
    if field.lower() in MISSING:
        return "missing"
    try:
        float(field.replace(decimal, "."))
    except ValueError:
        return "word"
    return "number"
