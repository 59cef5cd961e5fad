"""How much memory can be had: on this machine, and in the container or the cluster's job that this process is in."""

import resource
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

MB = 2**20


def available_mb(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Return the memory that this process can take now, where the system tells.

    That is the least of what is free, and what the limits leave: a process that goes beyond those of its control groups
    is killed without a word.
    """
    left = [*_free(proc), *_left_in_groups(proc, groups), *_left_to_process(proc)]
    return min(left) // MB if left else None


def _free(proc: Path) -> Iterator[int]:
    """Yield what the machine has, in bytes."""
    for line in _lines(proc / "meminfo"):
        if line.startswith("MemAvailable"):
            yield int(line.split()[1]) * 1024


def _left_to_process(proc: Path) -> Iterator[int]:
    """Yield what `ulimit -v` leaves."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    for line in _lines(proc / "self" / "status"):
        if limit != resource.RLIM_INFINITY and line.startswith("VmSize"):
            yield max(0, limit - int(line.split()[1]) * 1024)


def _left_in_groups(proc: Path, groups: Path) -> Iterator[int]:
    """Yield what each control group on the way to the root leaves, in either of the two layouts that Linux has."""
    for line in _lines(proc / "self" / "cgroup"):
        _, controllers, path = line.split(":", 2)
        if not controllers:
            root, limit, used, cache = groups, "memory.max", "memory.current", ("inactive_file", "active_file")
        elif "memory" in controllers.split(","):
            root, limit, used = groups / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
            cache = ("total_inactive_file", "total_active_file")
        else:
            continue
        inner = PurePosixPath(path.lstrip("/"))
        for group in [inner, *inner.parents]:
            most, now = _number(root / group / limit), _number(root / group / used)
            if most is not None and now is not None:
                # Copies of files count as used, but are given up when memory is needed.
                told = dict(line.split() for line in _lines(root / group / "memory.stat"))
                yield max(0, most - now + sum(int(told.get(name, 0)) for name in cache))


def _number(path: Path) -> int | None:
    """Return the number in a file; None where there is no file, or no limit in it."""
    text = "".join(_lines(path))
    return int(text) if text.isdigit() else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except OSError:
        return []
