"""MLflow as an index of the result files: :func:`sync` makes it show what they hold, and nothing else.

The files stay the truth. Every run in MLflow carries a key, the hash of what it was made from: the same key is left
alone, another is replaced, and what has no file any more is removed. See docs/TRACKING.md.

MLflow takes seconds to import, so it is imported when a store is opened, and nowhere else in hypercut.
"""

from hypercut.tracking._locations import DEFAULT_PREFIX, TrackingError, redact, tracking_uri
from hypercut.tracking._sync import SyncReport, sync

__all__ = ["DEFAULT_PREFIX", "SyncReport", "TrackingError", "redact", "sync", "tracking_uri"]
