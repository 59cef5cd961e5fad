"""Work on a large matrix by blocks of rows, spread over as many threads as BLAS may use."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from threadpoolctl import threadpool_info, threadpool_limits

T = TypeVar("T")

# 32 rows of a 10,000-column block take 2.5 MB in double precision: large enough for BLAS, small enough for the cache.
BLOCK_ROWS = 32


def row_blocks(n_rows: int, size: int = BLOCK_ROWS) -> list[slice]:
    """Cut ``range(n_rows)`` into slices of at most ``size`` rows."""
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def thread_count() -> int:
    """Return the number of threads BLAS may use now (OMP_NUM_THREADS and threadpoolctl limits count)."""
    return max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)


def map_row_blocks(function: Callable[[slice], T], n_rows: int, size: int = BLOCK_ROWS) -> list[T]:
    """Call ``function`` on every block of rows and return the results in order.

    NumPy releases the interpreter lock in large operations, so threads help; BLAS is held to one thread a block
    meanwhile, lest the two kinds of parallelism fight.
    """
    blocks = row_blocks(n_rows, size)
    threads = min(thread_count(), len(blocks))
    if threads <= 1:
        return [function(block) for block in blocks]
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, blocks))
