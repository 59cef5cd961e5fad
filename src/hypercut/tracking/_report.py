"""What a sync has done, and the file that reports it."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hypercut.benchmark.layout import Layout
from hypercut.files import write_json

"""where the workflow has the report written, under the results"""


@dataclass
class SyncReport:
    """What a sync has done."""

    uri: str
    """without secrets"""
    prefix: str
    created: int = 0
    replaced: int = 0
    skipped: int = 0
    """runs that were up to date"""
    removed: int = 0
    """runs of results that are gone, runs left by an interrupted sync, duplicates of a concurrent one"""
    missing: int = 0
    """results that are expected but have no file"""
    seconds: float = 0.0
    links: dict[str, str] = field(default_factory=dict)
    """what a page of MLflow shows → its address, relative to the server's root"""

    def __str__(self) -> str:
        return (
            f"MLflow at {self.uri}: {self.created} runs created, {self.replaced} replaced, {self.skipped} unchanged, "
            f"{self.removed} removed, {self.missing} results missing; {self.seconds:.1f} s"
        )

    def write(self, path: Path) -> None:
        """Write as JSON, atomically."""
        write_json(path, asdict(self))


def links(results: Path) -> dict[str, str]:
    """The links of the last sync; empty if there is no report of one."""
    try:
        found = json.loads(Layout(results).tracking.read_text(encoding="utf-8"))["links"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return {str(name): str(link) for name, link in found.items()}
