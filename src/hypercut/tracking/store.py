"""The MLflow store: opening it for one sync at a time, and the operations that a sync needs."""

import contextlib
import json
import logging
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hypercut.errors import InputError, not_installed, redact, redact_address
from hypercut.files import atomic_write
from hypercut.tracking.content import Content, Dataset
from hypercut.tracking.location import TrackingError, artifact_folder, database_file, environment
from hypercut.tracking.lock import ServerLock, database_lock

#: Artifacts of a SQLite store have addresses with this scheme, relative to a folder that the server gets when it
#: starts. MLflow's default, absolute paths, would break when the results folder is moved or copied.
RELATIVE = "mlflow-artifacts:/"

#: MLflow takes 1000 metrics in one request.
METRICS_PER_REQUEST = 500

#: Runs that are written to a server at once; SQLite allows one writer.
WRITERS = 4

UPGRADE_SECONDS = 600


@contextlib.contextmanager
def open_store(uri: str, prefix: str) -> Iterator["Store"]:
    """Open a store, and wait until no other sync writes to the experiments of a prefix.

    Raises :class:`TrackingError` with the reason if the store cannot be opened or fails.
    """
    database = database_file(uri)
    with contextlib.ExitStack() as stack:
        try:
            if database:
                _check_writable(database)
                stack.enter_context(database_lock(database))
            store = Store(uri)
            if not database:
                lock = ServerLock(store.client, f"hypercut-sync-{prefix.replace('/', '-')}")
                store.keep_lock = stack.enter_context(lock).renew
        except ImportError:
            raise TrackingError(not_installed("MLflow")) from None
        except Exception as error:
            # MLflow passes on errors of SQLAlchemy, requests and the operating system.
            raise _unusable(uri, error) from None
        try:
            yield store
        except InputError:
            raise
        except (store.error, OSError) as error:
            raise _unusable(uri, error) from None


class Store:
    """An open MLflow store."""

    def __init__(self, uri: str) -> None:
        # MLflow reads its variables when it is imported, and sets the levels of these loggers.
        os.environ.update(environment())
        import mlflow.exceptions
        from mlflow import MlflowClient

        for name in ("mlflow", "alembic"):
            logging.getLogger(name).setLevel(logging.WARNING)
        # It reports every attempt to connect; the error of the last one is raised anyway.
        logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)
        self.error: type[Exception] = mlflow.exceptions.MlflowException
        self.uri = uri
        self.keep_lock: Callable[[], None] = lambda: None
        """to be called after each run that is written"""
        database = database_file(uri)
        self._artifacts = artifact_folder(database) if database else None
        self.writers = 1 if database else WRITERS
        self._datasets: set[tuple[str, str, str]] = set()
        self._datasets_lock = threading.Lock()
        if database and not database.exists():
            # A process that is killed while it creates the tables would leave half of them.
            with atomic_write(database) as part:
                MlflowClient(tracking_uri=f"sqlite:///{part}").search_experiments(max_results=1)
        self.client = MlflowClient(tracking_uri=uri)
        try:
            # A store that cannot be used fails here, before any work is done.
            self.client.search_experiments(max_results=1)
        except self.error as error:
            if database is None or "out-of-date" not in str(error):
                raise
            _upgrade(uri)
            self.client.search_experiments(max_results=1)

    def experiment(self, name: str, created: Mapping[str, str], tags: Mapping[str, str]) -> str:
        """Return the id of an experiment, after creating, restoring or tagging it where needed.

        The tags ``created`` are set only on an experiment that is created here.
        """
        found = self.client.get_experiment_by_name(name)
        if found is None:
            location = RELATIVE + name.replace("/", "-") if self._artifacts else None
            return str(self.client.create_experiment(name, artifact_location=location, tags={**created, **tags}))
        if found.lifecycle_stage == "deleted":
            # MLflow restores the runs of an experiment too, even those that were deleted before it.
            deleted = [run.info.run_id for run in self.runs(found.experiment_id, deleted=True)]
            self.client.restore_experiment(found.experiment_id)
            for run_id in deleted:
                self.client.delete_run(run_id)
        self.set_tags(found.experiment_id, found.tags, tags)
        return str(found.experiment_id)

    def set_tags(self, experiment_id: str, present: Mapping[str, str], wanted: Mapping[str, str]) -> None:
        """Set those tags of an experiment that differ."""
        for key, value in wanted.items():
            if present.get(key) != value:
                self.client.set_experiment_tag(experiment_id, key, value)

    def experiments(self, tag: str, value: str) -> dict[str, str]:
        """Return name → id of the experiments that have a tag with this value."""
        search = f"tags.`{tag}` = '{value}'"
        found = _pages(lambda token: self.client.search_experiments(filter_string=search, page_token=token))
        return {experiment.name: experiment.experiment_id for experiment in found}

    def runs(self, experiment_id: str, search: str = "", *, deleted: bool = False) -> list[Any]:
        """Return the runs of an experiment, active or deleted."""
        from mlflow.entities import ViewType

        view = ViewType.DELETED_ONLY if deleted else ViewType.ACTIVE_ONLY
        return _pages(lambda token: self.client.search_runs([experiment_id], search, view, 1000, None, token))

    def write(self, experiment_id: str, name: str, content: Content, files: Path) -> None:
        """Write a run. It is marked as finished last, so that a partial run can be recognised."""
        from mlflow.entities import Metric, Param

        metrics = [Metric(key, value, content.created, step) for key, value, step in content.metrics]
        params = [Param(key, str(value)) for key, value in content.params.items()]
        tags = {key: str(value) for key, value in content.tags.items()}
        wanted = sorted(files.rglob("*"))
        run = self.client.create_run(experiment_id, start_time=content.created, run_name=name, tags=tags)
        run_id = str(run.info.run_id)
        self.client.log_batch(run_id, metrics=metrics[:METRICS_PER_REQUEST], params=params)
        for start in range(METRICS_PER_REQUEST, len(metrics), METRICS_PER_REQUEST):
            self.client.log_batch(run_id, metrics=metrics[start : start + METRICS_PER_REQUEST])
        if content.datasets:
            self._write_datasets(experiment_id, run_id, content.datasets)
        self._write_files(run_id, run.info.artifact_uri, files)
        if sorted(files.rglob("*")) != wanted:
            # MLflow does not report missing files; a second Ctrl-C removes them while this thread reads.
            raise FileNotFoundError(f"the files of {name!r} were removed while they were sent")
        self.client.set_terminated(run_id, status="FINISHED")

    def _write_datasets(self, experiment_id: str, run_id: str, datasets: Sequence[Dataset]) -> None:
        """Write the inputs of a run.

        The first run of a dataset in an experiment adds the dataset too, which fails if two requests do so at once.
        """
        from mlflow.entities import Dataset as MlflowDataset
        from mlflow.entities import DatasetInput

        inputs = [
            DatasetInput(MlflowDataset(it.name, it.digest, *_source(it.source), profile=it.profile), tags=[])
            for it in datasets
        ]
        keys = {(experiment_id, it.name, it.digest) for it in datasets}
        with contextlib.nullcontext() if keys <= self._datasets else self._datasets_lock:
            self.client.log_inputs(run_id, datasets=inputs)
            self._datasets |= keys

    def _write_files(self, run_id: str, artifact_uri: str, files: Path) -> None:
        if folder := self._folder(artifact_uri):
            shutil.copytree(files, folder, dirs_exist_ok=True)
        else:
            self.client.log_artifacts(run_id, str(files))

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


def _source(text: str) -> tuple[str, str]:
    """Return the source of a dataset as a type and the JSON that MLflow's pages show for it."""
    address = re.search(r"https?://[^\s,]+", text)
    if address:
        return "http", json.dumps({"url": address[0]})
    return "local", json.dumps({"uri": text}, ensure_ascii=False)


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
    "cannot be written": "Make the file and its folder writable",
    "readonly": "Make the file and its folder writable",
    "disk is full": "Free some space on the disk",
    "No space left": "Free some space on the disk",
}


def _unusable(uri: str, error: Exception) -> TrackingError:
    """Return the error for a store that cannot be used."""
    reason = redact(error).partition("Caused by ")
    lines = (reason[2] or reason[0]).strip().splitlines()
    found = lines[0][:400] if lines else type(error).__name__
    if database_file(uri):
        problem = "could not use the database"
        remedy = next((advice for sign, advice in _REMEDIES.items() if sign in found), "Fix the problem")
    else:
        problem, remedy = "the MLflow server failed or did not answer", "Check that the server is running"
    return TrackingError(f"{redact_address(uri)}: {problem}: {found}. {remedy}, and run the same command again.")


def _check_writable(database: Path) -> None:
    """Raise an error at once where MLflow would retry for minutes."""
    database.parent.mkdir(parents=True, exist_ok=True)
    # SQLite writes its journal next to the database.
    for path in (database.parent, database):
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(f"{path} cannot be written")
    if database.exists():
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA schema_version")


def _upgrade(uri: str) -> None:
    """Upgrade the tables that an older MLflow created."""
    command = [sys.executable, "-m", "mlflow", "db", "upgrade", uri]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=UPGRADE_SECONDS)
    if done.returncode:
        raise OSError(f"`mlflow db upgrade` failed: {' '.join(done.stderr.strip().splitlines()[-1:])}")
