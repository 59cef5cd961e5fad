"""The rows of results, one per clustering, and the Parquet files that hold them.

A *cell* is a dataset × setting × algorithm. Its file has one row per repeat × σ, with the labels, so that other metrics
can be computed later. The file of a sweep or reading (:mod:`hypercut.benchmark.variations`) has such rows for each set
of its parameters.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from hypercut.benchmark.recipe import difference
from hypercut.errors import InputError
from hypercut.files import atomic_write, canonical_json
from hypercut.run.failures import FAILURES, RANGES, ROUNDING, Status
from hypercut.run.machine import ENVIRONMENT

if TYPE_CHECKING:  # importing pandas takes half a second, which a job that only writes rows saves
    import pandas as pd

#: The columns of :func:`hypercut.metrics.evaluate`. All are at most 1, the value for equal partitions. Only ARI and AMI
#: are 0 on average for random labels.
METRICS = tuple(RANGES)

#: The columns of :func:`hypercut.core.diagnostics.diagnostics`, null for methods without diagnostics, and the size of
#: the smallest cluster found.
DIAGNOSTICS = ("trace_ratio", "criterion", "criterion_truth", "low_degree_mass", "smallest_cluster")

#: Columns that version 1.0 did not have. They are null in its archives.
LATER = frozenset({"ami", *DIAGNOSTICS})

CELL = ["dataset", "setting", "algorithm"]
"""columns that identify a cell"""
RESULT_FILE = [*CELL, "variation"]
"""columns that identify a result file; ``variation`` is empty for a cell"""
ResultFile = tuple[str, str, str, str]
"""their values"""
COMBINATION = [*RESULT_FILE, "parameters"]
"""columns that identify one set of parameters of a result"""


def key_of(dataset: str, setting: str, algorithm: str, variation: str) -> str:
    """Return the names of a result as one text, see :class:`hypercut.benchmark.variations.Variation`."""
    return "/".join(filter(None, (dataset, setting, variation, algorithm)))


#: The kinds of data that are marked in the name of a dataset. Real data are not.
MARKED_KINDS = ("stand-in", "generated", "own")


def display_name(name: str, kind: str, complete: bool, n_samples: int | None = None) -> str:
    """Return the name of a dataset for tables and figures, marked unless it is the complete real dataset.

    >>> display_name("yaleb", "stand-in", True), display_name("usps", "real", False, 465)
    ('yaleb (stand-in)', 'usps (subset, N = 465)')
    """
    remarks = [kind] if kind in MARKED_KINDS else []
    if not complete:
        remarks.append("subset" if n_samples is None else f"subset, N = {n_samples}")
    return f"{name} ({', '.join(remarks)})" if remarks else name


_text, _number, _count = pa.string(), pa.float64(), pa.int64()

#: The columns of result files.
SCHEMA = pa.schema(
    [
        ("dataset", _text),
        ("setting", _text),  # clean, noise-L1 …
        ("corruption", _text),  # clean, noise or outlier
        ("level", _number),  # the value behind the name L1; 0 for clean
        ("algorithm", _text),
        ("role", _text),  # algorithm, beyond (the paper), baseline (scikit-learn) or control (random, true labels)
        ("variation", _text),  # "" or the name of the sweep or reading
        ("parameters", _text),  # JSON of the algorithm's parameters, keys sorted
        ("repeat", _count),
        ("sigma_factor", _number),  # σ/ρ; null for an algorithm without σ
        ("sigma", _number),
        ("data_kind", _text),  # real, generated, stand-in or own
        ("complete", pa.bool_()),  # False for a subset of the dataset
        ("n_samples", _count),
        ("n_features", _count),
        ("n_clusters", _count),  # K, as requested
        ("n_found", _count),  # clusters in the labels
        ("status", _text),
        ("message", _text),  # the reason of a failure, one line
        ("traceback", _text),  # the end of the traceback of a failure, or null
        *((metric, _number) for metric in METRICS),
        ("neighbor_information", _number),  # the label-free score, see hypercut.selection
        *((name, _count if name == "smallest_cluster" else _number) for name in DIAGNOSTICS),
        ("n_iter", _count),
        ("solver", _text),  # JSON: solver, number of products, residual …
        # Time of this clustering, without distances and over-clusterings; for a timeout, the time until it was killed.
        ("wall_seconds", _number),
        ("cpu_seconds", _number),
        ("shared_seconds", _number),  # wall time of the over-clusterings, computed beforehand
        ("peak_bytes", _count),  # of the process during this clustering
        ("threads", _count),
        ("labels", pa.list_(pa.int32())),
    ]
)


Origin = dict[str, Any]
"""the origin of a result: its ``recipe``, the ``limits`` and ``environment`` of its job, and its date (``computed``)"""

ORIGIN_COLUMNS = ("code", "data", *ENVIRONMENT, "computed")
#: The columns of the aggregated table: without labels, with the origin of each row. In a result file, all rows
#: have the same origin, which is in the metadata of the file.
TABLE_SCHEMA = pa.schema(
    [*(field for field in SCHEMA if field.name != "labels"), *(pa.field(name, _text) for name in ORIGIN_COLUMNS)]
)
_ORIGIN, _DIGEST = b"hypercut.origin", b"hypercut.digest"


def origin_columns(origin: Mapping[str, Any]) -> dict[str, str]:
    """Return the origin of a result as columns of its rows, with one checksum of all its code."""
    if "recipe" in origin:
        code = {step: part["code"] for step, part in origin["recipe"].items() if "code" in part}
        data = origin["recipe"]["data"]["identity"]
    else:  # archived by version 1.0
        code, data = origin["code"], origin["data"]
    return {
        "code": sha256(canonical_json(code).encode()).hexdigest(),
        "data": data,
        **dict.fromkeys(ENVIRONMENT, "unknown"),
        **origin["environment"],
        "computed": origin["computed"],
    }


def origin_difference(one: Origin, other: Origin) -> str:
    """Return how the recipes of two results differ; an empty text if they do not."""
    if "recipe" in one and "recipe" in other:
        return difference(one["recipe"], other["recipe"])
    return "" if one.get("code") == other.get("code") else "computed by hypercut 1.0, which recorded no recipe"


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]], origin: Mapping[str, Any]) -> None:
    """Write rows with their labels to a Parquet file, atomically."""
    _write(path, pa.Table.from_pylist([dict(row) for row in rows], schema=SCHEMA), canonical_json(origin).encode())


def write_table(path: Path, table: "pd.DataFrame") -> None:
    """Write the aggregated table, without labels."""
    _write(path, pa.Table.from_pandas(table, schema=TABLE_SCHEMA, preserve_index=False), b"{}")


def _write(path: Path, table: pa.Table, origin: bytes) -> None:
    table = table.replace_schema_metadata({_ORIGIN: origin, _DIGEST: _digest(table, origin)})
    with atomic_write(path) as part:
        pq.write_table(table, part, compression="zstd", write_page_checksum=True)


def _digest(table: pa.Table, origin: bytes) -> str:
    """Return a checksum of the origin and of all columns but the labels, which the checksums of pages protect."""
    digest = sha256(origin)
    for name in table.column_names:
        if name != "labels":
            digest.update(json.dumps([name, table[name].to_pylist()]).encode())
    return digest.hexdigest()


def read_rows(path: Path, *, labels: bool = False) -> "pd.DataFrame":
    """Read a file of :func:`write_rows` or :func:`write_table`, with the origin of each row as columns.

    Labels, which are most of the file, are read only if requested.
    """
    return read_result(path, labels=labels)[0]


def read_origin(path: Path) -> Origin:
    """Read the origin of the rows of a file."""
    return read_result(path)[1]


def read_result(path: Path, *, labels: bool = False) -> tuple["pd.DataFrame", Origin]:
    """Read the rows of a file and their origin, which is empty for an aggregated table."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            schema = file.schema_arrow
            if not schema.equals(SCHEMA) and not schema.equals(TABLE_SCHEMA):
                raise ValueError("its columns are not those of results")
            content = file.read(columns=[name for name in schema.names if labels or name != "labels"])
        text = schema.metadata.get(_ORIGIN, b"")
        if schema.metadata.get(_DIGEST) != _digest(content, text).encode():
            raise ValueError("its content does not have its checksum")
        origin: Origin = json.loads(text)
        table = content.to_pandas()
        check_rows(table, {tuple(table[RESULT_FILE].iloc[0]): origin} if origin else {})
        return table.assign(**origin_columns(origin)) if origin else table, origin
    except FileNotFoundError:
        raise InputError(f"{path} is missing. Run the benchmark first.") from None
    except (OSError, pa.ArrowException, ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path} is damaged ({error}). Delete it and run the benchmark again.") from error


def check_rows(rows: "pd.DataFrame", origins: Mapping[ResultFile, Origin]) -> None:
    """Raise an error if the rows cannot be rows of results.

    Every result must have each repeat, σ and set of parameters once, as in the recipe of its origin if there is one. No
    name may lead out of a folder.
    """
    if rows.empty:
        raise ValueError("it has no rows")
    for name in {name for column in RESULT_FILE for name in rows[column].unique()}:
        if "/" in name or name in (".", ".."):
            raise ValueError(f"{name!r} is not a name")
    if unknown := sorted(set(rows["status"].astype(str)) - set(Status)):
        raise ValueError(f"{unknown[0]!r} is not a status")
    failed = rows["status"].isin(FAILURES)
    for metric, (low, high) in RANGES.items():
        if metric in LATER and rows[metric].isna().all():
            continue
        wrong = rows[metric].notna().where(failed, ~rows[metric].between(low - ROUNDING, high + ROUNDING))
        if wrong.any():
            found = rows[wrong].iloc[0]
            raise ValueError(f"{metric} is {found[metric]} in a row of status {found['status']}")
    if rows["neighbor_information"].abs().eq(float("inf")).any():
        raise ValueError("neighbor_information is infinite")
    _check_grids(rows, origins)


def _check_grids(rows: "pd.DataFrame", origins: Mapping[ResultFile, Origin]) -> None:
    repeated = rows[rows.duplicated([*COMBINATION, "repeat", "sigma_factor"])]
    if len(repeated):
        raise ValueError(f"{key_of(*repeated[RESULT_FILE].iloc[0])} has a row twice")
    grids = rows.groupby(RESULT_FILE, sort=False).agg(
        size=("repeat", "size"),
        parameters=("parameters", "nunique"),
        repeats=("repeat", "nunique"),
        first=("repeat", "min"),
        last=("repeat", "max"),
        sigmas=("sigma_factor", "unique"),
    )
    for names, size, parameters, repeats, first, last, sigmas in grids.itertuples(name=None):
        step = origins[names].get("recipe", {}).get("cluster", {}) if origins else {}
        factors = {factor for factor in sigmas if factor == factor}  # none of a method without σ or that failed to load
        if (
            size != parameters * repeats * len(sigmas)
            or (first, last) != (0, repeats - 1)
            or len(sigmas) != max(len(factors), 1)
            or repeats != step.get("repeats", repeats)
            or parameters != len(step.get("parameters", range(parameters)))
            or (factors and factors != set(step.get("sigma_factors", factors)))
        ):
            raise ValueError(f"{key_of(*names)} does not have the repeats, σ and parameters that it should have")
