"""Tables from numpy files: ``.npz`` and ``.npy``."""

from pathlib import Path

import numpy as np

from hypercut.data.tables.table import Table, check_labels
from hypercut.errors import InputError


def npz_table(path: Path, label_column: str | None) -> Table:
    """Read an ``.npz`` file."""
    try:
        # Opened here, since numpy does not close its own handle of a damaged archive.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except MemoryError:
        raise
    except Exception as error:  # a damaged archive can fail in any layer: zip, zlib, the array header
        raise InputError(f"{path}: expected an archive of numeric arrays (numpy.savez), but {_reason(error)}") from None
    if {"format", "shape", "data"} <= arrays.keys():
        raise InputError(
            f"{path}: expected a full matrix, found a sparse one (scipy.sparse.save_npz). "
            "Save it with numpy.savez(path, X=matrix.toarray())."
        )
    matrices = [name for name, array in arrays.items() if array.ndim == 2]
    if "X" in arrays:
        features = "X"
    elif len(matrices) == 1:
        features = matrices[0]
    else:
        raise InputError(
            f"{path}: expected an array 'X', or just one two-dimensional array; found {sorted(arrays) or 'no array'}. "
            "Save it with numpy.savez(path, X=..., y=...)."
        )
    labels = label_column or "y"
    if label_column is not None and label_column not in arrays:
        raise InputError(f"{path}: expected an array {label_column!r} with the labels; found {sorted(arrays)}.")
    return _from_array(path, arrays[features], arrays.get(labels))


def npy_table(path: Path, label_column: str | None) -> Table:
    """Read a ``.npy`` file."""
    if label_column is not None:
        raise InputError(
            f"{path}: a .npy file has no named columns, so no label column {label_column!r}. "
            "Put the labels into a separate file, or use .npz."
        )
    return _from_array(path, load_array(path), None)


def load_array(path: Path) -> np.ndarray:
    """Return the array of a ``.npy`` file."""
    try:
        array: np.ndarray = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise InputError(f"{path}: expected an array saved with numpy.save, but {_reason(error)}") from None
    return array


def _reason(error: Exception) -> str:
    """Return the end of a message, without numpy's advice to allow pickles, which can run any code."""
    return (
        "it holds Python objects, not numbers." if "pickle" in str(error) else f"it is damaged: {error}. Get it again."
    )


def _from_array(path: Path, X: np.ndarray, y: np.ndarray | None) -> Table:
    if X.dtype.kind not in "biuf":
        raise InputError(f"{path}: expected numbers, found an array of type {X.dtype}.")
    if X.ndim != 2 or X.size == 0:
        raise InputError(f"{path}: expected a matrix (samples, features), found an array of shape {X.shape}.")
    if y is not None:
        if y.shape != (len(X),):
            raise InputError(f"{path}: expected {len(X)} labels, one per row of X; found an array of shape {y.shape}.")
        check_labels(path, y)
    return Table(np.ascontiguousarray(X, dtype=np.float64), y, [str(column) for column in range(X.shape[1])])
