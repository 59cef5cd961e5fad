"""The MLflow store: opening it, and the few operations that a sync needs. The only module that imports MLflow."""

import contextlib
import logging
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from hypercut.errors import not_installed, redact, redact_address
from hypercut.tracking._content import BENCHMARK_TAG, Content
from hypercut.tracking._locations import (
    TrackingError,
    artifact_folder,
    database_file,
    environment,
    prepare_environment,
)

T = TypeVar("T")

#: Artifacts of a SQLite store are addressed with this scheme, relative to a folder that the server is told when it
#: starts. With MLflow's own default, absolute paths, the folder of the results could not be moved or copied.
RELATIVE = "mlflow-artifacts:/"

#: MLflow takes 1000 metrics in one request.
METRICS_PER_REQUEST = 500

#: Runs that are written to a server at once; a SQLite database is written by one at a time.
WRITERS = 4

UPGRADE_SECONDS = 600
STALE_SECONDS = 3600


class Vanished(Exception):
    """The run was deleted while it was written: another sync took it for one that was interrupted."""


@dataclass(frozen=True)
class Found:
    """A run of this benchmark that is in the store."""

    run_id: str
    cell: str
    key: str
    finished: bool
    ended: int


class Store:
    """An open MLflow store."""

    def __init__(self, uri: str) -> None:
        prepare_environment()
        # MLflow sets the levels of these when it is imported; they report every table that is created.
        import mlflow.exceptions
        from mlflow import MlflowClient

        for name in ("mlflow", "alembic"):
            logging.getLogger(name).setLevel(logging.WARNING)
        # It reports every attempt to connect; the error of the last one is raised anyway.
        logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)
        self._error: type[Exception] = mlflow.exceptions.MlflowException
        self.uri = uri
        database = database_file(uri)
        self._artifacts = artifact_folder(database) if database else None
        self.writers = 1 if database else WRITERS
        if database:
            _check_writable(database)
            _create_database(database)
        self._client = MlflowClient(tracking_uri=uri)
        self._reach()

    def _reach(self) -> None:
        """Make one request, so that a store that cannot be used fails before any work is done."""
        try:
            self._client.search_experiments(max_results=1)
        except self._error as error:
            if database_file(self.uri) is None or "out-of-date" not in str(error):
                raise
            _upgrade(self.uri)
            self._client.search_experiments(max_results=1)

    def guarded(self, action: Callable[[], T]) -> T:
        """Carry out an action; raise errors of the store as one clear message."""
        try:
            return action()
        except (self._error, OSError) as error:
            raise unreachable(self.uri, error) from None

    def experiment(self, name: str, created: Mapping[str, str], tags: Mapping[str, str]) -> str:
        """Return the id of an experiment, which is created, restored or labelled where needed.

        The tags ``created`` are set only on an experiment that is created here.
        """
        found = self._client.get_experiment_by_name(name)
        if found is None:
            location = RELATIVE + name.replace("/", "-") if self._artifacts else None
            try:
                return str(self._client.create_experiment(name, artifact_location=location, tags={**created, **tags}))
            except self._error:
                # Another sync may have been faster.
                found = self._client.get_experiment_by_name(name)
                if found is None:
                    raise
        if found.lifecycle_stage == "deleted":
            self._restore(found.experiment_id)
        self.label(found.experiment_id, found.tags, tags)
        return str(found.experiment_id)

    def _restore(self, experiment_id: str) -> None:
        """Restore an experiment without its runs: MLflow restores those too, whoever deleted them, and when."""
        deleted = [run.info.run_id for run in self._search(experiment_id, deleted=True)]
        try:
            self._client.restore_experiment(experiment_id)
        except self._error:
            # Another sync may have been faster, and be writing its runs now.
            if self._client.get_experiment(experiment_id).lifecycle_stage == "deleted":
                raise
            return
        for run_id in deleted:
            self._client.delete_run(run_id)

    def label(self, experiment_id: str, present: Mapping[str, str], wanted: Mapping[str, str]) -> None:
        """Set the tags of an experiment that differ."""
        for key, value in wanted.items():
            if present.get(key) == value:
                continue
            try:
                self._client.set_experiment_tag(experiment_id, key, value)
            except self._error:
                # Another sync sets the same tag: the database refuses the second of two insertions.
                self._client.set_experiment_tag(experiment_id, key, value)

    def experiment_tags(self, experiment_id: str) -> dict[str, str]:
        """The tags that an experiment has."""
        return dict(self._client.get_experiment(experiment_id).tags)

    def unlabel(self, experiment_id: str, key: str) -> None:
        """Remove a tag of an experiment, if it is there."""
        try:
            self._client.delete_experiment_tag(experiment_id, key)
        except self._error:
            if key in self.experiment_tags(experiment_id):
                raise

    def experiments(self, tag: str, value: str) -> dict[str, str]:
        """Name → id of the experiments that carry a tag."""
        found = self._pages(
            lambda token: self._client.search_experiments(
                filter_string=f"tags.`{tag}` = '{value}'", max_results=1000, page_token=token
            )
        )
        return {experiment.name: experiment.experiment_id for experiment in found}

    def runs(self, experiment_id: str, benchmark: str, *, adopt: bool) -> list[Found]:
        """The runs of a benchmark in an experiment; ``adopt`` adds those that an earlier hypercut left unnamed."""
        search = "" if adopt else f"tags.`{BENCHMARK_TAG}` = '{benchmark}'"
        return [
            Found(
                run.info.run_id,
                run.data.tags["hypercut.cell"],
                run.data.tags.get("hypercut.key", ""),
                run.info.status == "FINISHED",
                run.info.end_time or 0,
            )
            for run in self._search(experiment_id, search)
            if "hypercut.cell" in run.data.tags and run.data.tags.get(BENCHMARK_TAG, benchmark) == benchmark
        ]

    def _search(self, experiment_id: str, search: str = "", *, deleted: bool = False) -> Iterable[Any]:
        """The runs of an experiment, active or deleted."""
        from mlflow.entities import ViewType

        view = ViewType.DELETED_ONLY if deleted else ViewType.ACTIVE_ONLY
        return self._pages(
            lambda token: self._client.search_runs(
                [experiment_id], search, run_view_type=view, max_results=1000, page_token=token
            )
        )

    def is_empty(self, experiment_id: str) -> bool:
        """Whether an experiment has no active run, of any benchmark or of anybody else."""
        return len(self._client.search_runs([experiment_id], max_results=1)) == 0

    def write(self, experiment_id: str, name: str, content: Content, files: Path) -> str:
        """Write a run; it is marked as finished last, so that a partial one can be recognised."""
        from mlflow.entities import Metric, Param

        metrics = [Metric(key, value, content.made, step) for key, value, step in content.metrics]
        params = [Param(key, str(value)) for key, value in content.params.items()]
        tags = {key: str(value) for key, value in content.tags.items()}
        wanted = sorted(files.rglob("*"))
        run = self._client.create_run(experiment_id, start_time=content.made, run_name=name, tags=tags)
        run_id = str(run.info.run_id)
        try:
            self._client.log_batch(run_id, metrics=metrics[:METRICS_PER_REQUEST], params=params)
            for start in range(METRICS_PER_REQUEST, len(metrics), METRICS_PER_REQUEST):
                self._client.log_batch(run_id, metrics=metrics[start : start + METRICS_PER_REQUEST])
            self._write_files(run_id, run.info.artifact_uri, files)
            if sorted(files.rglob("*")) != wanted:
                # MLflow does not report missing files; a second Ctrl-C removes them while this thread reads.
                raise FileNotFoundError(f"the files of {name!r} were removed while they were sent")
            self._client.set_terminated(run_id, status="FINISHED")
        except (self._error, OSError):
            if self._active(run_id):
                raise
            raise Vanished(run_id) from None
        return run_id

    def _write_files(self, run_id: str, artifact_uri: str, files: Path) -> None:
        folder = self._folder(artifact_uri)
        if folder:
            shutil.copytree(files, folder, dirs_exist_ok=True)
        else:
            self._client.log_artifacts(run_id, str(files))

    def _folder(self, artifact_uri: str) -> Path | None:
        """Where the artifacts of a run are on this machine; None if MLflow has to be asked."""
        if self._artifacts and artifact_uri.startswith(RELATIVE):
            return self._artifacts / urlsplit(artifact_uri).path.lstrip("/")
        return None

    def _active(self, run_id: str) -> Any:
        """The run, or None if it has been deleted."""
        try:
            run = self._client.get_run(run_id)
        except self._error as error:
            if getattr(error, "error_code", "") == "RESOURCE_DOES_NOT_EXIST":
                return None  # for good, by `mlflow gc`
            raise
        return run if run.info.lifecycle_stage == "active" else None

    def delete(self, run_id: str) -> None:
        """Delete a run, and its files where they are ours to delete. Deleted already is fine too."""
        run = self._active(run_id)
        if run is None:
            return
        try:
            self._client.delete_run(run_id)
        except self._error:
            if self._active(run_id):
                raise
        folder = self._folder(run.info.artifact_uri)
        if folder:
            shutil.rmtree(folder.parent, ignore_errors=True)

    def delete_experiment(self, experiment_id: str) -> None:
        """Delete an experiment; deleted already is fine too."""
        try:
            self._client.delete_experiment(experiment_id)
        except self._error:
            if self._client.get_experiment(experiment_id).lifecycle_stage == "active":
                raise

    @staticmethod
    def _pages(request: Callable[[str | None], Any]) -> Iterable[Any]:
        """All items of a listing that comes in pages."""
        token: str | None = None
        while True:
            page = request(token)
            yield from page
            token = page.token
            if not token:
                return


def open_store(uri: str) -> Store:
    """Open a store; raise :class:`TrackingError` with the reason if that fails."""
    try:
        return Store(uri)
    except TrackingError:
        raise
    except ImportError:
        raise TrackingError(not_installed("MLflow")) from None
    except Exception as error:
        # MLflow lets errors of SQLAlchemy, requests and the operating system through.
        raise unreachable(uri, error) from None


#: What an error of SQLite contains → what to do. Never: delete the database. It may be in use, and hold other runs.
_REMEDIES = {
    "locked": "Wait until the program that is writing to it has ended",
    "not a database": "Rename the file, so that a new database is built from the results",
    "cannot be written": "Make the file and its folder writable",
    "readonly": "Make the file and its folder writable",
    "disk is full": "Free some space on the disk",
    "No space left": "Free some space on the disk",
}


def unreachable(uri: str, error: Exception) -> TrackingError:
    """The error for a store that cannot be used."""
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
    # SQLite writes its journal beside the database.
    for path in (database.parent, database):
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(f"{path} cannot be written")
    if database.exists():
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA schema_version")


def _create_database(database: Path) -> None:
    """Create the tables under another name and then put the file in place, as a whole.

    Two processes that create the tables of one file at once fail, and one that is killed leaves half of them.
    """
    if database.exists():
        return
    for stale in database.parent.glob(f".{database.name}.*.part"):
        # Of a process that was killed; one that is at work takes seconds.
        if time.time() - stale.stat().st_mtime > STALE_SECONDS:
            stale.unlink(missing_ok=True)
    part = database.with_name(f".{database.name}.{os.getpid()}.part")
    from mlflow import MlflowClient

    try:
        MlflowClient(tracking_uri=f"sqlite:///{part}").search_experiments(max_results=1)
        try:
            os.link(part, database)
        except FileExistsError:
            pass  # another process was faster
        except OSError:  # a file system without hard links
            part.replace(database)
    finally:
        part.unlink(missing_ok=True)


def _upgrade(uri: str) -> None:
    """Bring the tables of an older MLflow up to date."""
    command = [sys.executable, "-m", "mlflow", "db", "upgrade", uri]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=UPGRADE_SECONDS)
    if done.returncode:
        raise OSError(f"`mlflow db upgrade` failed: {' '.join(done.stderr.strip().splitlines()[-1:])}")
