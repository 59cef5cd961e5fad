"""An archive: the rows of a benchmark without labels, small enough for a repository.

``archive.json`` describes the benchmark and has the checksum of every result's recipe, ``rows/<dataset>.parquet`` has
the rows, each with its origin as JSON, and ``similarity.npz`` the similarity matrices of ORL. A benchmark whose
configuration names the archive takes results from it (:mod:`hypercut.benchmark.archived`).

Scores, parameters and σ are exact, so that ties and choices of σ in a report are those of the result files. To be
small, an archive leaves out ``labels``, ``solver`` and ``traceback``, which no table or figure needs, and rounds times,
memory and diagnostics, with an error below 0.1 %.
"""

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from hypercut.benchmark.archived import INDEX, OLD_INDEX, digest, known_data, read_index
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.recipe import DATA, difference, recipe
from hypercut.errors import InputError, listed
from hypercut.files import atomic_write, canonical_json, explain_write_errors, write_json
from hypercut.results.matrices import load_matrices, save_matrices
from hypercut.results.rows import DIAGNOSTICS, ORIGIN_COLUMNS, RESULT_FILE, SCHEMA, Origin, key_of, origin_columns

#: The similarity matrices of ORL, in half precision.
SIMILARITY = "similarity.npz"
#: Of the files; a reader refuses later ones. Results of format 1, of hypercut 1.0, have no recipes.
FORMAT = 2

LEFT_OUT = ("labels", "solver", "traceback")
#: Rounded to single precision and :data:`MEASURED_BITS`: times, and diagnostics except for the number of samples.
MEASURED = ("wall_seconds", "cpu_seconds", "shared_seconds", *DIAGNOSTICS[:-1])
#: Columns with almost as many values as rows. Others are stored as dictionaries.
MANY_VALUES = ("nmi", "ari", "ami", "neighbor_information", *MEASURED)
#: Bits that the mantissa of a rounded number keeps.
MEASURED_BITS = 12
#: Peak memory is rounded to this many bytes.
MEASURED_BYTES = 2**16
#: Facts about the gathering code and machine that an archive records each time results are added.
_CONTRIBUTION = ("created", "version", "commit", "dirty", "fingerprint", "machine")

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
class Archive:
    """The content of an archive."""

    config: Mapping[str, Any]
    """of the benchmark, without paths of the machine"""
    datasets: Mapping[str, Mapping[str, Any]]
    """descriptions (:func:`hypercut.results.record.describe_datasets`)"""
    contributions: tuple[Mapping[str, Any], ...]
    """date, version, commit and machine of each time that results were added, with their number"""
    missing: frozenset[str]
    """keys of results that the benchmark includes and the archive lacks"""
    rows: pd.DataFrame
    """the columns of ARCHIVE_SCHEMA, in the types of result files"""

    def table(self) -> pd.DataFrame:
        """Return all rows with the columns of the aggregated table."""
        number, texts = pd.factorize(self.rows["origin"])
        origins = pd.DataFrame([origin_columns(json.loads(text)) for text in texts])[list(ORIGIN_COLUMNS)]
        columns = [name for name in SCHEMA.names if name != "labels"]
        rows = self.rows.assign(**{name: None for name in LEFT_OUT if name != "labels"})[columns]
        return rows.join(origins.take(number).set_axis(rows.index))

    def by_key(self) -> dict[str, tuple[pd.DataFrame, Origin]]:
        """Return the rows of each result, as of a result file, and its origin."""
        table, origins = self.table(), self.rows["origin"]
        groups = table.groupby(RESULT_FILE, sort=False)
        return {key_of(*names): (rows, json.loads(origins.loc[rows.index[0]])) for names, rows in groups}

    def describe(self) -> dict[str, Any]:
        """Return the description of the run for a report, see :func:`hypercut.report.build.build_report`."""
        names = [tuple(names) for names in self.rows[RESULT_FILE].drop_duplicates().itertuples(index=False, name=None)]
        absent = [key.split("/") for key in sorted(self.missing)]
        cells = [list(name[:3]) for name in names if not name[3]] + [key for key in absent if len(key) == 3]
        variations = [[d, s, v, a] for d, s, a, v in names if v] + [key for key in absent if len(key) == 4]
        return {
            **self.contributions[-1],
            "config": self.config,
            "datasets": self.datasets,
            "expected": {"cells": cells, "variations": variations},
        }


def is_archive(folder: Path) -> bool:
    """Return whether a folder holds an archive."""
    return any((folder / name).is_file() for name in (INDEX, OLD_INDEX))


def read_archive(folder: Path) -> Archive:
    """Read an archive."""
    index = read_index(folder)
    try:
        if index["format"] > FORMAT:
            raise InputError(f"{folder}: written by a later version of hypercut. Update hypercut.")
        if index["format"] == 1:
            index["config"]["readings"].pop("pairs", None)
            index["config"]["baselines"] = index["config"].pop("references")
        rows = [_read_rows(file) for file in sorted((folder / "rows").glob("*.parquet"))]
        return Archive(
            config=index["config"],
            datasets=index["datasets"],
            contributions=tuple(index["contributions"]),
            missing=frozenset(index["missing"]),
            rows=pd.concat(rows, ignore_index=True),
        )
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{folder} is damaged ({error!r}). Get it again, e.g. with git checkout.") from None


def _read_rows(path: Path) -> pd.DataFrame:
    rows = pq.read_table(path, schema=ARCHIVE_SCHEMA).to_pandas()
    rows["role"] = rows["role"].replace("reference", "baseline")  # of format 1
    return rows.astype(dict.fromkeys([*MEASURED, "peak_bytes"], "float64"))


@dataclass(frozen=True)
class Added:
    """The outcome of :func:`archive`: the results that were added, were there already, were replaced or dropped."""

    added: int
    equal: int
    replaced: int
    dropped: int
    missing: int
    """of the benchmark, afterwards"""

    def __str__(self) -> str:
        parts = [f"{self.added} result files added"]
        parts += [f"{count} {what}" for what, count in vars(self).items() if count and what not in ("added", "equal")]
        parts += [f"{self.equal} were there already"] if self.equal else []
        return ", ".join(parts)


def archive(
    results: Mapping[str, tuple[pd.DataFrame, Origin]],
    benchmark: Benchmark,
    run: Mapping[str, Any],
    folder: Path,
    *,
    similarity: Path | None = None,
    replace: bool = False,
) -> Added:
    """Add the finished results of a benchmark to the archive in a folder, and create it if there is none.

    An archive never mixes versions: it is an error if an archived result of the same name has another recipe, or if the
    benchmark, as it would be computed now, does not include an archived result. With ``replace``, the new results
    replace the former, and the latter are dropped. ``run`` describes the gathering code and machine.
    """
    if folder.exists() and not is_archive(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is neither an archive nor an empty folder. Choose another one.")
    old = read_archive(folder) if is_archive(folder) else None
    earlier = old.by_key() if old else {}
    conflicts = {
        key: reason
        for key in results.keys() & earlier.keys()
        if (reason := _difference(earlier[key][1], results[key][1]))
    }
    everything = {**results, **{key: found for key, found in earlier.items() if key not in conflicts}}
    common, outdated = _common_benchmark(benchmark, None if replace else old, everything)
    if (conflicts or outdated) and not replace:
        raise InputError(_refusal(folder, {**conflicts, **outdated}))
    expected = [result.key for result in common.results()]
    kept = [key for key in expected if key in everything and key not in outdated]
    missing = frozenset(expected) - set(kept)
    added = len(results.keys() - earlier.keys())
    contribution = {**{name: run[name] for name in _CONTRIBUTION}, "results": added + len(conflicts)}
    if old is None or added or conflicts or outdated:
        merged = Archive(
            config=portable(common.config),
            datasets={**(old.datasets if old else {}), **without_places(run["datasets"])},
            contributions=(*(old.contributions if old else ()), contribution),
            missing=missing,
            rows=pd.concat([_compact(*everything[key]) for key in kept], ignore_index=True),
        )
        _write(folder, merged, {key: everything[key][1] for key in kept})
    if similarity is not None:
        save_matrices(folder / SIMILARITY, load_matrices(similarity), compact=True)
    return Added(added, len(results) - added - len(conflicts), len(conflicts), len(outdated), len(missing))


def _difference(archived: Origin, computed: Origin) -> str:
    if "recipe" not in archived:
        return "archived by hypercut 1.0, without a recipe"
    return difference(archived["recipe"], computed["recipe"])


def _common_benchmark(
    benchmark: Benchmark, old: Archive | None, results: Mapping[str, tuple[pd.DataFrame, Origin]]
) -> tuple[Benchmark, dict[str, str]]:
    """Return a benchmark that includes all results, and the results that are outdated under it, with the reason.

    This is the benchmark of the new results, or the archived one if that is larger and includes the new results.
    """
    outdated = _outdated(benchmark, results)
    if old is not None:
        archived = Benchmark(located(old.config, benchmark.config["data"]["root"]))
        is_larger = len(list(archived.results())) > len(list(benchmark.results()))
        if (outdated or is_larger) and not _outdated(archived, results):
            return archived, {}
    return benchmark, outdated


def _outdated(benchmark: Benchmark, results: Mapping[str, tuple[pd.DataFrame, Origin]]) -> dict[str, str]:
    """Return the results that the present code would not compute for a benchmark, each with the reason."""
    variations = {variation.key: variation for variation in benchmark.results()}
    found = {}
    for key, (_, origin) in results.items():
        if key not in variations:
            found[key] = "not part of the benchmark"
            continue
        wanted = recipe(benchmark, variations[key])
        reasons = [
            _difference(origin, {"recipe": {**wanted, DATA: data}})
            for data in known_data(benchmark, variations[key].dataset)
        ]
        if all(reasons):
            found[key] = reasons[0]
    return found


def _refusal(folder: Path, reasons: Mapping[str, str]) -> str:
    return listed(
        f"{folder}: {len(reasons)} results have other code, data or settings than those archived, "
        "and an archive must not mix versions:",
        [f"{key}: {reason}" for key, reason in reasons.items()],
        "Archive into another folder, or replace the archived results with --replace, which drops outdated ones.",
    )


def without_places(datasets: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return descriptions of datasets without the folder or address of a user's mirror."""
    return {
        name: {**facts, "source": "mirror" if str(facts["source"]).startswith("mirror ") else facts["source"]}
        for name, facts in datasets.items()
    }


def portable(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration without folders and addresses of a machine."""
    data = {**config["data"], "root": "data", "mirror": None}
    kept = {name: value for name, value in config.items() if name not in ("tracking", "preset")}
    return {**kept, "results": "results", "data": data, "archive": None}


def located(config: Mapping[str, Any], root: str) -> dict[str, Any]:
    """Return a portable configuration with the data folder of a machine."""
    return {**config, "data": {**config["data"], "root": root}}


def _compact(rows: pd.DataFrame, origin: Origin) -> pd.DataFrame:
    """Return the rows of a result as an archive holds them."""
    measured = {name: _keep_bits(rows[name]) for name in MEASURED}
    peak = (rows["peak_bytes"].astype("float64") / MEASURED_BYTES).round() * MEASURED_BYTES
    return rows.assign(**measured, peak_bytes=peak, origin=canonical_json(origin))[ARCHIVE_SCHEMA.names]


def _keep_bits(values: pd.Series) -> pd.Series:
    mantissa, exponent = np.frexp(values.astype("float64"))
    return np.ldexp(np.round(mantissa * 2**MEASURED_BITS) / 2**MEASURED_BITS, exponent)


def _write(folder: Path, content: Archive, origins: Mapping[str, Origin]) -> None:
    """Write an archive. All files are complete before the first one takes its place."""
    index = {
        "format": FORMAT,
        "config": content.config,
        "datasets": content.datasets,
        "contributions": content.contributions,
        "missing": sorted(content.missing),
        "recipes": {key: digest(origin["recipe"]) for key, origin in origins.items()},
    }
    with explain_write_errors(folder), ExitStack() as files:
        # Entered first, renamed last.
        description = files.enter_context(atomic_write(folder / INDEX))
        for dataset, rows in content.rows.groupby("dataset", sort=False):
            _write_rows(files.enter_context(atomic_write(folder / "rows" / f"{dataset}.parquet")), rows)
        write_json(description, index)
    for path in (folder / "rows").glob("*.parquet"):
        if path.stem not in set(content.rows["dataset"]):
            path.unlink()
    (folder / OLD_INDEX).unlink(missing_ok=True)


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
