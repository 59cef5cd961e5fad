"""How much memory a clustering needs, before it starts."""

import zipfile
from pathlib import Path

#: What Python and its libraries need, MB.
BASE_MB = 300
#: Distances, kernel, and one more for NRSC and for what eigensolvers keep.
MATRICES = 3
#: Up to here matrices are in double precision, see hypercut.core.samples.
DOUBLE_PRECISION_SAMPLES = 4096


#: Blocks of distances that are looked through at once, by two threads.
BLOCKS_MB = 400
#: For the estimate of memory when the number of clusters is not known yet.
USUAL_CLUSTERS = 30


def memory_mb(problem: Path) -> int:
    """Return the MB that clustering a problem may take, read off the headers of its file."""
    return clustering_mb(*_shape(problem))


def clustering_mb(samples: int, features: int) -> int:
    """Return the MB for so many samples."""
    item = 8 if samples <= DOUBLE_PRECISION_SAMPLES else 4
    # The samples are held in single precision, and twice in double while distances are computed.
    return BASE_MB + (MATRICES * item * samples**2 + 20 * samples * features) // 2**20


def graph_mb(samples: int, features: int, clusters: int | None) -> int:
    """Return the MB for so many samples where only neighbours are kept: AK+NC."""
    width = (clusters or USUAL_CLUSTERS) * 6 // 5 + 4
    # The samples and copies of them; hyperedges, with their transpose; the search space of the eigensolver; rows that
    # are discretised.
    per_sample = 8 * (5 * features + 300 + 14 * width + 20 * (clusters or USUAL_CLUSTERS))
    return BASE_MB + BLOCKS_MB + samples * per_sample // 2**20


def available_mb() -> int | None:
    """Return the memory that can be had now, where the system tells."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return None


def _shape(problem: Path) -> tuple[int, int]:
    """Return the number of samples and of features."""
    from numpy.lib import format as npy

    with zipfile.ZipFile(problem) as archive, archive.open("draws.npy") as file:
        npy.read_magic(file)
        shape, _, _ = npy.read_array_header_1_0(file)
    return int(shape[1]), int(shape[2])
