"""The results of a benchmark: the file of each, whether it is current, and all rows in one table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from hypercut.benchmark.archived import sources
from hypercut.benchmark.config import LIMITS
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.recipe import difference, expected
from hypercut.benchmark.variations import Variation
from hypercut.errors import InputError, listed
from hypercut.results.archive import read_archive
from hypercut.results.rows import Origin, read_result
from hypercut.run.failures import Status


@dataclass(frozen=True)
class Stored:
    """A result of a benchmark: its rows, from the archive or its file, or the reason why it has none."""

    variation: Variation
    path: Path
    rows: pd.DataFrame | None = None
    origin: Origin = field(default_factory=dict)
    stale: str = ""
    """why it would be computed again: a difference of recipes, larger limits, or damage"""
    unavailable: bool = False
    """whether it is not in the archive and cannot be computed, since its data are not available"""

    @property
    def missing(self) -> bool:
        """Whether it has not been computed, although it can be."""
        return self.rows is None and not self.stale and not self.unavailable


def inspect(results: Path, benchmark: Benchmark) -> Iterator[Stored]:
    """Yield every result of a benchmark. Results of its archive are current; files are compared with their recipe."""
    layout = Layout(results)
    found = sources(benchmark)
    folder = Path(benchmark.config["archive"] or "")
    archived = read_archive(folder).by_key() if found.archived else {}
    for variation in benchmark.results():
        path = layout.result(variation)
        if variation in found.archived:
            yield Stored(variation, folder, *archived[variation.key])
        elif variation in found.unavailable:
            yield Stored(variation, path, unavailable=True)
        else:
            yield _inspect_file(benchmark, variation, path)


def _inspect_file(benchmark: Benchmark, variation: Variation, path: Path) -> Stored:
    if not path.exists():
        return Stored(variation, path)
    try:
        rows, origin = read_result(path)
    except InputError as error:
        return Stored(variation, path, stale=f"damaged ({error.__cause__})")
    if not benchmark.has_method(variation.algorithm):  # its results stay
        return Stored(variation, path, rows, origin)
    stale = difference(origin.get("recipe", {}), expected(benchmark, variation)) or _cut_short(benchmark, rows, origin)
    return Stored(variation, path, rows, origin, stale)


def _cut_short(benchmark: Benchmark, rows: pd.DataFrame, origin: Origin) -> str:
    """Return the limits that have grown since they cut clusterings of a result short; "" if there are none."""
    if not rows["status"].isin([Status.TIMEOUT, Status.SKIPPED]).any():
        return ""
    limits = {name: (origin["limits"][name], benchmark.config[name]) for name in LIMITS}
    return "; ".join(f"{name} was {old}, is {new}" for name, (old, new) in limits.items() if new > old)


def gather(results: Path, found: Sequence[Stored]) -> pd.DataFrame:
    """Return all rows; raise an error if a result is missing or stale."""
    missing = [file.path for file in found if file.missing]
    if missing:
        raise InputError(
            f"{missing[0]} is missing ({len(missing)} of {len(found)} result files are). "
            "Run the benchmark to its end, or build a partial report: hypercut report."
        )
    return pd.concat([rows for rows, _ in finished(results, found).values()], ignore_index=True)


def finished(results: Path, found: Sequence[Stored]) -> dict[str, tuple[pd.DataFrame, Origin]]:
    """Return rows and origin of all results by key; raise an error if a result is stale or there is none."""
    stale = [f"{file.path}: {file.stale}" for file in found if file.stale]
    if stale:
        raise InputError(
            listed(
                f"{len(stale)} of {len(found)} result files are stale:",
                stale,
                "Run the same command again to recompute what Snakemake knows has changed. If this message comes back, "
                f"run first: hypercut discard {results} --stale",
            )
        )
    return _current(results, found)


def gather_current(results: Path, found: Sequence[Stored]) -> pd.DataFrame:
    """Return the rows of all current results.

    Stale files stay in place until their jobs run again, so their rows are left out here.
    """
    return pd.concat([rows for rows, _ in _current(results, found).values()], ignore_index=True)


def _current(results: Path, found: Sequence[Stored]) -> dict[str, tuple[pd.DataFrame, Origin]]:
    current = {it.variation.key: (it.rows, it.origin) for it in found if it.rows is not None and not it.stale}
    if not current:
        raise InputError(f"{results} has no current results. Run the benchmark first.")
    return current
