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
    samples, size = _shape(problem)
    item = 8 if samples <= DOUBLE_PRECISION_SAMPLES else 4
    return BASE_MB + (MATRICES * item * samples**2 + 3 * size) // 2**20


def _shape(problem: Path) -> tuple[int, int]:
    """Return N and the bytes of one draw of the samples."""
    from numpy.lib import format as npy

    with zipfile.ZipFile(problem) as archive, archive.open("draws.npy") as file:
        npy.read_magic(file)
        shape, _, _ = npy.read_array_header_1_0(file)
    return int(shape[1]), int(4 * shape[1] * shape[2])
