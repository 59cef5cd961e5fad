import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workflow.project import Project


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with a complete tiny benchmark, shared by all processes of this test run. Do not change it: copy it."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # common to all processes
    folder = shared / "finished"
    with (shared / "finished.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "finished.ok").exists():
            shutil.rmtree(folder, ignore_errors=True)
            Project.create(folder).run(cores=4)
            (shared / "finished.ok").touch()
    return Project(folder)


@pytest.fixture
def project(finished: Project, tmp_path: Path) -> Project:
    """A copy of the finished project."""
    return finished.copy(tmp_path / "project")


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[], Project]:
    """Creates a project in which nothing has been run."""
    return lambda: Project.create(tmp_path / "fresh")
