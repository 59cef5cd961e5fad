"""The content of a table, and the checks that every format needs."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hypercut.errors import InputError


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


def check_finite(path: Path, table: Table) -> None:
    """Raise an error for missing and infinite values."""
    bad = ~np.isfinite(table.X)
    if bad.any():
        row, column = np.unravel_index(int(bad.argmax()), bad.shape)
        value = table.X[row, column]
        finding = "missing or NaN" if np.isnan(value) else value
        raise InputError(
            f"{path}: row {row + 1}, column {table.columns[column]!r} is {finding} ({int(bad.sum())} such value(s) "
            "in all). Clustering needs finite numbers: remove or fill them."
        )


def check_labels(path: Path, labels: np.ndarray) -> None:
    """Raise an error for missing labels."""
    # Only NaN differs from itself.
    missing = np.array([label is None or label == "" or label != label for label in labels.tolist()], dtype=bool)
    if missing.any():
        raise InputError(
            f"{path}: row {int(missing.argmax()) + 1} has no label ({int(missing.sum())} such row(s) in all). "
            "Label the rows or remove them."
        )
