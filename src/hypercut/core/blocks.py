"""Parallel work by blocks of rows.

A clustering is a chain of products with one large matrix and of small dense algebra between them. BLAS threads help
the products little and the small steps not at all (measured on USPS, two cores: 18 s of processor time instead of 11,
for a fifth off the wall time), and their results depend on how many there are. So inside :func:`block_threads` BLAS
keeps to one thread, and the large matrices are worked on in blocks of fixed size by threads of our own: the labels are
then the same, to the bit, on one core and on many.
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

# Rows of a block that is read once: large enough to keep BLAS and NumPy busy.
BLOCK_ROWS = 256

_threads: ContextVar[int] = ContextVar("threads", default=1)
_lock = Lock()
_entered = SimpleNamespace(count=0, threads=1, limit=None)


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def block_threads() -> Iterator[None]:
    """Take over the threads that BLAS may use now (OMP_NUM_THREADS and threadpoolctl limits count).

    The limit on BLAS holds for the whole process: it is set by the first that enters and lifted by the last that
    leaves, whichever threads they are in.
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


def _keep_to_one_thread() -> None:
    """Hold OpenMP to one thread in the thread that calls this: its limit is each thread's own, unlike that of BLAS."""
    _controller().limit(limits=1, user_api="openmp")


def parallel_map(function: Callable[[Item], T], items: Iterable[Item]) -> list[T]:
    """Call ``function`` on every item, in threads, and return the results in order.

    NumPy and BLAS release the interpreter lock in large operations, so threads help there.
    """
    items = list(items)
    threads = min(_threads.get(), len(items))
    if threads <= 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(threads, initializer=_keep_to_one_thread) as pool:
        return list(pool.map(function, items))


def map_row_blocks(function: Callable[[slice], T], n_rows: int, size: int = BLOCK_ROWS) -> list[T]:
    """Call ``function`` on every block of at most ``size`` rows and return the results in order."""
    return parallel_map(function, [slice(row, min(row + size, n_rows)) for row in range(0, n_rows, size)])
