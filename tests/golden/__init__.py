"""Digests of what must not change when code is rearranged: the rows of the tiny benchmark, and the report's tables.

A change that is meant to change a result writes them anew, and its message says why:

    python -m tests.golden rows results/tiny       after snakemake --cores 2 --config preset=tiny
    python -m tests.golden tables REPORT/tables    after hypercut report reference --out REPORT
"""

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

FOLDER = Path(__file__).parent
#: Columns that decide a row. Times and memory are measured; the other columns describe code, data and machine.
ROWS = [
    "parameters",
    "repeat",
    "sigma_factor",
    "status",
    "n_found",
    "nmi",
    "purity",
    "matched_accuracy",
    "ari",
    "labels",
]
#: The last digits of a float depend on the processor.
DIGITS = 9
_NUMBER = re.compile(r"-?\d+\.\d+(e-?\d+)?")


def rows(results: Path) -> dict[str, str]:
    """Return result → digest of its rows, labels included."""
    folder = results / "clusters"
    return {
        str(path.relative_to(folder).with_suffix("")): _digest(json.dumps(_rows(path)))
        for path in sorted(folder.glob("**/*.parquet"))
    }


def _rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a result, with clusters numbered as they appear: their order depends on the processor."""
    found: list[dict[str, Any]] = pq.read_table(path, columns=ROWS).to_pylist()
    return [{**row, "labels": _in_order(row["labels"] or [])} for row in found]


def _in_order(labels: list[int]) -> list[int]:
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return [numbers[label] for label in labels]


def tables(folder: Path) -> dict[str, str]:
    """Return table → digest of its CSV file."""
    return {path.stem: _digest(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.csv"))}


def _digest(text: str) -> str:
    rounded = _NUMBER.sub(lambda number: f"{float(number[0]):.{DIGITS}g}", text)
    return sha256(rounded.encode()).hexdigest()[:16]


def expected(name: str) -> dict[str, str]:
    """Return the recorded digests: of ``rows`` or ``tables``."""
    digests: dict[str, str] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return digests
