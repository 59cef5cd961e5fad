"""An archive: the rows of a benchmark without labels, small enough for a repository.

``archive.json`` describes the benchmark and has the checksums of every result's recipe, of the files and of itself;
``rows/<dataset>.parquet`` has the rows, each with its origin as JSON; ``similarity.npz`` has the similarity matrices of
ORL. A benchmark whose configuration names the archive takes results from it (:mod:`hypercut.benchmark.archived`).

Scores, parameters and σ are exact, so a report has the same ties and choices of σ as one from the result files. To be
small, an archive leaves out ``labels``, ``solver`` and ``traceback``, which no table or figure needs, and rounds times,
memory and diagnostics.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from hypercut.benchmark.archived import CHECKSUM, FORMAT, INDEX, OLD_INDEX, digest, known_data, read_index
from hypercut.benchmark.config import checked
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.recipe import DATA, recipe
from hypercut.errors import InputError, listed
from hypercut.files import atomic_write, canonical_json, explain_write_errors, write_json
from hypercut.results.matrices import load_matrices, save_matrices
from hypercut.results.rows import (
    DIAGNOSTICS,
    ORIGIN_COLUMNS,
    RESULT_FILE,
    SCHEMA,
    Origin,
    ResultFile,
    check_rows,
    key_of,
    origin_columns,
    origin_difference,
)

#: The similarity matrices of ORL, in half precision.
SIMILARITY = "similarity.npz"

LEFT_OUT = ("labels", "solver", "traceback")
TIMES = ("wall_seconds", "cpu_seconds", "shared_seconds")
#: Rounded to single precision and :data:`ROUNDED_BITS`: times, and diagnostics except for the number of samples.
ROUNDED = (*TIMES, *DIAGNOSTICS[:-1])
#: Columns with almost as many values as rows. Others are stored as dictionaries.
MANY_VALUES = ("nmi", "ari", "ami", "neighbor_information", *ROUNDED)
#: Bits that the mantissa of a rounded number keeps.
ROUNDED_BITS = 12
#: Peak memory is rounded to this many bytes.
MEASURED_BYTES = 2**16
#: Facts about the gathering code and machine that an archive records each time results are added.
_CONTRIBUTION = ("created", "version", "commit", "dirty", "fingerprint", "machine")

#: The columns of ``rows/<dataset>.parquet``.
ARCHIVE_SCHEMA = pa.schema(
    [
        *(
            field.with_type(pa.float32()) if field.name in ROUNDED else field
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

    def origins(self) -> dict[ResultFile, Origin]:
        """Return the origin of each result."""
        found = self.rows.drop_duplicates(RESULT_FILE)
        names = found[RESULT_FILE].itertuples(index=False, name=None)
        return {name: json.loads(text) for name, text in zip(names, found["origin"], strict=True)}

    def by_key(self) -> dict[str, tuple[pd.DataFrame, Origin]]:
        """Return the rows of each result, as of a result file, and its origin."""
        groups, origins = self.table().groupby(RESULT_FILE, sort=False), self.origins()
        return {key_of(*names): (rows, origins[names]) for names, rows in groups}

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
    """Read an archive; raise an error if a checksum is wrong, or if rows or configuration are impossible."""
    index = read_index(folder)
    try:
        files = _checksums(folder)
        changed = sorted(name for name, _ in files.items() ^ index.get("files", files).items())
        if changed:
            raise ValueError(f"changed, missing or added: {', '.join(dict.fromkeys(changed))}")
        config = index["config"]
        if index["format"] == 1:
            config["readings"].pop("pairs", None)
            config["baselines"] = config.pop("references")
            if "usps465" in config["datasets"]:
                config["datasets"]["usps465"] |= {"part_of": "usps", "subset": 465, "resample": True}
        rows = pd.concat([_read_rows(folder / name) for name in files if name != SIMILARITY], ignore_index=True)
        archive = Archive(
            config=checked(config),
            datasets=index["datasets"],
            contributions=tuple(index["contributions"]),
            missing=frozenset(index["missing"]),
            rows=rows,
        )
        origins = archive.origins()
        check_rows(rows, origins)
        if index.get("recipes", {}).keys() ^ {key_of(*names) for names in origins} and index["format"] > 1:
            raise ValueError("its index has other results than its rows")
        return archive
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{folder} is damaged ({error}). Get it again, e.g. with git checkout.") from None


def _checksums(folder: Path) -> dict[str, str]:
    """Return the checksums of the files beside the index."""
    files = [*sorted(folder.glob("rows/*.parquet")), folder / SIMILARITY]
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in files if path.exists()}


def _read_rows(path: Path) -> pd.DataFrame:
    rows = pq.read_table(path, schema=ARCHIVE_SCHEMA).to_pandas()
    if set(rows["dataset"]) != {path.stem}:
        raise ValueError(f"{path.name} has rows of another dataset")
    rows["role"] = rows["role"].replace("reference", "baseline")  # of format 1
    return rows.astype(dict.fromkeys([*ROUNDED, "peak_bytes"], "float64"))


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Create a folder and lock it, waiting for another process. Some file systems have no locks."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def archive(
    results: Mapping[str, tuple[pd.DataFrame, Origin]],
    benchmark: Benchmark,
    run: Mapping[str, Any],
    folder: Path,
    *,
    similarity: Path | None = None,
    replace: bool = False,
) -> dict[str, int]:
    """Add the finished results of a benchmark to the archive in a folder, and create it if there is none.

    An archive never mixes versions: it is an error if an archived result of the same name has another recipe, or if the
    present code would not compute an archived result for the benchmark. With ``replace``, the new results replace the
    former, and the latter are dropped. ``run`` describes the gathering code and machine.

    Returns the number of results that were added, were archived already, were replaced, were dropped, and are missing.
    """
    with explain_write_errors(folder), _locked(folder):
        if not is_archive(folder) and any(folder.iterdir()):
            raise InputError(f"{folder} is neither an archive nor an empty folder. Choose another one.")
        old = read_archive(folder) if is_archive(folder) else None
        earlier = old.by_key() if old else {}
        conflicts = {
            key: reason
            for key in results.keys() & earlier.keys()
            if (reason := origin_difference(earlier[key][1], results[key][1]))
        }
        everything = {**results, **{key: found for key, found in earlier.items() if key not in conflicts}}
        common, outdated = benchmark, _outdated(benchmark, everything)
        if outdated and old is not None and not replace:  # a part of the archived benchmark
            archived = Benchmark(located(old.config, benchmark.config["data"]["root"]))
            if not _outdated(archived, everything):
                common, outdated = archived, {}
        if (conflicts or outdated) and not replace:
            raise InputError(_refusal(folder, {**conflicts, **outdated}))
        expected = [result.key for result in common.results()]
        kept = {key: everything[key] for key in expected if key in everything and key not in outdated}
        added = len(results.keys() - earlier.keys())
        contributions = old.contributions if old else ()
        if added or conflicts or outdated:
            facts = {name: run[name] for name in _CONTRIBUTION}
            contributions = (*contributions, {**facts, "results": added + len(conflicts)})
        index = {
            "format": FORMAT,
            "config": portable(common.config),
            "datasets": {**(old.datasets if old else {}), **without_places(run["datasets"])},
            "contributions": contributions,
            "missing": sorted(set(expected) - kept.keys()),
            "recipes": {key: digest(origin["recipe"]) for key, (_, origin) in kept.items()},
        }
        _write(folder, index, pd.concat([_compact(*found) for found in kept.values()], ignore_index=True), similarity)
    return {
        "added": added,
        "archived already": len(results) - added - len(conflicts),
        "replaced": len(conflicts),
        "dropped": len(outdated),
        "missing": len(expected) - len(kept),
    }


def _outdated(benchmark: Benchmark, results: Mapping[str, tuple[pd.DataFrame, Origin]]) -> dict[str, str]:
    """Return the results that the present code would not compute for a benchmark, each with the reason."""
    variations = {variation.key: variation for variation in benchmark.results()}
    found = dict.fromkeys(results.keys() - variations.keys(), "not part of the benchmark")
    for key in results.keys() & variations.keys():
        wanted = recipe(benchmark, variations[key])
        data = known_data(benchmark, variations[key].dataset)
        reasons = [origin_difference(results[key][1], {"recipe": {**wanted, DATA: known}}) for known in data]
        if all(reasons):
            found[key] = reasons[0]
    return found


def _refusal(folder: Path, reasons: Mapping[str, str]) -> str:
    return listed(
        f"{folder}: {len(reasons)} results have other code, data or settings than those archived, "
        "and an archive must not mix versions:",
        [f"{key}: {reason}" for key, reason in sorted(reasons.items())],
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
    """Return the configuration of an archive with the data folder of a machine."""
    found = portable(config)
    return {**found, "data": {**found["data"], "root": root}}


def _compact(rows: pd.DataFrame, origin: Origin) -> pd.DataFrame:
    """Return the rows of a result as an archive holds them."""
    rounded = {name: _keep_bits(rows[name]) for name in ROUNDED}
    peak = (rows["peak_bytes"].astype("float64") / MEASURED_BYTES).round() * MEASURED_BYTES
    return rows.assign(**rounded, peak_bytes=peak, origin=canonical_json(origin))[ARCHIVE_SCHEMA.names]


def _keep_bits(values: pd.Series) -> pd.Series:
    mantissa, exponent = np.frexp(values.astype("float64"))
    return np.ldexp(np.round(mantissa * 2**ROUNDED_BITS) / 2**ROUNDED_BITS, exponent)


def _write(folder: Path, index: Mapping[str, Any], rows: pd.DataFrame, similarity: Path | None) -> None:
    """Write an archive. All files are complete before the first one is renamed."""
    files = {name: checksum for name, checksum in _checksums(folder).items() if name == SIMILARITY}
    with ExitStack() as parts:
        # Entered first, renamed last.
        description = parts.enter_context(atomic_write(folder / INDEX))
        for dataset, found in rows.groupby("dataset", sort=False):
            name = f"rows/{dataset}.parquet"
            part = parts.enter_context(atomic_write(folder / name))
            _write_rows(part, found)
            files[name] = sha256(part.read_bytes()).hexdigest()
        if similarity is not None:
            part = parts.enter_context(atomic_write(folder / SIMILARITY))
            save_matrices(part, load_matrices(similarity), compact=True)
            files[SIMILARITY] = sha256(part.read_bytes()).hexdigest()
        content = json.loads(canonical_json({**index, "files": files}))
        write_json(description, {**content, CHECKSUM: digest(content)})
    for path in (folder / "rows").glob("*.parquet"):
        if f"rows/{path.name}" not in files:
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
        # The bytes of a float are stored separately, since exponents compress and digits do not.
        column_encoding=dict.fromkeys(MANY_VALUES, "BYTE_STREAM_SPLIT"),
        write_statistics=False,
    )
