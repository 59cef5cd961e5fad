"""Writing files so that nobody ever sees half of one."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give the name of a file beside ``path`` to write to; it takes its place when all went well, and goes when not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_json(path: Path, content: Any) -> None:
    """Write JSON for people to read."""
    with written_whole(path) as part:
        part.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def canonical_json(content: Any) -> str:
    """Return JSON on one line, the same for equal content."""
    return json.dumps(content, sort_keys=True, ensure_ascii=False)
