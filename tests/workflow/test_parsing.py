"""Commands that only parse the workflow do not change results, data and Snakemake's records."""

import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from tests.workflow.project import SECONDS, Project

pytestmark = [pytest.mark.workflow, pytest.mark.timeout(2 * SECONDS)]

COMMANDS = (["--dry-run"], ["--lint"], ["--summary"], ["--unlock"], ["--report", "report.zip"])
#: What Snakemake itself writes whenever it starts: a log per command, the lock of its folder, and its cache of which
#: files exist, which it renews after a while.
SNAKEMAKES = (".snakemake/log/", ".snakemake/locks/", ".snakemake/iocache/")


def state(project: Project) -> dict[str, tuple[str, int]]:
    """Return the content and modification time of every file."""
    files = [path for name in ("results", "data", ".snakemake") for path in (project.folder / name).rglob("*")]
    names = {str(path.relative_to(project.folder)): path for path in files if path.is_file()}
    return {
        name: (sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for name, path in names.items()
        if not name.startswith(SNAKEMAKES)
    }


@pytest.mark.parametrize("change", ["none", "a setting", "an archive", "no records"])
def test_parsing_changes_no_file(project: Project, tmp_path: Path, change: str) -> None:
    if change == "a setting":
        project.edit("workflow/presets/tiny.yaml", "levels: {L5: 1.0}", "levels: {L5: 1.5}")
    elif change == "an archive":
        project.hypercut("archive", str(project.results), str(tmp_path / "archive"))
        project.config["archive"] = tmp_path / "archive"
    elif change == "no records":
        shutil.rmtree(project.folder / ".snakemake")
    expected = state(project)
    for command in COMMANDS:
        project.run(*command, status=None)
        assert state(project) == expected, command


def test_the_snakefile_of_the_workflow_catalogue_plans_the_same_jobs(fresh: Callable[[], Project]) -> None:
    project = fresh()
    # Its default target has another name.
    assert project.planned("--snakefile", "workflow/Snakefile") - {"everything"} == project.planned() - {"all"}
