"""Where the rows of a run come from: code, data, versions and machine, as the aggregated table says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from hypercut.benchmark.layout import Layout
from hypercut.benchmark.rows import read_rows
from hypercut.files import canonical_json

Cell = tuple[str, str, str, str]
"""dataset, setting, algorithm and sweep"""

_CELL = ["dataset", "setting", "algorithm", "sweep"]

#: Columns of the table → the tags that show them.
TAGS = {
    "code": "hypercut.code",
    "data": "hypercut.data",
    "python": "python",
    "numpy": "numpy",
    "scipy": "scipy",
    "scikit_learn": "scikit-learn",
    "blas": "blas",
    "cpu": "cpu",
    "computed": "computed",
}
VERSIONS = ("python", "numpy", "scipy", "scikit_learn", "blas")

#: A run is replaced when one of these changes. The time and the processor alone do not make another result.
KEYED = ("code", "data", *VERSIONS)

#: More values than this are abbreviated: MLflow limits the length of a tag.
LISTED = 5


@dataclass(frozen=True)
class Origin:
    """The distinct values of the columns of origin, over the rows of a run."""

    values: Mapping[str, frozenset[str]]

    @property
    def tags(self) -> dict[str, str]:
        """The tags of the run; none for a column that is absent or empty."""
        return {TAGS[column]: _listed(found) for column, found in self.values.items() if found}

    @property
    def key(self) -> str:
        """What the key of the run depends on."""
        return canonical_json({column: sorted(self.values[column]) for column in KEYED if column in self.values})

    @property
    def mixed(self) -> str:
        """Say which versions differ between rows; empty if none does."""
        several = {column: self.values[column] for column in VERSIONS if len(self.values.get(column, ())) > 1}
        return "; ".join(f"several versions of {TAGS[column]}: {_listed(found)}" for column, found in several.items())


class Origins:
    """The origins of all rows of a benchmark. Empty for results whose table does not tell."""

    def __init__(self, results: Path) -> None:
        path = Layout(results).table
        table = read_rows(path) if path.exists() else pd.DataFrame()
        self._columns = [column for column in TAGS if column in table]
        self._rows = table[[*_CELL, *self._columns]].drop_duplicates() if self._columns else table

    @cached_property
    def _cells(self) -> dict[Cell, pd.DataFrame]:
        return dict(list(self._rows.groupby(_CELL))) if self._columns else {}

    def of(self, cells: Iterable[Cell]) -> Origin:
        """The origin of a run that is made from some cells."""
        return self._origin([self._cells[cell] for cell in cells if cell in self._cells])

    @property
    def all(self) -> Origin:
        """The origin of the whole table."""
        return self._origin([self._rows])

    def _origin(self, tables: list[pd.DataFrame]) -> Origin:
        if not tables:
            return Origin({})
        rows = pd.concat(tables)
        return Origin({column: frozenset(map(str, rows[column].dropna())) - {""} for column in self._columns})


def _listed(values: frozenset[str]) -> str:
    found = sorted(values)
    if len(found) > LISTED:
        return f"{found[0]}, …, {found[-1]} ({len(found)} values)"
    return ", ".join(found)
