"""Threads of the numerical libraries, for methods that use nothing else of the core."""

from threadpoolctl import ThreadpoolController


def blas_threads(libraries: ThreadpoolController) -> int:
    """Return how many threads BLAS may use now, the largest number if several libraries are loaded."""
    return max((pool["num_threads"] for pool in libraries.info() if pool["user_api"] == "blas"), default=1)
