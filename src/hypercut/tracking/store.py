"""The MLflow store: its address, the lock of a sync, and the operations that a sync needs."""

import logging
import os
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from hypercut.benchmark.layout import Layout
from hypercut.errors import InputError, not_installed, redact, redact_address
from hypercut.files import atomic_write

if TYPE_CHECKING:  # imports pandas, which `hypercut ui` does not need
    from hypercut.tracking.content import Run

URI_VARIABLE = "MLFLOW_TRACKING_URI"

#: Variables set before MLflow is imported. Telemetry is off. Requests to a server that is down fail within seconds
#: instead of minutes, MLflow's default. The user's settings have precedence, except for telemetry and secrets.
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

#: Artifacts of a SQLite store have addresses with this scheme, relative to a folder that the server gets when it
#: starts. MLflow's default, absolute paths, would break when the results folder is moved or copied.
RELATIVE = "mlflow-artifacts:/"

#: MLflow accepts 1000 metrics in one request.
METRICS_PER_REQUEST = 500

TEXT_LIMIT = 6000
"""maximum length of a parameter in MLflow, which cuts longer ones"""

#: Runs that are written to a server at once; SQLite allows one writer.
WRITERS = 4

_log = logging.getLogger(__name__)


class TrackingError(InputError):
    """The runs could not be written to MLflow; the result files are not affected."""


def tracking_uri(results: Path, given: str | None = None) -> str:
    """Return the store to use: the given one, else ``MLFLOW_TRACKING_URI``, else a database in the results folder."""
    uri = given or os.environ.get(URI_VARIABLE) or sqlite_uri(Layout(results).database)
    scheme, _, rest = uri.partition("://")
    if scheme not in ("http", "https", "sqlite"):
        raise TrackingError(
            f"Expected http(s)://… (an MLflow server) or sqlite:///FILE as the tracking URI, found "
            f"{redact_address(uri)}. "
            f"Set --uri or {URI_VARIABLE}; use other databases through `mlflow server`, see docs/tracking.md."
        )
    if scheme != "sqlite" and not re.fullmatch(_CREDENTIALS, rest.rpartition("@")[0]):
        # MLflow and its libraries would parse a part of it as a host or a path, and print that in their errors.
        raise TrackingError(
            f"{redact_address(uri)}: the user name or password contains characters that are not allowed in an "
            "address. Remove both from it, and set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD instead."
        )
    return uri


def sqlite_uri(database: Path) -> str:
    """Return the address of a SQLite database."""
    path = str(database.resolve())
    if "?" in path:  # would begin the options of the address, where no character can be escaped
        path = os.path.relpath(path)
    if "?" in path:
        raise TrackingError(f"{path}: MLflow cannot open a database with '?' in its path. Rename the folder.")
    return f"sqlite:///{path}"


def database_file(uri: str) -> Path | None:
    """Return the SQLite file of a URI; None for a server."""
    if not uri.startswith("sqlite:///"):
        return None
    return Path(uri.removeprefix("sqlite:///").partition("?")[0]).resolve()


def artifact_folder(database: Path) -> Path:
    """Return the artifact folder of a SQLite store, next to the database so that both move together."""
    return Layout(database.parent).artifacts


def environment() -> dict[str, str]:
    """Return the environment for a process that runs MLflow."""
    return {**_UNLESS_SET, **os.environ, **_ALWAYS}


@contextmanager
def sync_lock(results: Path, uri: str) -> Iterator[None]:
    """Hold the lock of a SQLite database, or of the results that are written to a server.

    The operating system releases it when the process ends.
    """
    locked = database_file(uri) or Layout(results).benchmark_id
    locked.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(locked.with_name(f".{locked.name}.lock"))
    try:
        held = lock.acquire(timeout=0)
    except Timeout:
        _log.info("Waiting for another sync: %s is locked", lock.lock_file)
        held = lock.acquire()
    with held:
        yield


@contextmanager
def open_store(results: Path, uri: str) -> Iterator["Store"]:
    """Open a store once no other sync writes to it. Its failures become a :class:`TrackingError` with the reason."""
    os.environ.update(environment())  # MLflow reads its variables when it is imported
    try:
        from mlflow.exceptions import MlflowException
    except ImportError:
        raise TrackingError(not_installed("mlflow")) from None
    try:
        with sync_lock(results, uri):
            yield Store(uri)
    except (MlflowException, sqlite3.Error, OSError) as error:
        raise TrackingError(f"{_failure(uri, error)} The results in {results} are not affected.") from None


class Store:
    """An open MLflow store."""

    def __init__(self, uri: str) -> None:
        from mlflow import MlflowClient

        # MLflow sets the levels of its loggers when it is imported, and reports every attempt to connect.
        for name, level in {"mlflow": "WARNING", "alembic": "WARNING", "urllib3.connectionpool": "ERROR"}.items():
            logging.getLogger(name).setLevel(level)
        self._uri = uri
        database = database_file(uri)
        self._artifacts = artifact_folder(database) if database else None
        self.writers = 1 if database else WRITERS
        if database and database.exists():
            # A database that is locked, damaged or read-only fails here; MLflow would retry for minutes.
            with closing(sqlite3.connect(database)) as connection:
                connection.execute("BEGIN IMMEDIATE")
        elif database:
            # A process that is killed while it creates the tables would leave half of them.
            with atomic_write(database) as part:
                MlflowClient(tracking_uri=sqlite_uri(part)).search_experiments(max_results=1)
        self.client = MlflowClient(tracking_uri=uri)
        self.client.search_experiments(max_results=1)  # a server that does not answer fails before any work is done

    def experiment(self, name: str, tags: Mapping[str, str]) -> Any:
        """Return an experiment. One that does not exist is created with these tags, a deleted one is restored."""
        from mlflow.exceptions import MlflowException

        found = self.client.get_experiment_by_name(name)
        if found is None:
            location = RELATIVE + name.replace("/", "-") if self._artifacts else None
            try:
                self.client.create_experiment(name, artifact_location=location, tags=dict(tags))
            except MlflowException:
                if self.client.get_experiment_by_name(name) is None:  # else another benchmark has just created it
                    raise
        elif found.lifecycle_stage == "deleted":
            self.client.restore_experiment(found.experiment_id)
        return self.client.get_experiment_by_name(name)

    def experiments(self, prefix: str) -> dict[str, Any]:
        """Return the experiments directly below a prefix, by the rest of their names."""
        search = f"name LIKE '{prefix}/%'"
        found = _pages(lambda token: self.client.search_experiments(filter_string=search, page_token=token))
        names = {experiment.name.removeprefix(f"{prefix}/"): experiment for experiment in found}
        return {name: experiment for name, experiment in names.items() if "/" not in name}

    def runs(self, experiment_id: str, search: str) -> list[Any]:
        """Return the active runs of an experiment."""
        return _pages(
            lambda token: self.client.search_runs([experiment_id], search, max_results=1000, page_token=token)
        )

    def holds(self, found: Any, run: "Run", tags: Mapping[str, str]) -> bool:
        """Return whether a run in MLflow has everything that it should log.

        Only the last step of a metric is compared, and the sizes of files instead of their content.
        """
        last = {name: value for name, value, _ in sorted(run.metrics, key=lambda metric: metric[2])}
        stored = found.data
        if not (
            _texts({**run.tags, **tags}).items() <= stored.tags.items()
            and _texts(run.params).items() <= stored.params.items()
            and last.items() <= stored.metrics.items()
        ):
            return False
        sizes = {
            name: content.stat().st_size if isinstance(content, Path) else len(content.encode())
            for name, content in run.files.items()
        }
        return sizes.items() <= self._file_sizes(found).items()

    def _file_sizes(self, run: Any) -> dict[str, int | None]:
        """Return the paths and sizes of a run's files."""
        if folder := self._folder(run):
            return {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*")}
        sizes, folders = {}, [""]
        while folders:
            for item in self.client.list_artifacts(run.info.run_id, folders.pop()):
                sizes[item.path] = item.file_size
                folders += [item.path] * item.is_dir
        return sizes

    def write(self, experiment_id: str, run: "Run", tags: Mapping[str, str]) -> None:
        """Write a run. It is marked as finished last, so that a partial run can be recognised."""
        from mlflow.entities import Dataset, DatasetInput, Metric, Param
        from mlflow.exceptions import MlflowException

        now = time.time_ns() // 10**6
        metrics = [Metric(key, value, now, step) for key, value, step in run.metrics]
        params = [Param(key, value) for key, value in _texts(run.params).items()]
        texts = _texts({**run.tags, **tags})
        created = self.client.create_run(experiment_id, start_time=now, run_name=run.name, tags=texts)
        run_id = created.info.run_id
        self.client.log_batch(run_id, metrics=metrics[:METRICS_PER_REQUEST], params=params)
        for start in range(METRICS_PER_REQUEST, len(metrics), METRICS_PER_REQUEST):
            self.client.log_batch(run_id, metrics=metrics[start : start + METRICS_PER_REQUEST])
        if run.datasets:
            inputs = [DatasetInput(Dataset(**dataset), tags=[]) for dataset in run.datasets]
            try:
                self.client.log_inputs(run_id, datasets=inputs)
            except MlflowException:  # another run has added the same dataset at the same moment; now it is there
                self.client.log_inputs(run_id, datasets=inputs)
        if folder := self._folder(created):
            _write_files(folder, run.files)
        else:
            with tempfile.TemporaryDirectory(prefix="hypercut-track-") as scratch:
                _write_files(Path(scratch), run.files)
                self.client.log_artifacts(run_id, scratch)
        self.client.set_terminated(run_id, status="FINISHED")

    def delete(self, run: Any) -> None:
        """Delete a run, and its files where they are on this machine."""
        folder = self._folder(run)
        self.client.delete_run(run.info.run_id)
        if folder:
            shutil.rmtree(folder.parent, ignore_errors=True)

    def _folder(self, run: Any) -> Path | None:
        """Return the artifact folder of a run on this machine; None if only MLflow can reach it.

        A database may come from someone else, and its paths may lead anywhere.
        """
        if self._artifacts is None:
            return None
        uri = run.info.artifact_uri
        folder = (self._artifacts / uri.removeprefix(RELATIVE)).resolve()
        if not uri.startswith(RELATIVE) or self._artifacts not in folder.parent.parents:
            raise TrackingError(
                f"{redact_address(self._uri)}: a run has its files in {uri}, which is not below {self._artifacts}. "
                "Rename the database, so that a new one is built from the results."
            )
        return folder


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Return values as MLflow stores them."""
    return {name: str(value)[:TEXT_LIMIT] for name, value in values.items()}


def _write_files(folder: Path, files: Mapping[str, str | Path]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.read_bytes() if isinstance(content, Path) else content.encode())


def _pages(request: Callable[[str | None], Any]) -> list[Any]:
    """Return all items of a listing that MLflow returns in pages."""
    page = request(None)
    items = list(page)
    while page.token:
        page = request(page.token)
        items += page
    return items


#: Part of an error of SQLite → what to do. Never "delete the database", since it may hold other runs.
_REMEDIES = {
    "locked": "Wait until the program that is writing to it has ended",
    "not a database": "Rename the file, so that a new database is built from the results",
    "": "Make sure that the file and its folder are writable and the disk has space",
}


def _failure(uri: str, error: Exception) -> str:
    """Return what is wrong with a store, and what to do."""
    reason = redact(error).partition("Caused by ")
    lines = (reason[2] or reason[0]).strip().splitlines()
    found = lines[0][:400] if lines else type(error).__name__
    if database_file(uri):
        problem = "could not use the database"
        remedy = next(advice for sign, advice in _REMEDIES.items() if sign in found)
    else:
        problem, remedy = "the MLflow server failed or did not answer", "Check that the server is running"
    return f"{redact_address(uri)}: {problem}: {found}. {remedy}, and run the same command again."
