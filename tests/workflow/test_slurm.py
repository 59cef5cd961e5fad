"""The real Snakefile on a real Slurm with two nodes, where Slurm is installed."""

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator

import pytest

from tests.workflow import slurm
from tests.workflow.project import SECONDS, Project, assert_same_outcome, processes

pytestmark = [pytest.mark.workflow, pytest.mark.server, pytest.mark.timeout(2 * SECONDS)]


@pytest.fixture
def cluster() -> Iterator[slurm.Slurm]:
    reason = slurm.reason_not_to_run()
    if reason:
        pytest.skip(reason)
    with slurm.running(nodes=2) as running:
        yield running


def submit(project: Project, *arguments: str) -> "subprocess.Popen[str]":
    """Start the command of a user, with the options that this Slurm needs."""
    return subprocess.Popen(
        ["snakemake", "--profile", "profiles/slurm", *slurm.OPTIONS, "--config", "preset=tiny", *arguments],
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for(condition: Callable[[], object], run: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert run.poll() is None, run.stdout.read()[-5000:]
        assert time.monotonic() < deadline
        time.sleep(0.2)


def forget(project: Project, *names: str) -> None:
    """Delete the results of some datasets or settings, and the table."""
    for name in names:
        for path in project.results.glob(f"*/{name}*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (project.results / "table.parquet").unlink()


def test_a_cancelled_job_is_reported_and_resumed_with_the_same_outcome(
    cluster: slurm.Slurm, finished: Project, project: Project
) -> None:
    """One group of jobs runs on each node. One is cancelled, the other completes. The same command does the rest."""
    project.edit("profiles/slurm/config.yaml", "# slurm_partition: compute", f"slurm_partition: {slurm.PARTITION}")
    forget(project, "digits", "iris/noise-L5")
    table = str((project.results / "table.parquet").relative_to(project.folder))
    run = submit(project, "--retries", "0", "--", table)
    wait_for((project.results / "problems" / "iris" / "noise-L5.npz").exists, run)
    first = grouped(cluster)[0]["id"]
    assert not any("hypercut.steps._server" in command for _, command in processes(project.folder))
    # Stopped, so that it does not end before the group of digits starts, which needs features first.
    cluster.run("scancel", "--full", "--signal=STOP", first)
    wait_for(lambda: len(grouped(cluster)) == 2, run)
    assert {job["node"] for job in grouped(cluster)} == {"node1", "node2"}
    assert {(job["cpus"], job["partition"]) for job in grouped(cluster)} == {("4", slurm.PARTITION)}
    (cancelled,) = {job["id"] for job in grouped(cluster)} - {first}
    wait_for((project.results / "problems" / "digits" / "clean.npz").exists, run)
    cluster.run("scancel", cancelled)
    cluster.run("scancel", "--full", "--signal=CONT", first)
    output, _ = run.communicate(timeout=SECONDS)
    assert run.returncode == 1
    assert re.search(rf"A submitted job failed: \S+/{cancelled}.log\n.*CANCELLED", output), output[-5000:]
    assert re.search(r"Not done: .*results/tiny/clusters/digits/clean/CSC.parquet", output)
    assert not list(project.results.glob("clusters/digits/*/*"))
    assert len(list(project.results.glob("clusters/iris/noise-L5/*"))) == 11

    run = submit(project, "--", table)
    output, _ = run.communicate(timeout=SECONDS)
    assert run.returncode == 0, output[-5000:]
    assert "iris" not in output
    assert_same_outcome(finished, project)


def grouped(cluster: slurm.Slurm) -> list[dict[str, str]]:
    """Return the running or stopped submissions of job groups."""
    lines = cluster.run(
        "squeue", "--noheader", "--states=RUNNING,STOPPED", "--sort=i", "--format=%i %N %C %P %k"
    ).splitlines()
    jobs = [dict(zip(("id", "node", "cpus", "partition", "comment"), line.split(), strict=True)) for line in lines]
    return [job for job in jobs if "overcluster" in job["comment"]]


def test_queued_jobs_of_a_killed_run_are_cancelled(cluster: slurm.Slurm, project: Project) -> None:
    forget(project, "iris/noise-L5")
    # No job can start, so that none ends before the test looks for it.
    for node in cluster.states():
        cluster.set_node(node, "drain")
    run = submit(project, "--", "results/tiny/clusters/iris/noise-L5/CSC.parquet")
    wait_for(lambda: cluster.jobs("PENDING"), run)
    run.kill()
    run.communicate()
    left = cluster.jobs("PENDING")
    somebody = cluster.run("sbatch", "--parsable", "--output=/dev/null", "--wrap", "sleep 1000").strip()
    project.run("--unlock")
    output = project.run("results/tiny/config.json", "--forcerun", "configuration")
    assert f"A killed run left {len(left)} jobs in Slurm's queue" in output
    assert not list((project.folder / ".snakemake" / "owners").iterdir())
    assert cluster.jobs("PENDING,RUNNING,COMPLETING") == [somebody]
