"""How much memory a clustering needs, before it starts."""

import zipfile
from pathlib import Path

#: What Python and its libraries need, MB.
BASE_MB = 300
#: Distances, kernel, and one more for NRSC and for what eigensolvers keep.
MATRICES = 3
#: Up to here matrices are in double precision, see hypercut.core.samples.
DOUBLE_PRECISION_SAMPLES = 4096


def memory_mb(problem: Path) -> int:
    """Return the MB that clustering a problem may take, read off the headers of its file."""
    return clustering_mb(*_shape(problem))


def clustering_mb(samples: int, features: int) -> int:
    """Return the MB for so many samples."""
    item = 8 if samples <= DOUBLE_PRECISION_SAMPLES else 4
    # The samples are held in single precision, and twice in double while distances are computed.
    return BASE_MB + (MATRICES * item * samples**2 + 20 * samples * features) // 2**20


def _shape(problem: Path) -> tuple[int, int]:
    """Return the number of samples and of features."""
    from numpy.lib import format as npy

    with zipfile.ZipFile(problem) as archive, archive.open("draws.npy") as file:
        npy.read_magic(file)
        shape, _, _ = npy.read_array_header_1_0(file)
    return int(shape[1]), int(shape[2])
