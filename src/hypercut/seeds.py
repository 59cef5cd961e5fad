"""Random streams that depend only on names.

A stream is the same in every process, on every machine and in any order of work. The bit generator is fixed, so that a
new default in NumPy has no effect.
"""

import hashlib

import numpy as np


def stream(*names: str | int) -> np.random.Generator:
    """Return the random generator that belongs to the names.

    Examples
    --------
    >>> int(stream("orl", "noise", "L1", 0).integers(1000))
    84
    """
    digest = hashlib.sha256(repr([str(name) for name in names]).encode()).digest()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(int.from_bytes(digest, "big"))))
