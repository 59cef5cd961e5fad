"""The features of a file: which of its columns are numbers to cluster, and which are left out."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hypercut.data.tables.readers import Source, is_unnamed
from hypercut.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

#: What to do with missing values.
DROP, MEDIAN = "drop", "median"
#: From this many rows on, distinct integers in steps of one number the rows. In fewer they may be a feature by chance.
NUMBERED_ROWS = 8
#: Numbers written for people: 1.234,56 or 1 234 or $5.00 or 7 %.
_FORMATTED_NUMBER = r"[-+]?[€$£]?\s?\d{1,3}([.,'\s]?\d{3})*([.,]\d+)?\s?[%€$£]?"
#: Names of columns whose distinct integers are identifiers, even if not in steps of one.
_IDENTIFIER = re.compile(r"(?i:index|idx|row|nr|no|number|key|id|.*[\s_.-]id)|.*[a-z](Id|ID)")
#: Names of columns that often hold classes.
_CLASS_NAMES = {"class", "label", "target", "y", "kind", "type", "category", "species", "group", "cluster"}
#: A column looks like classes if it has at most so many distinct values, and so many rows per value on average.
_MOST_CLASSES, _ROWS_PER_CLASS = 30, 4
#: The size of the smallest class relative to the mean, where only the sizes tell classes from counts.
_SMALLEST_CLASS = 0.8
#: Reasons to leave out a column.
_TEXT, _DATES, _EMPTY, _ROW_NUMBERS, _IGNORED = "text", "dates", "empty", "numbers the rows", "ignored"


@dataclass(frozen=True)
class Table:
    """A matrix of finite numbers, with labels if the file has them."""

    X: np.ndarray
    """float64, (n samples, d features)"""
    y: np.ndarray | None
    """(n samples,), of the type that the file uses, or None"""
    columns: list[str]
    """the names of the d features"""
    notes: tuple[str, ...] = ()
    """decisions made while reading, for the user to know"""
    left_out: dict[str, str] = field(default_factory=dict)
    """columns that are neither features nor labels, and why"""
    kept: np.ndarray | None = None
    """whether each row of the file is a sample, if rows were left out"""
    classes: tuple[str, ...] = ()
    """columns that look like classes, if no column of labels is specified"""


@dataclass(frozen=True)
class Selection:
    """Which columns of a file are features: by default, all but the labels, and all must hold numbers."""

    label_column: str | None = None
    """the column, or the array of an ``.npz`` file, that holds the labels"""
    columns: Sequence[str] | None = None
    """the features, if not all"""
    ignore: Sequence[str] = ()
    """columns to leave out"""
    missing: str | None = None
    """``drop`` rows with missing or infinite values, or replace these by the ``median`` of their column"""
    skip_text: bool = False
    """whether columns without numbers are left out"""
    skip_row_numbers: bool = False
    """whether columns that number the rows are left out"""


def select(source: Source, selection: Selection) -> Table:
    """Return the features and labels of a file; raise InputError for a value that is not a finite number."""
    y = _labels(source, selection.label_column)
    left_out = dict.fromkeys(selection.ignore, _IGNORED)
    frame = _candidates(source, selection)
    notes = source.notes
    if selection.columns is None and _counts_rows(frame):
        frame, notes = frame.iloc[:, 1:], (*notes, "column 1 has no name and counts the rows: left out")
    frame = _numeric(source, frame, left_out, skip=selection.skip_text and selection.columns is None)
    X = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    names = list(frame.columns)
    if selection.skip_row_numbers and selection.columns is None:
        numbers = _row_numbers(X, names)
        left_out |= dict.fromkeys((names[i] for i in np.flatnonzero(numbers)), _ROW_NUMBERS)
        if numbers.any():
            names, X = [names[i] for i in np.flatnonzero(~numbers)], X[:, ~numbers]
    if X.size == 0:
        raise _no_features(source, len(frame), left_out)
    X, kept, note = _complete(source, X, names, selection.missing)
    if kept is not None and y is not None:
        y = y[kept]
    classes = () if selection.label_column else tuple(_class_columns(source, X, names, left_out))
    return Table(np.ascontiguousarray(X), y, names, notes + note, left_out, kept, classes)


def check_labels(path: Path, labels: np.ndarray) -> None:
    """Raise InputError if a row has no label."""
    # Only NaN differs from itself.
    missing = np.array([label is None or label == "" or label != label for label in labels.tolist()], dtype=bool)
    if missing.any():
        raise InputError(
            f"{path}: row {int(missing.argmax()) + 1} has no label ({int(missing.sum())} such row(s) in all). "
            "Label the rows or remove them."
        )


def listed(names: Iterable[str], limit: int = 12) -> str:
    """Return names for a message, of many the first ones."""
    every = list(names)
    return ", ".join(every[:limit]) + (f" and {len(every) - limit} more" if len(every) > limit else "")


def _labels(source: Source, name: str | None) -> np.ndarray | None:
    if name is None and "y" not in source.arrays:
        return None
    if name is None or name in source.arrays:
        y = source.arrays[name or "y"]
        if y.shape != (len(source.frame),):
            raise InputError(
                f"{source.path}: expected {len(source.frame)} labels, one per row of X; found an array of shape "
                f"{y.shape}."
            )
    elif name in source.frame.columns:
        y = source.frame[name].to_numpy()
    else:
        raise _unknown(source, name, "with the labels")
    check_labels(source.path, y)
    return y


def _candidates(source: Source, selection: Selection) -> pd.DataFrame:
    """Return the columns that may be features."""
    for name in [*(selection.columns or ()), *selection.ignore]:
        if name not in source.frame.columns:
            raise _unknown(source, name)
    excluded = {*selection.ignore, selection.label_column}
    names = source.frame.columns if selection.columns is None else selection.columns
    if len(chosen := [name for name in names if name not in excluded]) == source.frame.shape[1]:
        return source.frame
    return source.frame[chosen]


def _unknown(source: Source, name: str, what: str = "") -> InputError:
    names = [*map(str, source.frame.columns), *source.arrays]
    guesses = difflib.get_close_matches(name, names, n=1)
    advice = f" Did you mean {guesses[0]!r}?" if guesses else ""
    column = " ".join(filter(None, [repr(name), what]))
    return InputError(f"{source.path}: expected a column {column}; found {listed(map(repr, names))}.{advice}")


def _counts_rows(frame: pd.DataFrame) -> bool:
    """Whether the first column counts the rows from 0 or 1 and has no name, as ``DataFrame.to_csv`` writes it."""
    if frame.empty or not is_unnamed(frame.columns[0]):
        return False
    column = frame.iloc[:, 0].to_numpy()
    return any(np.array_equal(column, np.arange(first, first + len(frame))) for first in (0, 1))


def _numeric(source: Source, frame: pd.DataFrame, left_out: dict[str, str], *, skip: bool) -> pd.DataFrame:
    """Return the columns as numbers, missing values as NaN; with ``skip``, add those without numbers to ``left_out``.

    A column with some text among its numbers is always an error: skipping it would hide a slip of the pen.
    """
    converted: dict[str, Any] = {}
    for name, column in frame.items():
        if skip and (reason := _no_numbers(column)):
            left_out[str(name)] = reason
        elif column.dtype.kind not in "biuf":
            converted[str(name)] = _numbers(source, str(name), column)
    kept = [name for name in frame.columns if name not in left_out]
    if len(kept) < frame.shape[1]:
        frame = frame[kept]
    return frame.assign(**converted) if converted else frame


def _no_numbers(column: pd.Series[Any]) -> str:
    """Return why a column cannot be a feature; "" if at least half of its values are numbers, or written as such."""
    import pandas as pd

    if column.notna().sum() == 0:
        return _EMPTY if len(column) else ""
    if column.dtype.kind in "biuf":
        return ""
    if column.dtype.kind in "Mm":
        return _DATES
    text = column.dropna().astype(str)
    numbers = pd.to_numeric(text, errors="coerce").notna() | text.str.fullmatch(_FORMATTED_NUMBER)
    return _TEXT if 2 * numbers.sum() < len(text) else ""


def _numbers(source: Source, name: str, column: pd.Series[Any]) -> np.ndarray:
    import pandas as pd

    if column.dtype.kind in "Mm":
        # Dates and durations, which pandas would convert to nanoseconds.
        numbers = pd.Series(np.nan, index=column.index)
    else:
        numbers = pd.to_numeric(column, errors="coerce")
    offending = (numbers.isna() & column.notna()).to_numpy()
    if offending.any():
        row = int(offending.argmax())
        raise InputError(
            f"{source.path}: column {name!r} must hold numbers, but row {row + 1} has {column.iloc[row]!r}. "
            f"Write it as a plain number, or leave the column out ({source.wording.ignore(name)}); if it holds the "
            f"labels, specify that ({source.wording.labels(name)})."
        )
    return np.asarray(numbers.to_numpy(dtype=np.float64, na_value=np.nan))


def _row_numbers(X: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Return which columns number the rows: distinct integers in steps of one in any order, or identifiers by name."""
    n = len(X)
    with np.errstate(invalid="ignore"):  # infinite values
        steps = (X.max(axis=0, initial=-np.inf) - X.min(axis=0, initial=np.inf) == n - 1) & (n >= NUMBERED_ROWS)
    named = np.array([_IDENTIFIER.fullmatch(name) is not None for name in names], dtype=bool)
    return np.array([may and _distinct_integers(X[:, i]) for i, may in enumerate(steps | named)], dtype=bool)


def _distinct_integers(column: np.ndarray) -> bool:
    return bool((column == np.round(column)).all()) and len(np.unique(column)) == len(column) > 1


def _complete(
    source: Source, X: np.ndarray, names: Sequence[str], missing: str | None
) -> tuple[np.ndarray, np.ndarray | None, tuple[str, ...]]:
    """Return the samples without missing values, which rows of the file they are if not all, and a note on them."""
    bad = ~np.isfinite(X)
    if not bad.any():
        return X, None, ()
    rows, n_bad = bad.any(axis=1), int(bad.sum())
    if missing == DROP and not rows.all():
        return X[~rows], ~rows, ()
    hopeless = bad.all(axis=0)
    if missing == MEDIAN and not hopeless.any():
        X = np.where(bad, np.nan, X)
        X[bad] = np.nanmedian(X, axis=0)[np.nonzero(bad)[1]]
        return X, None, (f"{n_bad} missing value(s) replaced by the median of their column",)
    if missing is not None:
        name = names[int(bad.sum(axis=0).argmax())]
        every = f"column {name!r} has no value" if hopeless.any() else f"every row has one, most of them in {name!r}"
        raise InputError(
            f"{source.path}: {source.wording.missing(missing)} cannot deal with the missing values: {every}. "
            f"Leave that column out: {source.wording.ignore(name)}"
        )
    row, column = divmod(int(bad.argmax()), X.shape[1])
    finding = "missing or NaN" if np.isnan(X[row, column]) else X[row, column]
    raise InputError(
        f"{source.path}: row {row + 1}, column {names[column]!r} is {finding} ({n_bad} such value(s) in "
        f"{rows.sum()} of {len(X)} rows). Clustering needs finite numbers. Leave these rows out "
        f"({source.wording.missing(DROP)}), or use the median of the column ({source.wording.missing(MEDIAN)})."
    )


def _no_features(source: Source, n_rows: int, left_out: dict[str, str]) -> InputError:
    why = "; left out: " + listed(f"{name} ({reason})" for name, reason in left_out.items()) if left_out else ""
    advice = f" Specify the features ({source.wording.columns})." if _ROW_NUMBERS in left_out.values() else ""
    return InputError(f"{source.path}: expected rows of numbers, found {n_rows} rows of 0 features{why}.{advice}")


def _class_columns(source: Source, X: np.ndarray, names: Sequence[str], left_out: dict[str, str]) -> Iterator[str]:
    """Yield the columns that look like classes: text with few values, and integers 0, 1, … or 1, 2, …"""
    yield from ["y"] if "y" in source.arrays else []
    for name in [name for name, reason in left_out.items() if reason == _TEXT]:
        if 2 <= (distinct := source.frame[name].nunique()) <= _MOST_CLASSES and len(X) >= _ROWS_PER_CLASS * distinct:
            yield name
    few = np.isin(X.min(axis=0), (0, 1)) & (X.max(axis=0) <= min(_MOST_CLASSES, len(X) // _ROWS_PER_CLASS))
    numbered = {name: X[:, i] for i, name in enumerate(names) if few[i] and _is_consecutive(np.unique(X[:, i]))}
    # Pixels and counts are such integers too. Classes are of similar size.
    even = [name for name, column in numbered.items() if len(numbered) == 1 or _is_even(column)]
    yield from [name for name in numbered if name.lower() in _CLASS_NAMES or (even == [name] and len(names) > 1)]


def _is_even(column: np.ndarray) -> bool:
    counts = np.unique(column, return_counts=True)[1]
    return bool(counts.min() >= _SMALLEST_CLASS * counts.mean())


def _is_consecutive(values: np.ndarray) -> bool:
    return len(values) > 1 and np.array_equal(values, np.arange(values[0], values[0] + len(values)))
