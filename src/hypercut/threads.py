"""How many threads the numerical libraries of this process may use."""

from threadpoolctl import ThreadpoolController


def blas_threads(libraries: ThreadpoolController) -> int:
    """Return how many threads BLAS may use now, the largest number if several are loaded."""
    return max((pool["num_threads"] for pool in libraries.info() if pool["user_api"] == "blas"), default=1)
