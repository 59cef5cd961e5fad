"""The MLflow store: its address, the lock of a sync, and the operations that a sync needs."""

import json
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
from urllib.parse import urlsplit

from filelock import FileLock, Timeout

from hypercut.benchmark.layout import Layout
from hypercut.errors import InputError, not_installed, redact, redact_address
from hypercut.files import atomic_write

if TYPE_CHECKING:  # imports pandas, which `hypercut ui` does not need
    from hypercut.tracking.content import Dataset, Run

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

#: Artifacts of a SQLite store have addresses with this scheme, relative to a folder that the server gets when it
#: starts. MLflow's default, absolute paths, would break when the results folder is moved or copied.
RELATIVE = "mlflow-artifacts:/"

#: MLflow takes 1000 metrics in one request.
METRICS_PER_REQUEST = 500

#: Runs that are written to a server at once; SQLite allows one writer.
WRITERS = 4

_log = logging.getLogger(__name__)


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
            f"Set --uri or {URI_VARIABLE}; use other databases through `mlflow server`, see docs/tracking.md."
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
        import mlflow.exceptions
        from mlflow import MlflowClient

        # MLflow sets the levels of its loggers when it is imported, and reports every attempt to connect.
        for name, level in {"mlflow": "WARNING", "alembic": "WARNING", "urllib3.connectionpool": "ERROR"}.items():
            logging.getLogger(name).setLevel(level)
        self._error: type[Exception] = mlflow.exceptions.MlflowException
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
                MlflowClient(tracking_uri=f"sqlite:///{part}").search_experiments(max_results=1)
        self.client = MlflowClient(tracking_uri=uri)
        self.client.search_experiments(max_results=1)  # a server that does not answer fails before any work is done

    def experiment(self, name: str, tags: Mapping[str, str]) -> Any:
        """Return an experiment. One that does not exist is created with these tags, a deleted one is restored."""
        found = self.client.get_experiment_by_name(name)
        if found is None:
            location = RELATIVE + name.replace("/", "-") if self._artifacts else None
            try:
                self.client.create_experiment(name, artifact_location=location, tags=dict(tags))
            except self._error:
                if self.client.get_experiment_by_name(name) is None:  # else another benchmark has just created it
                    raise
        elif found.lifecycle_stage == "deleted":
            # MLflow restores the runs of an experiment too, even those that were deleted before it.
            deleted = [run.info.run_id for run in self.runs(found.experiment_id, deleted=True)]
            self.client.restore_experiment(found.experiment_id)
            for run_id in deleted:
                self.client.delete_run(run_id)
        return self.client.get_experiment_by_name(name)

    def experiments(self, prefix: str) -> dict[str, Any]:
        """Return the experiments directly below a prefix, by the rest of their names."""
        search = f"name LIKE '{prefix}/%'"
        found = _pages(lambda token: self.client.search_experiments(filter_string=search, page_token=token))
        names = {experiment.name.removeprefix(f"{prefix}/"): experiment for experiment in found}
        return {name: experiment for name, experiment in names.items() if "/" not in name}

    def set_tags(self, experiment: Any, tags: Mapping[str, str]) -> None:
        """Set those tags of an experiment that differ."""
        for key, value in tags.items():
            if experiment.tags.get(key) != value:
                self.client.set_experiment_tag(experiment.experiment_id, key, value)

    def runs(self, experiment_id: str, search: str = "", *, deleted: bool = False) -> list[Any]:
        """Return the runs of an experiment, active or deleted."""
        from mlflow.entities import ViewType

        view = ViewType.DELETED_ONLY if deleted else ViewType.ACTIVE_ONLY
        return _pages(lambda token: self.client.search_runs([experiment_id], search, view, 1000, None, token))

    def write(self, experiment_id: str, run: "Run", tags: Mapping[str, str]) -> None:
        """Write a run. It is marked as finished last, so that a partial run can be recognised."""
        from mlflow.entities import Metric, Param

        now = time.time_ns() // 10**6
        metrics = [Metric(key, value, now, step) for key, value, step in run.metrics]
        params = [Param(key, str(value)) for key, value in run.params.items()]
        texts = {key: str(value) for key, value in {**run.tags, **tags}.items()}
        created = self.client.create_run(experiment_id, start_time=now, run_name=run.name, tags=texts)
        run_id = created.info.run_id
        self.client.log_batch(run_id, metrics=metrics[:METRICS_PER_REQUEST], params=params)
        for start in range(METRICS_PER_REQUEST, len(metrics), METRICS_PER_REQUEST):
            self.client.log_batch(run_id, metrics=metrics[start : start + METRICS_PER_REQUEST])
        if run.datasets:
            inputs = [_input(dataset) for dataset in run.datasets]
            try:
                self.client.log_inputs(run_id, datasets=inputs)
            except self._error:  # another run has added the same dataset at the same moment; now it is there
                self.client.log_inputs(run_id, datasets=inputs)
        self._write_files(run_id, created.info.artifact_uri, run.files)
        self.client.set_terminated(run_id, status="FINISHED")

    def _write_files(self, run_id: str, artifact_uri: str, files: Mapping[str, str | Path]) -> None:
        with tempfile.TemporaryDirectory(prefix="hypercut-track-") as scratch:
            folder = self._folder(artifact_uri)
            for name, content in files.items():
                path = (folder or Path(scratch)) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if isinstance(content, Path):
                    shutil.copyfile(content, path)
                else:
                    path.write_text(content, encoding="utf-8")
            if folder is None:
                self.client.log_artifacts(run_id, scratch)

    def _folder(self, artifact_uri: str) -> Path | None:
        """The artifact folder of a run on this machine; None if only MLflow can reach it."""
        if self._artifacts and artifact_uri.startswith(RELATIVE):
            return self._artifacts / urlsplit(artifact_uri).path.lstrip("/")
        return None

    def delete(self, run: Any) -> None:
        """Delete a run, and its files where they are on this machine."""
        self.client.delete_run(run.info.run_id)
        if folder := self._folder(run.info.artifact_uri):
            shutil.rmtree(folder.parent, ignore_errors=True)


def _input(dataset: "Dataset") -> Any:
    """Return a dataset as an input of a run, with its source in the form that MLflow's pages show."""
    from mlflow.entities import Dataset, DatasetInput

    address = re.search(r"https?://[^\s,]+", dataset.source)
    kind, source = ("http", {"url": address[0]}) if address else ("local", {"uri": dataset.source})
    shown = json.dumps(source, ensure_ascii=False)
    return DatasetInput(Dataset(dataset.name, dataset.digest, kind, shown, profile=json.dumps(dataset.size)), tags=[])


def _pages(request: Callable[[str | None], Any]) -> list[Any]:
    """Return all items of a listing that MLflow returns in pages."""
    page = request(None)
    items = list(page)
    while page.token:
        page = request(page.token)
        items += page
    return items


#: Part of an error of SQLite → what to do. Never "delete the database": it may be in use, and hold other runs.
_REMEDIES = {
    "locked": "Wait until the program that is writing to it has ended",
    "not a database": "Rename the file, so that a new database is built from the results",
    "readonly": "Make the file and its folder writable",
    "Permission denied": "Make the file and its folder writable",
    "disk is full": "Free some space on the disk",
    "No space left": "Free some space on the disk",
}


def _failure(uri: str, error: Exception) -> str:
    """Return what is wrong with a store, and what to do."""
    reason = redact(error).partition("Caused by ")
    lines = (reason[2] or reason[0]).strip().splitlines()
    found = lines[0][:400] if lines else type(error).__name__
    if database_file(uri):
        problem = "could not use the database"
        remedy = next((advice for sign, advice in _REMEDIES.items() if sign in found), "Fix the problem")
    else:
        problem, remedy = "the MLflow server failed or did not answer", "Check that the server is running"
    return f"{redact_address(uri)}: {problem}: {found}. {remedy}, and run the same command again."
