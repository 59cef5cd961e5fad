"""Which result files were restored from a reference rather than computed here: ``restored.json``.

Snakemake has no records of restored files: it would not notice that their code has changed, and it would run their jobs
as soon as their inputs are computed for another job. So these jobs have no inputs as long as the file is *current*:
unchanged, and with the digest (:func:`hypercut.benchmark.staleness.result_digest`) that a result computed now would
have. Otherwise the workflow deletes the file, and its job runs like any other.

The digest does not cover raw data. The rule that gathers all rows compares these.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.staleness import is_available, result_digest
from hypercut.errors import InputError
from hypercut.files import write_json

Record = dict[str, tuple[str, int]]
"""path below the results folder → digest and number of bytes"""


def read_record(layout: Layout) -> Record:
    """Return the record; an empty one if nothing was restored."""
    try:
        content = json.loads(layout.restored.read_text(encoding="utf-8"))
        return {str(name): (str(digest), int(size)) for name, (digest, size) in content.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise InputError(
            f"{layout.restored} is damaged ({error!r}). Delete it and restore again: hypercut restore."
        ) from None


def write_record(layout: Layout, record: Mapping[str, tuple[str, int]]) -> None:
    """Write the record."""
    write_json(layout.restored, record)


def split_restored(layout: Layout, benchmark: Benchmark) -> tuple[set[Path], set[Path]]:
    """Return the restored files of a benchmark that are current, and those that are outdated.

    A file that has been computed since, which has labels and so another size, is neither.
    """
    record = read_record(layout)
    current: set[Path] = set()
    outdated: set[Path] = set()
    if not record:
        return current, outdated
    for variation in benchmark.results():
        path = layout.of(variation)
        digest, size = record.get(str(path.relative_to(layout.root)), ("", -1))
        if digest and path.is_file() and path.stat().st_size == size:
            known = is_available(benchmark, variation.algorithm)
            is_current = known and result_digest(benchmark, variation) == digest
            (current if is_current else outdated).add(path)
    return current, outdated
