"""All rows of a benchmark in one table: of every result file, or of those that are current."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.staleness import inspect
from hypercut.errors import InputError

#: How many stale files an error lists.
SHOWN = 10


def gather(results: Path, benchmark: Benchmark) -> pd.DataFrame:
    """Return the rows of every result file, without labels; raise an error if a file is missing or stale."""
    found = list(inspect(results, benchmark))
    missing = [file.path for file in found if file.missing]
    if missing:
        raise InputError(
            f"{missing[0]} is missing ({len(missing)} of {len(found)} result files are). "
            "Run the benchmark to its end, or build a partial report: hypercut report."
        )
    stale = [f"  {file.path}: {file.stale}" for file in found if file.stale]
    if stale:
        lines = [
            f"{len(stale)} of {len(found)} result files are stale: computed by other code, from other data or with "
            "another configuration.",
            *stale[:SHOWN],
            *([f"  and {len(stale) - SHOWN} more"] if len(stale) > SHOWN else []),
            "Run the same command again to recompute what Snakemake knows has changed. If this message comes back, run "
            f"first: hypercut discard {results} --stale",
        ]
        raise InputError("\n".join(lines))
    return pd.concat([file.rows for file in found], ignore_index=True)


def gather_current(
    results: Path, benchmark: Benchmark, datasets: Mapping[str, Mapping[str, Any]]
) -> tuple[pd.DataFrame, list[dict[str, str]]]:
    """Return the rows of all files that exist and are current, and the names and reason of each stale file.

    Old files stay in place until their jobs have run again; their rows must not pass for present results.
    """
    found = list(inspect(results, benchmark, datasets))
    tables = [file.rows for file in found if file.rows is not None and not file.stale]
    stale = [{**file.variation.names, "reason": file.stale} for file in found if file.stale]
    if not tables:
        reason = (
            f"all {len(stale)} result files there are stale ({stale[0]['reason']})" if stale else "there are no results"
        )
        raise InputError(f"{results}: {reason}. Run the benchmark first.")
    return pd.concat(tables, ignore_index=True), stale
