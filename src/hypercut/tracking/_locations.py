"""Where the runs are kept: which store, and which folder of artifacts."""

import os
import re
from pathlib import Path

from hypercut.benchmark.layout import Layout
from hypercut.errors import InputError, redact_address

#: Experiments are called ``<prefix>/<dataset>``. Benchmarks with the same prefix share experiments, but no runs.
DEFAULT_PREFIX = "hypercut"

URI_VARIABLE = "MLFLOW_TRACKING_URI"

#: Variables set before MLflow is imported. Telemetry is off. Requests to a server that is down fail within seconds
#: instead of MLflow's default of minutes. The user's settings win, except for telemetry and secrets.
_ALWAYS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    # After each run MLflow would print its address, with the password if there is one in the URI.
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


#: What RFC 3986 allows before the ``@`` of an address.
_CREDENTIALS = r"[\w.~!$&'()*+,;=:%-]*"


class TrackingError(InputError):
    """The runs could not be written to MLflow; the result files are not affected."""


def tracking_uri(results: Path, given: str | None = None) -> str:
    """The store to use: the one given, else that of ``MLFLOW_TRACKING_URI``, else a database under the results."""
    uri = given or os.environ.get(URI_VARIABLE) or f"sqlite:///{Layout(results).database.resolve()}"
    scheme, _, rest = uri.partition("://")
    if scheme not in ("http", "https", "sqlite"):
        raise TrackingError(
            f"Expected http(s)://… (an MLflow server) or sqlite:///FILE as the tracking URI, found "
            f"{redact_address(uri)}. "
            f"Set --uri or {URI_VARIABLE}; use other databases through `mlflow server`, see docs/TRACKING.md."
        )
    if scheme != "sqlite" and not re.fullmatch(_CREDENTIALS, rest.rpartition("@")[0]):
        # MLflow and its libraries would take a part of it for a host or a path, and print that in their errors.
        raise TrackingError(
            f"{redact_address(uri)}: the user name or password contains characters that are not allowed in an "
            "address. Leave them out of it, and set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD instead."
        )
    return uri


def database_file(uri: str) -> Path | None:
    """The SQLite file of a URI; None for a server."""
    if not uri.startswith("sqlite:///"):
        return None
    return Path(uri.removeprefix("sqlite:///").partition("?")[0]).absolute()


def is_own_store(results: Path, uri: str) -> bool:
    """Whether a store is the default one of these results, so that all that hypercut wrote there is theirs."""
    database = database_file(uri)
    return database is not None and database.resolve() == Layout(results).database.resolve()


def artifact_folder(database: Path) -> Path:
    """Where the artifacts of a SQLite store are: beside the database, so that the two are moved together."""
    return Layout(database.parent).artifacts


def environment() -> dict[str, str]:
    """The variables for a process that runs MLflow."""
    return {**_UNLESS_SET, **os.environ, **_ALWAYS}


def prepare_environment() -> None:
    """Set the variables in this process. To be called before MLflow is imported."""
    os.environ.update(_ALWAYS)
    for name, value in _UNLESS_SET.items():
        os.environ.setdefault(name, value)
