"""MLflow as an index of the result files: :func:`sync` makes it show what they hold, and nothing else.

The files stay the truth. Every run in MLflow carries a key, the hash of what it was made from: the same key is left
alone, another is replaced, and what has no file any more is removed. See docs/TRACKING.md.

MLflow takes seconds to import, so it is imported when a store is opened, and nowhere else in hypercut.
"""

from collections.abc import Mapping
from pathlib import Path

from hypercut.tracking._locations import (
    DATABASE,
    DEFAULT_PREFIX,
    TrackingError,
    artifact_folder,
    environment,
    tracking_uri,
)
from hypercut.tracking._report import SyncReport, links

__all__ = [
    "DATABASE",
    "DEFAULT_PREFIX",
    "SyncReport",
    "TrackingError",
    "artifact_folder",
    "environment",
    "links",
    "sync",
    "tracking_uri",
]


def sync(
    results: Path,
    uri: str,
    *,
    prefix: str = DEFAULT_PREFIX,
    headline: Mapping[str, float] | None = None,
    figures: bool = True,
) -> SyncReport:
    """Make MLflow show the results: all that ``run.json`` expects and that has a file, and nothing else.

    Runs are written one after the other and marked as finished last. Whatever stops a sync, the next one completes it;
    two at once end with one run each. ``headline`` are figures of the report, logged as metrics beside it.

    Raises :class:`TrackingError` if the store cannot be reached, or fails on the way.
    """
    from hypercut.tracking._sync import synchronise

    return synchronise(results, uri, prefix, headline or {}, figures)
