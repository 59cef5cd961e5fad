"""Threads of the numerical libraries. This module imports nothing from the core, for methods that do not use it."""

from threadpoolctl import ThreadpoolController


def blas_threads(libraries: ThreadpoolController) -> int:
    """Return the number of threads that BLAS may use; if several libraries are loaded, the largest number."""
    return max((pool["num_threads"] for pool in libraries.info() if pool["user_api"] == "blas"), default=1)
