"""The memory that a clustering needs, and the memory that this machine, container or cluster job has available."""

import contextlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

with contextlib.suppress(ImportError):  # missing on Windows, where none of the files below exist either
    import resource

MB = 2**20

#: Up to this N, an N×N matrix is stored in double precision and takes at most 134 MB; beyond, in single precision.
DOUBLE_PRECISION_SAMPLES = 4096

#: N×N matrices held at once: distances, kernel, and one more for NRSC or the eigensolver.
MATRICES = 3
#: For AK+NC on precomputed distances, in double precision: the distances, two copies, and the order of each row.
GIVEN_MATRICES = 4
#: Bytes per sample for blocks of rows of such a matrix and for vectors.
VECTORS_BYTES = 8 * 1000

#: Most memory of the blocks of distances that two threads search at once.
BLOCKS_MB = 400
#: Number of clusters that is assumed before it is known.
USUAL_CLUSTERS = 30


class NotEnoughMemoryError(MemoryError):
    """A clustering needs more memory than is available; raised before any is allocated."""


def require(needed: int, task: str, advice: str) -> None:
    """Raise :class:`NotEnoughMemoryError` if a task needs more MB than are available."""
    available = available_mb()
    if available is not None and needed > available:
        raise NotEnoughMemoryError(
            f"{task} needs about {needed / 1024:.1f} GB of memory, and {available / 1024:.1f} GB are available. "
            f"{advice}, free some memory, or use a machine with more."
        )


def dense_mb(samples: int, features: int) -> int:
    """Return the MB that a clustering on N×N matrices takes, in addition to Python and the given samples."""
    item = 8 if samples <= DOUBLE_PRECISION_SAMPLES else 4
    # Features are held twice in double precision while distances are computed, and once in single.
    return (samples * (MATRICES * item * samples + 20 * features + VECTORS_BYTES)) // MB + 1


def graph_mb(samples: int, features: int, clusters: int | None) -> int:
    """Return the MB that AK+NC takes; it keeps neighbours instead of N×N matrices."""
    # Samples and copies of them; hyperedges and edges; search space of the eigensolver and discretised rows.
    per_sample = 8 * (3 * features + 200 + 14 * max(clusters or USUAL_CLUSTERS, 16))
    blocks = min(BLOCKS_MB, 32 * samples**2 // MB)
    return blocks + samples * per_sample // MB + 1


def given_distances_mb(samples: int) -> int:
    """Return the MB that AK+NC takes on precomputed distances."""
    return samples * (GIVEN_MATRICES * 8 * samples + VECTORS_BYTES) // MB + 1


def available_mb(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Return the MB that this process can allocate now, or None if the system does not report it.

    It is the smallest of the free memory and the amounts that the limits leave. A process that exceeds the limit of a
    control group is killed without a message.
    """
    left = [*_free(proc), *_left_in_groups(proc, groups), *_left_to_process(proc)]
    return min(left) // MB if left else None


def _free(proc: Path) -> Iterator[int]:
    """Yield the free memory of the machine, in bytes."""
    for line in _lines(proc / "meminfo"):
        if line.startswith("MemAvailable"):
            yield int(line.split()[1]) * 1024


def _left_to_process(proc: Path) -> Iterator[int]:
    """Yield the bytes that `ulimit -v` leaves."""
    for line in _lines(proc / "self" / "status"):
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY and line.startswith("VmSize"):
            yield max(0, limit - int(line.split()[1]) * 1024)


def _left_in_groups(proc: Path, groups: Path) -> Iterator[int]:
    """Yield the bytes that each control group up to the root leaves, in either layout of Linux (v1, v2)."""
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
                # Cached files count as used, but the system releases them when memory is needed.
                statistics = dict(line.split() for line in _lines(root / group / "memory.stat"))
                yield max(0, most - now + sum(int(statistics.get(name, 0)) for name in cache))


def _number(path: Path) -> int | None:
    """Return the number in a file, or None if there is no file or no limit in it."""
    text = "".join(_lines(path))
    return int(text) if text.isdigit() else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except OSError:
        return []
