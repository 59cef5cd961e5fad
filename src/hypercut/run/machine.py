"""Where a result was computed: libraries, processor and time."""

import importlib
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_info

#: Python and numerical libraries, whose versions may change the last digits of a result. A report on results of several
#: versions has a warning.
VERSIONS = ("python", "numpy", "scipy", "scikit_learn", "blas")
#: The versions and the processor, which may also change the last digits.
ENVIRONMENT = (*VERSIONS, "cpu")


def now() -> str:
    """Return date and time, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def environment() -> dict[str, str]:
    """Return the versions and processor of this process: a value for each of ENVIRONMENT."""
    importlib.import_module("scipy.linalg")  # numpy and scipy each bring a BLAS, which is listed once it is loaded
    blas = {f"{info['internal_api']} {info['version']}" for info in threadpool_info() if info.get("user_api") == "blas"}
    return {
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
        "scikit_learn": version("scikit-learn"),
        "blas": ", ".join(sorted(blas)) or "none",
        "cpu": cpu(),
    }


def cpu() -> str:
    """Return the model of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
