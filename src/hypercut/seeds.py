"""Random streams that depend on names alone.

A stream is the same in every process, on every machine and in whatever order the work is done, because nothing but the
names goes into it. The bit generator is named, so that a new default of numpy's would change nothing.
"""

import hashlib

import numpy as np


def stream(*names: str | int) -> np.random.Generator:
    """The random stream that belongs to the names.

    >>> int(stream("orl", "noise", "L1", 0).integers(1000))
    84
    """
    digest = hashlib.sha256(repr([str(name) for name in names]).encode()).digest()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(int.from_bytes(digest, "big"))))
