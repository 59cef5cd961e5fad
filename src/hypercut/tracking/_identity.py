"""The id of a benchmark: it tells the runs of one results folder from those of others in the same store."""

import os
import re
import uuid
from pathlib import Path

from hypercut.benchmark.layout import Layout
from hypercut.errors import InputError

"""under the results: moved and copied with them, and kept by every rerun"""


def benchmark_id(results: Path) -> str:
    """Return the id of the benchmark in a results folder, which is created by its first sync."""
    path = Layout(results).benchmark_id
    if not path.exists():
        _create(path)
    found = path.read_text(encoding="utf-8", errors="replace").strip()
    if not re.fullmatch("[0-9a-f]{32}", found):
        raise InputError(
            f"{path}: expected the id of a benchmark, 32 hexadecimal digits. Restore the file, or delete it to have "
            "the results tracked as a new benchmark: the runs of the old one then stay in MLflow."
        )
    return found


def _create(path: Path) -> None:
    """Write a new id, unless another process has been faster: two syncs at once must use the same one."""
    content = f"{uuid.uuid4().hex}\n"
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(content, encoding="utf-8")
        try:
            os.link(part, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without hard links
            _create_without_links(path, content)
    except OSError as error:
        raise InputError(
            f"{path} could not be written: {error.strerror or error}. Make {path.parent} writable."
        ) from None
    finally:
        part.unlink(missing_ok=True)


def _create_without_links(path: Path, content: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(content)
    except FileExistsError:
        pass
