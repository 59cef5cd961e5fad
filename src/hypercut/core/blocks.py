"""Parallel work by blocks of rows.

A clustering alternates between products with one large matrix and small dense algebra. BLAS threads speed up the
products a little and the small steps not at all: USPS on two cores takes 18 s of processor time instead of 11 and saves
a fifth of the wall time. Results also depend on the number of BLAS threads. So BLAS uses one thread inside
:func:`block_threads`, and our own threads work on blocks of the large matrices. The size of a block is fixed, so labels
are the same on any number of cores.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from threading import Lock
from types import SimpleNamespace
from typing import TypeVar

from threadpoolctl import ThreadpoolController

from hypercut.core.threads import blas_threads

Item = TypeVar("Item")
T = TypeVar("T")

# Rows of a block: large enough to keep BLAS and NumPy busy.
BLOCK_ROWS = 256

_threads: ContextVar[int] = ContextVar("threads", default=1)
_lock = Lock()
_entered = SimpleNamespace(count=0, threads=1, limit=None)


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def block_threads() -> Iterator[None]:
    """Limit BLAS to one thread, and use as many threads for blocks as BLAS was allowed.

    OMP_NUM_THREADS or threadpoolctl set that number. The limit holds for the whole process: the first thread to enter
    sets it, and the last to leave lifts it.
    """
    with _lock:
        if _entered.count == 0:
            _entered.threads = blas_threads(_controller())
            _entered.limit = _controller().limit(limits=1)
        _entered.count += 1
    token = _threads.set(max(_threads.get(), _entered.threads))
    try:
        yield
    finally:
        _threads.reset(token)
        with _lock:
            _entered.count -= 1
            if _entered.count == 0:
                _entered.limit.restore_original_limits()


def allowed_threads() -> int:
    """Return the number of threads that libraries with their own threads may use inside :func:`block_threads`."""
    return _threads.get()


def parallel_map(function: Callable[[Item], T], items: Iterable[Item]) -> list[T]:
    """Call ``function`` on every item, in threads, and return the results in order.

    NumPy and BLAS release the interpreter lock in large operations, so threads help there.
    """
    items = list(items)
    threads = min(_threads.get(), len(items))
    if threads <= 1:
        return [function(item) for item in items]
    # The limit of OpenMP, unlike that of BLAS, holds only for the thread that sets it.
    with ThreadPoolExecutor(threads, initializer=lambda: _controller().limit(limits=1, user_api="openmp")) as pool:
        return list(pool.map(function, items))


def map_row_blocks(function: Callable[[slice], T], n_rows: int, size: int = BLOCK_ROWS) -> list[T]:
    """Call ``function`` on every block of at most ``size`` rows and return the results in order."""
    return parallel_map(function, [slice(row, min(row + size, n_rows)) for row in range(0, n_rows, size)])
