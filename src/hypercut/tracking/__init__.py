"""MLflow as an index of the result files, which :func:`sync` keeps up to date.

The files are the truth. Every run in MLflow carries the id of its benchmark and a key, the hash of its content. A sync
keeps runs with the right key, replaces others, and removes runs whose result file is gone: of its own benchmark alone.
See docs/TRACKING.md.

MLflow takes seconds to import, so it is imported only when a store is opened.
"""

from collections.abc import Mapping
from pathlib import Path

from hypercut.tracking._locations import (
    DEFAULT_PREFIX,
    TrackingError,
    artifact_folder,
    environment,
    tracking_uri,
)
from hypercut.tracking._report import SyncReport, links

__all__ = [
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
    """Make the runs of this benchmark in MLflow agree with its results: all that ``run.json`` expects and has a file.

    A run is marked as finished last. Whatever stops a sync, the next one completes it; two at once leave one run each.
    ``headline`` has figures of the report, logged as its metrics. Runs of other benchmarks are not touched.

    Raises :class:`TrackingError` if the store cannot be reached or fails.
    """
    from hypercut.tracking._sync import synchronise

    return synchronise(results, uri, prefix, headline or {}, figures)
