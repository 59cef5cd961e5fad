"""The real Snakefile on a real Slurm with two nodes, where Slurm is installed."""

import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.workflow import slurm
from tests.workflow.project import SECONDS, Project, assert_same_outcome, processes, wait_for

pytestmark = [pytest.mark.workflow, pytest.mark.server, pytest.mark.timeout(2 * SECONDS)]


@pytest.fixture
def cluster() -> Iterator[slurm.Slurm]:
    reason = slurm.reason_not_to_run()
    if reason:
        pytest.skip(reason)
    with slurm.running(nodes=2) as running:
        yield running


def submit(project: Project, table: str, *arguments: str) -> "subprocess.Popen[str]":
    """Start the command of a user, with the options that this Slurm needs."""
    command = ["snakemake", "--profile", "profiles/slurm", *slurm.OPTIONS, "--config", "preset=tiny", *arguments]
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen([*command, "--", table], cwd=project.folder, env=project.environment(), **output)


def test_a_cancelled_job_is_reported_and_resumed_with_the_same_outcome(
    cluster: slurm.Slurm, finished: Project, project: Project
) -> None:
    """One group of jobs runs on each node. One is cancelled, the other completes. The same command does the rest."""
    project.edit("profiles/slurm/config.yaml", "# slurm_partition: compute", f"slurm_partition: {slurm.PARTITION}")
    for path in [path for name in ("digits", "iris/noise-L5") for path in project.results.glob(f"*/{name}*")]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    (project.results / "table.parquet").unlink()
    table = str((project.results / "table.parquet").relative_to(project.folder))
    run = submit(project, table, "--retries", "0")
    wait_for((project.results / "problems" / "iris" / "noise-L5.npz").exists)
    first = grouped(cluster)[0]["id"]
    assert not any("hypercut.steps._server" in command for _, command in processes(project.folder))
    # Stopped, so that it does not end before the group of digits starts, which needs features first.
    cluster.run("scancel", "--full", "--signal=STOP", first)
    wait_for(lambda: len(grouped(cluster)) == 2)
    assert {job["node"] for job in grouped(cluster)} == {"node1", "node2"}
    assert {(job["cpus"], job["partition"]) for job in grouped(cluster)} == {("4", slurm.PARTITION)}
    (cancelled,) = {job["id"] for job in grouped(cluster)} - {first}
    wait_for((project.results / "problems" / "digits" / "clean.npz").exists)
    cluster.run("scancel", cancelled)
    cluster.run("scancel", "--full", "--signal=CONT", first)
    output, _ = run.communicate(timeout=SECONDS)
    assert run.returncode == 1
    assert re.search(rf"The end of \S+/{cancelled}.log:\n(    .*\n)*?.*CANCELLED", output), output[-5000:]
    assert "FAILED cluster digits · clean · CSC" in output
    assert not list(project.results.glob("clusters/digits/*/*"))
    assert len(list(project.results.glob("clusters/iris/noise-L5/*"))) == 11

    run = submit(project, table)
    output, _ = run.communicate(timeout=SECONDS)
    assert run.returncode == 0, output[-5000:]
    assert "iris" not in output
    assert_same_outcome(finished, project)


def grouped(cluster: slurm.Slurm) -> list[dict[str, str]]:
    """Return the running or stopped submissions of job groups."""
    lines = cluster.run("squeue", "--noheader", "--states=RUNNING,STOPPED", "--sort=i", "--format=%i %N %C %P %k")
    names = ("id", "node", "cpus", "partition", "comment")
    jobs = [dict(zip(names, line.split(), strict=True)) for line in lines.splitlines()]
    return [job for job in jobs if "overcluster" in job["comment"]]
