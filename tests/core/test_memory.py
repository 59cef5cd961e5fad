"""The available memory, from the files in which Linux reports it."""

from pathlib import Path

import pytest

from hypercut.core.memory import MB, available_mb

GB = 1024


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """Return a machine with 8 GB free, whose process is in no control group."""
    write(tmp_path / "proc" / "meminfo", f"MemTotal: 1 kB\nMemAvailable: {8 * MB} kB\n")
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def available(system: Path) -> int | None:
    return available_mb(system / "proc", system / "groups")


def test_of_a_machine(system: Path) -> None:
    assert available(system) == 8 * GB
    assert available(system / "elsewhere") is None


def test_a_job_has_what_its_group_leaves(system: Path) -> None:
    """The job has the limit, not its step; a third of the memory in use are cached files."""
    write(system / "proc" / "self" / "cgroup", "0::/slurm/job_7/step_0\n")
    job = system / "groups" / "slurm" / "job_7"
    for group, limit in ((job, str(2 * GB * MB)), (job / "step_0", "max")):
        write(group / "memory.max", f"{limit}\n")
        write(group / "memory.current", f"{3 * 512 * MB}\n")
        write(group / "memory.stat", f"anon {GB * MB}\ninactive_file {256 * MB}\nactive_file {256 * MB}\n")
    assert available(system) == GB


def test_a_group_may_have_used_more_than_it_has(system: Path) -> None:
    write(system / "proc" / "self" / "cgroup", "0::/\n")
    write(system / "groups" / "memory.max", f"{GB * MB}\n")
    write(system / "groups" / "memory.current", f"{2 * GB * MB}\n")
    assert available(system) == 0


def test_the_older_layout(system: Path) -> None:
    write(system / "proc" / "self" / "cgroup", "4:cpu:/docker/x\n3:memory:/docker/x\n0::/docker/x\n")
    write(system / "groups" / "memory" / "memory.limit_in_bytes", f"{3 * GB * MB}\n")  # as a container sees it
    write(system / "groups" / "memory" / "memory.usage_in_bytes", f"{GB * MB}\n")
    assert available(system) == 2 * GB
