"""Writing labels: check the output file before computing, and write it in the format of its suffix."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypercut.errors import InputError
from hypercut.files import atomic_write

if TYPE_CHECKING:
    from numpy.typing import NDArray

SUFFIXES = (".csv", ".npy", ".npz", ".parquet")


def check_output(path: Path, source: Path, *, overwrite: bool) -> None:
    """Raise InputError if the output cannot be written, or would replace ``source`` or another file."""
    if path.suffix.lower() not in SUFFIXES:
        found = repr(path.suffix) if path.suffix else "no suffix"
        raise InputError(f"{path}: expected an output file ending in {', '.join(SUFFIXES)}, found {found}.")
    if not os.path.isdir(path.parent):
        raise InputError(f"{path}: there is no folder {path.parent}. Create it first.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(f"{path}: no permission to write in {path.parent}. Choose another folder.")
    if os.path.isdir(path):
        raise InputError(f"{path} is a folder. Specify a file.")
    if os.path.exists(path) and os.path.exists(source) and os.path.samefile(path, source):
        raise InputError(f"{path} is the input file. Choose another --out.")
    if os.path.lexists(path) and not overwrite:
        raise InputError(f"{path} exists. Choose another --out, or add --overwrite to replace it.")


def write_labels(path: Path, labels: "NDArray[Any]") -> None:
    """Write labels in the format of the suffix; on failure, leave no file behind."""
    # Here, since `hypercut --help` need not wait for them.
    import numpy as np
    import pandas as pd

    try:
        with atomic_write(path) as part, part.open("wb") as file:
            match path.suffix.lower():
                case ".csv":
                    pd.DataFrame({"cluster": labels}).to_csv(file, index=False)
                case ".parquet":
                    pd.DataFrame({"cluster": labels}).to_parquet(file, index=False)
                case ".npz":
                    np.savez(file, labels=labels)
                case ".npy":
                    np.save(file, labels)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}.") from None
