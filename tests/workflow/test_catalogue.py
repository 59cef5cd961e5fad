"""``workflow/Snakefile``, where the Snakemake workflow catalogue looks for the workflow."""

from collections.abc import Callable

import pytest

from tests.workflow.project import Project

pytestmark = pytest.mark.workflow


def planned_outputs(project: Project, *arguments: str) -> list[str]:
    text = project.run("--dry-run", "--quiet", "progress", *arguments)
    return sorted(line for line in text.splitlines() if line.startswith("    output: "))


def test_both_snakefiles_plan_the_same_jobs(fresh: Callable[[], Project]) -> None:
    project = fresh()
    expected = planned_outputs(project)
    assert any("report/index.html" in line for line in expected)
    assert planned_outputs(project, "--snakefile", "workflow/Snakefile") == expected
