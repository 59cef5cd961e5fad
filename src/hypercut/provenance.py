"""Where results came from: the code that ran, the data, and the libraries and processor that ran it."""

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from hypercut.files import canonical_json

#: What may move a result in its last digits: Python, the libraries that compute, and the processor.
ENVIRONMENT = ("python", "numpy", "scipy", "scikit_learn", "blas", "cpu")
#: Of these, the versions: results of several are compared with a warning.
VERSIONS = ("python", "numpy", "scipy", "scikit_learn", "blas")
#: The columns that say where a row came from.
COLUMNS = ("code", "data", *ENVIRONMENT, "computed")


@dataclass(frozen=True)
class Origin:
    """Where all rows of one result file came from."""

    code: Mapping[str, str]
    """the fingerprint of each step's code (:mod:`hypercut.sources`), from the features to the rows"""
    data: str
    """the fingerprint of the features"""
    corruption: Mapping[str, Any] = field(default_factory=dict)
    """the options of the corruption: scale and distribution of the noise"""
    environment: Mapping[str, str] = field(default_factory=dict)
    """a value for each of ENVIRONMENT"""
    computed: str = ""
    """date and time, UTC"""

    def columns(self) -> dict[str, str]:
        """Return the same as columns of a row."""
        code = sha256(canonical_json(dict(self.code)).encode()).hexdigest()
        missing = dict.fromkeys(ENVIRONMENT, "unknown")
        return {"code": code, "data": self.data, **missing, **self.environment, "computed": self.computed}

    def to_json(self) -> str:
        """Return the origin as it stands in the metadata of a result file."""
        return canonical_json(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Origin":
        """Return what :meth:`to_json` wrote."""
        return cls(**json.loads(text))


def now() -> str:
    """Return date and time, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def environment() -> dict[str, str]:
    """Return what this process computes with. To be called where the libraries are loaded: BLAS is found by that."""
    return {
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
        "scikit_learn": version("scikit-learn"),
        "blas": blas(),
        "cpu": cpu(),
    }


def blas() -> str:
    """Return the BLAS libraries that are loaded, with their versions and the processor they are made for."""
    found = {
        " ".join(str(info[key]) for key in ("internal_api", "version", "architecture") if info.get(key))
        for info in threadpool_info()
        if info.get("user_api") == "blas"
    }
    return ", ".join(sorted(found)) or "none"


def cpu() -> str:
    """Return the model of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
