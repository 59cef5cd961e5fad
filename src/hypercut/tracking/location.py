"""Where the runs are: the store, its artifact folder, links to MLflow's pages; and the id of their benchmark."""

import json
import os
import re
import uuid
from pathlib import Path

from hypercut.benchmark.layout import Layout
from hypercut.errors import InputError, redact_address
from hypercut.files import atomic_write, explain_write_errors
from hypercut.tracking.lock import database_lock

#: Experiments are called ``<prefix>/<dataset>``. Benchmarks with the same prefix share experiments, but no runs.
DEFAULT_PREFIX = "hypercut"

URI_VARIABLE = "MLFLOW_TRACKING_URI"

#: Variables set before MLflow is imported. Telemetry is off. Requests to a server that is down fail within seconds
#: instead of MLflow's default of minutes. The user's settings win, except for telemetry and secrets.
_ALWAYS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    # After each run MLflow would print its address, including a password in the URI.
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
}
_UNLESS_SET = {
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "3",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "MLFLOW_HTTP_REQUEST_BACKOFF_JITTER": "0.2",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
    "MLFLOW_LOGGING_LEVEL": "WARNING",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "GIT_PYTHON_REFRESH": "quiet",
}

#: The characters that RFC 3986 allows before the ``@`` of an address.
_CREDENTIALS = r"[\w.~!$&'()*+,;=:%-]*"


class TrackingError(InputError):
    """The runs could not be written to MLflow; the result files are not affected."""


def tracking_uri(results: Path, given: str | None = None) -> str:
    """Return the store to use: the given one, else ``MLFLOW_TRACKING_URI``, else a database in the results folder."""
    uri = given or os.environ.get(URI_VARIABLE) or f"sqlite:///{Layout(results).database.resolve()}"
    scheme, _, rest = uri.partition("://")
    if scheme not in ("http", "https", "sqlite"):
        raise TrackingError(
            f"Expected http(s)://… (an MLflow server) or sqlite:///FILE as the tracking URI, found "
            f"{redact_address(uri)}. "
            f"Set --uri or {URI_VARIABLE}; use other databases through `mlflow server`, see docs/TRACKING.md."
        )
    if scheme != "sqlite" and not re.fullmatch(_CREDENTIALS, rest.rpartition("@")[0]):
        # MLflow and its libraries would parse a part of it as a host or a path, and print that in their errors.
        raise TrackingError(
            f"{redact_address(uri)}: the user name or password contains characters that are not allowed in an "
            "address. Remove both from it, and set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD instead."
        )
    return uri


def database_file(uri: str) -> Path | None:
    """Return the SQLite file of a URI; None for a server."""
    if not uri.startswith("sqlite:///"):
        return None
    return Path(uri.removeprefix("sqlite:///").partition("?")[0]).absolute()


def is_default_store(results: Path, uri: str) -> bool:
    """Return whether a store is the default one of these results, which no other benchmark writes to."""
    database = database_file(uri)
    return database is not None and database.resolve() == Layout(results).database.resolve()


def artifact_folder(database: Path) -> Path:
    """Return the artifact folder of a SQLite store, next to the database so that both move together."""
    return Layout(database.parent).artifacts


def environment() -> dict[str, str]:
    """Return the environment for a process that runs MLflow."""
    return {**_UNLESS_SET, **os.environ, **_ALWAYS}


def pages(results: Path) -> tuple[str, dict[str, str]]:
    """Return the links of the last sync: to the overview, and name → link of the others; empty if there are none."""
    try:
        report = json.loads(Layout(results).tracking.read_text(encoding="utf-8"))
        return str(report.get("overview", "")), {str(name): str(link) for name, link in report["links"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "", {}


def benchmark_id(results: Path) -> str:
    """Return the id that tells the runs of a benchmark from others in the store; the first sync creates it."""
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
