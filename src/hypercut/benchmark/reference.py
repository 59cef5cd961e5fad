"""The files of a reference: the rows of a benchmark without labels, small enough for a repository.

``reference.json`` describes the benchmark, ``rows/<dataset>.parquet`` has the rows, each with its origin (code, data,
limits, environment and date) as JSON, and ``similarity.npz`` the similarity matrices of ORL.
:mod:`hypercut.benchmark.archive` writes a reference, :mod:`hypercut.benchmark.restore` puts its rows back.

Scores, parameters and σ are exact, so that ties and choices of σ in a report are those of the result files. To be
small, a reference leaves out ``labels``, ``solver`` and ``traceback``, which no table or figure needs, and rounds times
and memory, with an error below 0.1 %.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from hypercut.benchmark.provenance import COLUMNS, Origin
from hypercut.benchmark.rows import RESULT_FILE, SCHEMA, ResultFile
from hypercut.errors import InputError
from hypercut.files import atomic_write, explain_write_errors, write_json

FILE_NAME = "reference.json"
#: The similarity matrices of ORL, in half precision.
SIMILARITY = "similarity.npz"
#: Of the files; a reader refuses later ones.
FORMAT = 1

LEFT_OUT = ("labels", "solver", "traceback")
MEASURED = ("wall_seconds", "cpu_seconds", "shared_seconds")
#: Columns with almost as many values as rows. Others are stored as dictionaries.
MANY_VALUES = ("nmi", "ari", "neighbor_information", *MEASURED)
#: Bits that the mantissa of a measured time keeps.
MEASURED_BITS = 12
#: Peak memory is rounded to this many bytes.
MEASURED_BYTES = 2**16


#: The columns of ``rows/<dataset>.parquet``.
ARCHIVE_SCHEMA = pa.schema(
    [
        *(
            field.with_type(pa.float32()) if field.name in MEASURED else field
            for field in SCHEMA
            if field.name not in LEFT_OUT
        ),
        pa.field("origin", pa.string()),
    ]
)


@dataclass(frozen=True)
class Reference:
    """The content of a reference."""

    config: Mapping[str, Any]
    """of the benchmark, without paths of the machine"""
    datasets: Mapping[str, Mapping[str, Any]]
    """descriptions (:func:`hypercut.benchmark.record.describe_datasets`)"""
    contributions: tuple[Mapping[str, Any], ...]
    """date, version, commit and machine of each time that results were added, with their number"""
    missing: frozenset[ResultFile]
    """results that the benchmark includes and the reference lacks"""
    rows: pd.DataFrame
    """the columns of ARCHIVE_SCHEMA, in the types of result files"""

    def results(self) -> Iterator[tuple[ResultFile, pd.DataFrame, Origin]]:
        """Yield the names, rows and origin of every archived result."""
        for key, rows in self.rows.groupby(RESULT_FILE, sort=False):
            yield key, rows, Origin.from_json(rows["origin"].iloc[0])

    def table(self) -> pd.DataFrame:
        """Return all rows with the columns of the aggregated table."""
        number, texts = pd.factorize(self.rows["origin"])
        origins = pd.DataFrame([Origin.from_json(text).columns() for text in texts])[list(COLUMNS)]
        return restored_columns(self.rows).join(origins.take(number).set_axis(self.rows.index))

    def describe(self) -> dict[str, Any]:
        """Return the description of the run for a report, see :func:`hypercut.report.build.build_report`."""
        there = [tuple(key) for key in self.rows[RESULT_FILE].drop_duplicates().itertuples(index=False, name=None)]
        expected = [*there, *sorted(self.missing)]
        return {
            **self.contributions[-1],
            "config": self.config,
            "datasets": self.datasets,
            "expected": {
                "cells": [[dataset, setting, algorithm] for dataset, setting, algorithm, name in expected if not name],
                "variations": [
                    [dataset, setting, name, algorithm] for dataset, setting, algorithm, name in expected if name
                ],
            },
        }


def compact(rows: pd.DataFrame, origin: Origin) -> pd.DataFrame:
    """Return the rows of a result as a reference holds them."""
    return _rounded(rows.assign(origin=origin.to_json())[ARCHIVE_SCHEMA.names])


def _rounded(rows: pd.DataFrame) -> pd.DataFrame:
    measured = {name: _keep_bits(rows[name]) for name in MEASURED}
    peak = (rows["peak_bytes"].astype("float64") / MEASURED_BYTES).round() * MEASURED_BYTES
    return rows.assign(**measured, peak_bytes=peak)


def _keep_bits(values: pd.Series) -> pd.Series:
    mantissa, exponent = np.frexp(values.astype("float64"))
    return np.ldexp(np.round(mantissa * 2**MEASURED_BITS) / 2**MEASURED_BITS, exponent)


def restored_columns(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of a reference with the columns of a result file: those left out are null, labels are absent."""
    absent = {name: None for name in LEFT_OUT if name != "labels"}
    names = [name for name in SCHEMA.names if name != "labels"]
    return rows.assign(**absent)[names]


def is_reference(folder: Path) -> bool:
    """Return whether a folder holds a reference."""
    return (folder / FILE_NAME).is_file()


def read_reference(folder: Path) -> Reference:
    """Read a reference."""
    path = folder / FILE_NAME
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] > FORMAT:
            raise InputError(f"{path}: written by a later version of hypercut. Update hypercut.")
        rows = [_read_rows(file) for file in sorted((folder / "rows").glob("*.parquet"))]
        return Reference(
            config=content["config"],
            datasets=content["datasets"],
            contributions=tuple(content["contributions"]),
            missing=frozenset(_key(name) for name in content["missing"]),
            rows=pd.concat(rows, ignore_index=True),
        )
    except FileNotFoundError:
        raise InputError(f"{path} is missing: {folder} is not a reference. Write one with: hypercut archive.") from None
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{folder} is damaged ({error!r}). Get it again, e.g. with git checkout.") from None


def _key(name: str) -> ResultFile:
    dataset, setting, algorithm, variation = name.split("/")
    return dataset, setting, algorithm, variation


def _read_rows(path: Path) -> pd.DataFrame:
    rows = pq.read_table(path, schema=ARCHIVE_SCHEMA).to_pandas()
    return rows.astype(dict.fromkeys([*MEASURED, "peak_bytes"], "float64"))


def write_reference(folder: Path, reference: Reference) -> None:
    """Write a reference. All files are complete before the first one takes its place."""
    content = {
        "format": FORMAT,
        "config": reference.config,
        "datasets": reference.datasets,
        "contributions": reference.contributions,
        "missing": ["/".join(key) for key in sorted(reference.missing)],
    }
    with explain_write_errors(folder), ExitStack() as files:
        # Entered first, renamed last.
        description = files.enter_context(atomic_write(folder / FILE_NAME))
        for dataset, rows in reference.rows.groupby("dataset", sort=False):
            _write_rows(files.enter_context(atomic_write(folder / "rows" / f"{dataset}.parquet")), rows)
        write_json(description, content)
    for path in (folder / "rows").glob("*.parquet"):
        if path.stem not in set(reference.rows["dataset"]):
            path.unlink()


def _write_rows(path: Path, rows: pd.DataFrame) -> None:
    table = pa.Table.from_pandas(rows, schema=ARCHIVE_SCHEMA, preserve_index=False)
    pq.write_table(
        table,
        path,
        compression="zstd",
        compression_level=19,
        use_dictionary=[name for name in ARCHIVE_SCHEMA.names if name not in MANY_VALUES],
        # The bytes of a float are stored apart: exponents compress, digits do not.
        column_encoding=dict.fromkeys(MANY_VALUES, "BYTE_STREAM_SPLIT"),
        write_statistics=False,
    )
