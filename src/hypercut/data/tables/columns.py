"""The columns of a file: which of them are features, that is, numbers to cluster, and which are left out."""

import difflib
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_list_like

from hypercut.errors import InputError

#: From this many rows on, a column of distinct integers in steps of one numbers the rows. With fewer rows, a feature
#: may look like that by chance.
NUMBERED_ROWS = 8
#: Numbers written for people: 1.234,56 or 1 234 or $5.00 or 7 %.
_FORMATTED_NUMBER = r"[-+]?[€$£]?\s?\d{1,3}([.,'\s]?\d{3})*([.,]\d+)?\s?[%€$£]?"
#: Names of columns whose distinct integers are identifiers, even if not in steps of one.
_IDENTIFIER = re.compile(r"(?i:index|idx|row|nr|no|number|key|id|.*[\s_.-]id)|.*[a-z](Id|ID)")
#: Names of columns that often hold classes.
_CLASS_NAMES = {"class", "label", "target", "y", "kind", "type", "category", "species", "group", "cluster"}
#: A column looks like classes if it has at most this many distinct values, and at least this many rows per value.
_MOST_CLASSES, _ROWS_PER_CLASS = 30, 4
#: The least size of the smallest class relative to the mean, if only the sizes distinguish classes from counts.
_SMALLEST_CLASS = 0.8
#: Sums of squares of larger numbers overflow.
_LARGEST = 1e150
#: Reasons to leave out a column.
_TEXT, _DATES, _EMPTY, _ROW_NUMBERS, _IGNORED = "text", "dates", "empty", "numbers the rows", "ignored"


@dataclass(frozen=True)
class Source:
    """A file as it was read: all its columns, of any type."""

    path: Path
    frame: pd.DataFrame
    """column names are distinct texts"""
    arrays: Mapping[str, np.ndarray]
    """the arrays of an ``.npz`` file other than the samples"""
    notes: tuple[str, ...]
    """decisions made while reading, for the user to know"""
    separator: str
    decimal: str


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
    guess: bool = False
    """whether columns without numbers and columns that number the rows are left out"""


def source_of(
    path: Path,
    frame: pd.DataFrame,
    note: str = "",
    *,
    named: bool | None = None,
    arrays: Mapping[str, np.ndarray] | None = None,
    separator: str = ",",
    decimal: str = ".",
) -> Source:
    """Return a file as it was read, without the empty rows at its end that spreadsheets export.

    ``note`` says how it was read, and ``named`` whether its first line names the columns.
    """
    notes = [note] if note else []
    if named is not None:
        notes.append("the first line names the columns" if named else "there is no header, the first line is a row")
        filled = np.flatnonzero(frame.notna().any(axis=1))
        if empty := len(frame) - (filled[-1] + 1 if len(filled) else 0):
            frame = frame.iloc[: len(frame) - empty]
            notes.append(f"{empty} empty row(s) at the end left out")
    names: dict[str, None] = {}
    for column in frame.columns:
        name = str(column).strip()
        while name in names:  # repeated ones are numbered as pandas does: a, a.1
            name += ".1"
        names[name] = None
    return Source(path, frame.set_axis(list(names), axis=1), arrays or {}, tuple(notes), separator, decimal)


def select(source: Source, selection: Selection) -> Table:
    """Return the features and labels of a file; raise InputError for a value that is not a finite number."""
    source = _lists_as_text(source)
    y = _labels(source, selection.label_column)
    names = list(source.frame.columns) if selection.columns is None else list(selection.columns)
    for name in [*names, *selection.ignore]:
        if name not in source.frame.columns:
            raise _unknown(source, name)
    left_out = dict.fromkeys(selection.ignore, _IGNORED)
    names = [name for name in names if name not in left_out and name != selection.label_column]
    if selection.guess and selection.columns is None:
        left_out |= {name: reason for name in names if (reason := _no_numbers(source.frame[name]))}
        names = [name for name in names if name not in left_out]
    frame = source.frame[names]
    others = {name: column for name, column in frame.items() if column.dtype.kind not in "biuf"}
    frame = frame.assign(**{str(name): _numbers(source, str(name), column) for name, column in others.items()})
    X = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    if selection.columns is None:
        found = [_numbers_rows(name, X[:, i], guess=selection.guess) for i, name in enumerate(names)]
        numbers = np.array(found, dtype=bool)
        left_out |= dict.fromkeys((names[i] for i in np.flatnonzero(numbers)), _ROW_NUMBERS)
        names, X = [names[i] for i in np.flatnonzero(~numbers)], X[:, ~numbers]
    if X.size == 0:
        why = listed(f"{name} ({reason})" for name, reason in left_out.items()) or "nothing"
        raise InputError(
            f"{source.path}: expected rows of numbers, found {len(frame)} rows of 0 features; left out: {why}. "
            "Specify the features (--columns, or columns in a configuration)."
        )
    X, kept, note = _complete(source, X, names, selection.missing)
    if kept is not None and y is not None:
        y = y[kept]
    classes = () if selection.label_column else tuple(_class_columns(source, X, names, left_out))
    return Table(np.ascontiguousarray(X), y, names, source.notes + note, left_out, kept, classes)


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
    """Return names as text for a message; of many names, only the first."""
    every = list(names)
    return ", ".join(every[:limit]) + (f" and {len(every) - limit} more" if len(every) > limit else "")


def _labels(source: Source, name: str | None) -> np.ndarray | None:
    if name is None and "y" not in source.arrays:
        return None
    if name is None or name in source.arrays:
        y = source.arrays[name or "y"]
        if y.shape != (len(source.frame),):
            raise InputError(f"{source.path}: expected {len(source.frame)} labels, one per row of X; found {y.shape}.")
    elif name in source.frame.columns:
        y = source.frame[name].to_numpy()
    else:
        raise _unknown(source, name, " with the labels")
    check_labels(source.path, y)
    return y


def _unknown(source: Source, name: str, what: str = "") -> InputError:
    names = [*source.frame.columns, *source.arrays]
    advice = "".join(f" Did you mean {guess!r}?" for guess in difflib.get_close_matches(name, names, n=1))
    return InputError(f"{source.path}: expected a column {name!r}{what}; found {listed(map(repr, names))}.{advice}")


def _lists_as_text(source: Source) -> Source:
    """Return the source with columns of lists, which Parquet may hold and pandas cannot compare, as text."""
    columns = source.frame.items()
    lists = [name for name, column in columns if column.dtype.kind == "O" and column.map(is_list_like).any()]
    return replace(source, frame=source.frame.astype(dict.fromkeys(lists, str)))


def _no_numbers(column: "pd.Series[Any]") -> str:
    """Return why a column cannot be a feature; "" if at least half of its values are numbers, or written as such."""
    if column.notna().sum() == 0:
        return _EMPTY if len(column) else ""
    if column.dtype.kind in "biuf":
        return ""
    if column.dtype.kind in "Mm":
        return _DATES
    text = column.dropna().astype(str)
    numbers = pd.to_numeric(text, errors="coerce").notna() | text.str.fullmatch(_FORMATTED_NUMBER)
    return _TEXT if 2 * numbers.sum() < len(text) else ""


def _numbers(source: Source, name: str, column: "pd.Series[Any]") -> np.ndarray:
    """Return a column as numbers; text among them is an error, since skipping it would hide a typing error."""
    # Dates and durations are not numbers, though pandas would convert them to nanoseconds.
    is_time = column.dtype.kind in "Mm"
    numbers = pd.Series(np.nan, column.index) if is_time else pd.to_numeric(column, errors="coerce")
    offending = (numbers.isna() & column.notna()).to_numpy()
    if offending.any():
        row = int(offending.argmax())
        quoted = shlex.quote(name)  # quotes that YAML reads too
        raise InputError(
            f"{source.path}: column {name!r} must hold numbers, but row {row + 1} has {column.iloc[row]!r}. "
            f"Write it as a plain number, or leave the column out (--ignore {quoted}); if it holds the labels, specify "
            f"that (--truth {quoted}). In a configuration: ignore: [{quoted}] or label_column: {quoted}."
        )
    return np.asarray(numbers.to_numpy(dtype=np.float64, na_value=np.nan))


def _numbers_rows(name: str, column: np.ndarray, *, guess: bool) -> bool:
    """Whether a column numbers the rows: distinct integers in steps of one in any order, or an identifier by its name.

    Without ``guess``, only a first column without a name counts, as ``DataFrame.to_csv`` writes it.
    """
    with np.errstate(invalid="ignore", over="ignore"):  # infinite and very large values
        in_steps = column.max(initial=-np.inf) - column.min(initial=np.inf) == len(column) - 1
    by_guess = _IDENTIFIER.fullmatch(name) is not None or (in_steps and len(column) >= NUMBERED_ROWS)
    if not (guess and by_guess) and not (in_steps and name == "Unnamed: 0"):
        return False
    return bool((column == np.round(column)).all()) and len(np.unique(column)) == len(column) > 1


def _complete(
    source: Source, X: np.ndarray, names: Sequence[str], missing: str | None
) -> tuple[np.ndarray, np.ndarray | None, tuple[str, ...]]:
    """Return the samples without missing values, a mask of the rows kept (None for all), and notes."""
    bad = ~(np.abs(X) <= _LARGEST)
    if not bad.any():
        return X, None, ()
    rows, n_bad = bad.any(axis=1), int(bad.sum())
    if missing == "drop" and not rows.all():
        return X[~rows], ~rows, ()
    if missing == "median" and not bad.all(axis=0).any():
        X = np.where(bad, np.nan, X)
        X[bad] = np.nanmedian(X, axis=0)[np.nonzero(bad)[1]]
        return X, None, (f"{n_bad} missing value(s) replaced by the median of their column",)
    row, column = divmod(int(bad.argmax()), X.shape[1])
    advice = "Leave these rows out (--missing drop), or use the median of the column (--missing median). In a "
    advice += "configuration: missing: drop or missing: median."
    if missing is not None:
        column = int(bad.sum(axis=0).argmax())  # the worst
        row = int(bad[:, column].argmax())
        name = shlex.quote(names[column])
        advice = f"There are too few others for {missing}. Leave the column out (--ignore {name}; ignore: [{name}])."
    finding = "missing or NaN" if np.isnan(X[row, column]) else X[row, column]
    raise InputError(
        f"{source.path}: row {row + 1}, column {names[column]!r} is {finding} ({n_bad} such value(s) in "
        f"{rows.sum()} of {len(X)} rows). Clustering needs numbers up to {_LARGEST:g}. {advice}"
    )


def _class_columns(source: Source, X: np.ndarray, names: Sequence[str], left_out: dict[str, str]) -> Iterator[str]:
    """Yield the columns that look like classes: text with few values, and integers 0, 1, … or 1, 2, …"""
    if "y" in source.arrays:
        yield "y"
    for name in [name for name, reason in left_out.items() if reason == _TEXT]:
        if 2 <= (distinct := source.frame[name].nunique()) <= _MOST_CLASSES and len(X) >= _ROWS_PER_CLASS * distinct:
            yield name
    few = np.isin(X.min(axis=0), (0, 1)) & (X.max(axis=0) <= min(_MOST_CLASSES, len(X) // _ROWS_PER_CLASS))
    counts = {name: np.unique(X[:, i], return_counts=True) for i, name in enumerate(names) if few[i]}
    # 0, 1, …: without gaps. Pixels and counts are such integers too, but classes are of similar size.
    sizes = {name: n for name, (values, n) in counts.items() if len(values) > 1 and (np.diff(values) == 1).all()}
    even = [name for name, n in sizes.items() if len(sizes) == 1 or n.min() >= _SMALLEST_CLASS * n.mean()]
    yield from [name for name in sizes if name.lower() in _CLASS_NAMES or (even == [name] and len(names) > 1)]
