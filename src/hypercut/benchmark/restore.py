"""Putting the rows of a reference back in place as result files (:mod:`hypercut.benchmark.reference`)."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from hypercut.benchmark.archive import Results, located, outdated_results
from hypercut.benchmark.design import Benchmark, load_benchmark
from hypercut.benchmark.gather import SHOWN
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.provenance import Origin
from hypercut.benchmark.record import describe_datasets
from hypercut.benchmark.reference import read_reference, restored_columns
from hypercut.benchmark.restored import read_record, write_record
from hypercut.benchmark.rows import SCHEMA, ResultFile, write_rows
from hypercut.benchmark.staleness import inspect, is_available, result_digest, stale_features
from hypercut.data.manifest import DEFAULT_ROOT
from hypercut.files import atomic_write, explain_write_errors

_SCHEMA = pa.schema([field for field in SCHEMA if field.name != "labels"])


@dataclass(frozen=True)
class Restored:
    """The result of :func:`restore`."""

    restored: int
    kept: int
    """results that were there already"""
    not_restored: Mapping[ResultFile, str]
    """with the reason"""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.restored} result files restored, without labels; {self.kept} were there already."
        reasons = Counter(self.not_restored.values())
        if reasons:
            yield f"{len(self.not_restored)} not restored, since they would be computed differently now:"
            for reason, count in reasons.most_common(SHOWN):
                datasets = sorted({key[0] for key, given in self.not_restored.items() if given == reason})
                yield f"  {count} × {reason}: {', '.join(datasets)}"
            if len(reasons) > SHOWN:
                yield f"  and {len(reasons) - SHOWN} more reasons"


def restore(folder: Path, results: Path) -> Restored:
    """Write the current results of a reference into a results folder, unless they were computed there.

    A result is current if the present code would compute it from the same data with the settings of the reference. The
    workflow compares the settings with its own configuration when it runs.
    """
    reference = read_reference(folder)
    layout = Layout(results)
    benchmark = Benchmark(located(reference.config, _data_root(layout)))
    archived: Results = {key: rows for key, rows, _ in reference.results()}
    datasets = {**reference.datasets, **_present_data(results, benchmark)}
    outdated = outdated_results(benchmark, archived, datasets)
    outdated |= {
        key: "its method is not available here"
        for key in archived.keys() - outdated.keys()
        if not is_available(benchmark, key[2])
    }
    current = {key: rows for key, rows in archived.items() if key not in outdated}
    kept = _kept(layout)
    wanted = {key: rows for key, rows in current.items() if layout.of(_variation(benchmark, key)) not in kept}
    with explain_write_errors(results):
        _write(layout, benchmark, wanted)
    return Restored(len(wanted), len(current) - len(wanted), outdated)


def _variation(benchmark: Benchmark, key: ResultFile) -> Any:
    dataset, setting, algorithm, name = key
    if name:
        return benchmark.variation(dataset, setting, name, algorithm)
    return benchmark.cell(dataset, setting, algorithm)


def _data_root(layout: Layout) -> str:
    """Return the data folder of the benchmark in a results folder, or the default."""
    return str(load_benchmark(layout.root).config["data"]["root"]) if layout.config.exists() else str(DEFAULT_ROOT)


def _present_data(results: Path, benchmark: Benchmark) -> dict[str, Mapping[str, Any]]:
    """Return the descriptions of those features in a results folder that are current."""
    described = describe_datasets(results, benchmark)
    return {name: facts for name, facts in described.items() if not list(stale_features(facts, benchmark, name))}


def _kept(layout: Layout) -> set[Path]:
    """Return the result files that stay: computed here, unless they are known to be stale."""
    record = read_record(layout)
    copies = {
        path
        for name, (_, size) in record.items()
        if (path := layout.root / name).is_file() and path.stat().st_size == size
    }
    there = {*layout.root.glob("clusters/*/*/*.parquet"), *layout.root.glob("variations/*/*/*/*.parquet")}
    stale: set[Path] = set()
    if layout.config.exists() and there - copies:
        stale = {file.path for file in inspect(layout.root, load_benchmark(layout.root)) if file.stale}
    return there - copies - stale


def _write(layout: Layout, benchmark: Benchmark, results: Results) -> None:
    """Write result files and their record. All files are complete, and recorded, before the first takes its place."""
    record = read_record(layout)
    with ExitStack() as files:
        for key, rows in results.items():
            variation = _variation(benchmark, key)
            path = layout.of(variation)
            part = files.enter_context(atomic_write(path))
            table = pa.Table.from_pandas(restored_columns(rows), schema=_SCHEMA, preserve_index=False)
            write_rows(part, table.to_pylist(), Origin.from_json(rows["origin"].iloc[0]))
            record[str(path.relative_to(layout.root))] = result_digest(benchmark, variation), part.stat().st_size
        write_record(layout, record)
