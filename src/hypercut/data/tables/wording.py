"""How error messages name the settings of a table, in the words of the place where the user specified the table."""

import shlex
from dataclasses import dataclass


@dataclass(frozen=True)
class Wording:
    """The names of settings; ``{}`` stands for a value."""

    columns: str
    header: str
    sheet: str
    either_header: str
    """the two values of ``header``"""
    _ignore: str
    _labels: str
    _missing: str

    def ignore(self, column: str) -> str:
        """Return the setting that leaves a column out."""
        return self._ignore.format(shlex.quote(column))  # quotes that YAML reads too

    def labels(self, column: str) -> str:
        """Return the setting that makes a column the labels."""
        return self._labels.format(shlex.quote(column))

    def missing(self, way: str) -> str:
        """Return the setting that deals with missing values in this way."""
        return self._missing.format(way)


#: Options of ``hypercut cluster``.
OPTIONS = Wording(
    columns="--columns",
    header="--header",
    sheet="--sheet",
    either_header="--header yes or --header no",
    _ignore="--ignore {}",
    _labels="--truth {}",
    _missing="--missing {}",
)
#: Keys of the entry of a dataset in the configuration.
KEYS = Wording(
    columns="columns",
    header="header",
    sheet="sheet",
    either_header="header: true or header: false",
    _ignore="ignore: [{}]",
    _labels="label_column: {}",
    _missing="missing: {}",
)
