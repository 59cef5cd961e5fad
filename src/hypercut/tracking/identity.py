"""The id of a benchmark, which distinguishes its runs from those of other benchmarks in the same store."""

import re
import uuid
from pathlib import Path

from hypercut.benchmark.layout import Layout
from hypercut.errors import InputError
from hypercut.files import atomic_write, explain_write_errors
from hypercut.tracking.lock import database_lock


def benchmark_id(results: Path) -> str:
    """Return the id of the benchmark in a results folder; the first sync creates it."""
    path = Layout(results).benchmark_id
    if not path.exists():
        # Two first syncs at once must use the same id.
        with explain_write_errors(results), database_lock(Layout(results).database):
            if not path.exists():
                with atomic_write(path) as part:
                    part.write_text(f"{uuid.uuid4().hex}\n", encoding="utf-8")
    found = path.read_text(encoding="utf-8", errors="replace").strip()
    if not re.fullmatch("[0-9a-f]{32}", found):
        raise InputError(
            f"{path}: expected the id of a benchmark, 32 hexadecimal digits. Restore the file, or delete it to track "
            "the results as a new benchmark; the runs of the old one then stay in MLflow."
        )
    return found
