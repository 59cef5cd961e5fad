"""
More samples than fit into memory: fit on a sample, predict with Dask
======================================================================

Clustering ten million rows at once takes more memory and time than it is worth: twenty thousand of them show the same
clusters. :class:`hypercut.HypergraphClustering` is fitted to a sample, and Dask calls its ``predict`` on blocks of all
rows in parallel. No process ever holds more than a few blocks: ten million rows take 17 minutes of processor time,
which the workers share, and at most 0.7 GB in a process.

Run it with ``python examples/dask_predict.py``, or with another number of rows and size of the sample:
``python examples/dask_predict.py 1000000 5000``. Dask is installed by ``pip install hypercut[examples]``.
"""

import resource
import sys
import time

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster
from numpy.typing import NDArray

from hypercut import HypergraphClustering
from hypercut.metrics import matched_accuracy

ROWS, SAMPLE = 10_000_000, 20_000
BLOCK = 100_000
FEATURES, CLASSES = 16, 10

# %%
# The data
# --------
# Each class is a noisy closed curve in 16 dimensions, so that classes are not round and k-means would cut them. A block
# of rows is generated from its number whenever it is needed, as it would be read from a file. The last column is the
# class.


def rows_of_block(block_info: dict, classes: int = CLASSES, features: int = FEATURES) -> NDArray[np.float32]:
    """Return a block of rows: the features and the class."""
    (start, stop), _ = block_info[None]["array-location"]
    shapes = np.random.default_rng(0).standard_normal((classes, 5, features)) * [[2], [1], [1], [0.3], [0.3]]
    rng = np.random.default_rng([1, start])
    of = rng.integers(classes, size=stop - start)
    angle = rng.uniform(0, 2 * np.pi, size=len(of))
    waves = np.column_stack([np.ones(len(of)), *(f(n * angle) for n in (1, 2) for f in (np.cos, np.sin))])
    X = np.einsum("nw,nwf->nf", waves, shapes[of]) + 0.3 * rng.standard_normal((len(of), features))
    return np.column_stack([X, of]).astype(np.float32)


def lazy_rows(rows: int) -> da.Array:
    """Return the rows as a Dask array of which nothing has been computed."""
    blocks = da.core.normalize_chunks((BLOCK, FEATURES + 1), (rows, FEATURES + 1))
    return da.map_blocks(rows_of_block, chunks=blocks, dtype=np.float32, meta=np.empty((0, 0), dtype=np.float32))


# %%
# Fit on a sample, predict all
# ----------------------------
# The rows are in random order, so the first ones are a random sample. ``map_blocks`` needs nothing but the bound
# method: the fitted model is sent to the workers, 5 MB for 20,000 samples.


def main(rows: int = ROWS, sample: int = SAMPLE) -> float:
    """Print what was found and how long it took; return the accuracy."""
    data = lazy_rows(rows)
    X, y = data[:, :-1], data[:, -1].astype(np.int8)

    began = time.perf_counter()
    model = HypergraphClustering(CLASSES, random_state=0).fit(X[:sample].compute())
    print(f"fit on {sample:,} rows: {time.perf_counter() - began:.0f} s, view {model.view_}")

    began = time.perf_counter()
    labels = X.map_blocks(model.predict, drop_axis=1, meta=np.empty(0, dtype=np.intp)).astype(np.int8)
    truth, labels = da.compute(y, labels)
    print(f"predict {rows:,} rows: {time.perf_counter() - began:.0f} s")

    accuracy = matched_accuracy(truth, labels)
    print(f"accuracy against the known classes: {accuracy:.4f}")
    return accuracy


# %%
# A cluster on this machine
# -------------------------
# One process per core, with one thread each. On a real cluster, only the next lines change: ``Client`` gets the address
# of its scheduler.

if __name__ == "__main__":
    sizes = map(int, sys.argv[1:])
    with LocalCluster(threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        main(*sizes)
        workers = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20).values()
        print(f"peak memory: {max(workers):.1f} GB in the largest of {len(workers)} workers")
