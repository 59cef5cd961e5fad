"""The origin of a run's rows: code, data, versions and machine, as recorded in the aggregated table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from hypercut.benchmark.layout import Layout
from hypercut.benchmark.provenance import VERSIONS
from hypercut.benchmark.rows import RESULT_FILE, ResultFile, read_rows
from hypercut.files import canonical_json

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

#: A run is replaced when one of these changes. Another time or processor alone does not change a result.
KEYED = ("code", "data", *VERSIONS)

#: Tags list up to this many values and abbreviate more: MLflow limits the length of a tag.
LISTED = 5


@dataclass(frozen=True)
class Origin:
    """The distinct values of the origin columns over the rows of a run."""

    values: Mapping[str, frozenset[str]]

    @property
    def tags(self) -> dict[str, str]:
        """The tags of the run; none for a column that is absent or empty."""
        return {TAGS[column]: _listed(found) for column, found in self.values.items() if found}

    @property
    def key(self) -> str:
        """The part of the origin that enters the key of the run."""
        return canonical_json({column: sorted(self.values[column]) for column in KEYED if column in self.values})

    @property
    def mixed(self) -> str:
        """The library versions that differ between rows, in words; empty if none does."""
        several = {column: self.values[column] for column in VERSIONS if len(self.values.get(column, ())) > 1}
        return "; ".join(f"several versions of {TAGS[column]}: {_listed(found)}" for column, found in several.items())


class Origins:
    """The origins of all rows of a benchmark; empty if there is no table or it does not record them."""

    def __init__(self, results: Path) -> None:
        path = Layout(results).table
        table = read_rows(path) if path.exists() else pd.DataFrame(columns=RESULT_FILE)
        self._columns = [column for column in TAGS if column in table]
        # Plain tuples: pandas would take a second for the runs of a small benchmark.
        self._files: dict[ResultFile, list[tuple[Any, ...]]] = {}
        for row in table[[*RESULT_FILE, *self._columns]].drop_duplicates().itertuples(index=False, name=None):
            self._files.setdefault(row[: len(RESULT_FILE)], []).append(row[len(RESULT_FILE) :])
        self.all = self.of(self._files)
        """the origin of the whole table"""

    def of(self, files: Iterable[ResultFile]) -> Origin:
        """Return the origin of a run that is built from some result files."""
        rows = [row for file in files for row in self._files.get(file, [])]
        columns = zip(self._columns, zip(*rows, strict=True), strict=True) if rows else ()
        return Origin({column: frozenset(map(str, filter(_present, values))) for column, values in columns})


def _present(value: Any) -> bool:
    return value is not None and value == value and value != ""


def _listed(values: frozenset[str]) -> str:
    found = sorted(values)
    if len(found) > LISTED:
        return f"{found[0]}, …, {found[-1]} ({len(found)} values)"
    return ", ".join(found)
