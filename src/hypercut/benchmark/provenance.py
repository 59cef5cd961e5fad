"""Where results came from: the code that ran, the data, and the libraries and processor that ran it."""

import importlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from threadpoolctl import threadpool_info

from hypercut.errors import InputError
from hypercut.files import canonical_json

#: What may move a result in its last digits: Python, the libraries that compute, and the processor.
ENVIRONMENT = ("python", "numpy", "scipy", "scikit_learn", "blas", "cpu")
#: Of these, the versions: results of several are compared with a warning.
VERSIONS = ("python", "numpy", "scipy", "scikit_learn", "blas")
#: The columns that say where a row came from.
COLUMNS = ("code", "data", *ENVIRONMENT, "computed")

_MEMBER = "origin.json"


@dataclass(frozen=True)
class Origin:
    """Where all rows of one result file came from."""

    code: Mapping[str, str]
    """the fingerprint of each step's code (:mod:`hypercut.benchmark.code`) that led from the features to here"""
    data: str
    """the fingerprint of the features"""
    problem: str = ""
    """the dataset, setting and level"""
    corruption: Mapping[str, Any] = field(default_factory=dict)
    """the options of the corruption: scale and distribution of the noise"""
    limits: Mapping[str, float] = field(default_factory=dict)
    """when a clustering is given up"""
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


#: Of a file that does not say where it came from.
NO_ORIGIN = Origin(code={}, data="")


def attach(archive: Path, origin: Origin) -> None:
    """Put the origin into an ``.npz`` file, as one more member of the archive."""
    with ZipFile(archive, "a") as file:
        # With a date of its own the same content would give other bytes.
        file.writestr(ZipInfo(_MEMBER), origin.to_json())


def attached(archive: Path) -> Origin:
    """Return the origin of an ``.npz`` file, without loading its arrays."""
    try:
        with ZipFile(archive) as file:
            return Origin.from_json(file.read(_MEMBER).decode())
    except FileNotFoundError:
        raise InputError(f"{archive}: there is no such file. Run the benchmark first.") from None
    except (OSError, KeyError, ValueError, TypeError, BadZipFile) as error:
        raise InputError(
            f"{archive}: expected a file of hypercut's that says where it came from, but: {error!r}. "
            "Delete it and run the benchmark again: it is computed anew."
        ) from None


def combined(origins: Iterable[Origin], code: Mapping[str, str]) -> Origin:
    """Return the origin of what a step with this code computes from several files.

    They must be of the same problem and data and, as far as they share steps, of the same code.
    """
    merged: dict[str, str] = {}
    first, *others = origins
    for origin in (first, *others):
        shared = merged.keys() & origin.code.keys()
        if (origin.data, origin.problem) != (first.data, first.problem) or any(
            merged[step] != origin.code[step] for step in shared
        ):
            raise InputError(
                f"The input files come from different problems, data or code ({first.problem} and {origin.problem}). "
                "Delete them and run the benchmark again: they are computed anew."
            )
        merged |= origin.code
    return replace(first, code={**merged, **code})


def now() -> str:
    """Return date and time, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def environment() -> dict[str, str]:
    """Return what this process computes with."""
    importlib.import_module("scipy.linalg")  # a BLAS is known once it is loaded, numpy's and scipy's own
    return {
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
        "scikit_learn": version("scikit-learn"),
        "blas": blas(),
        "cpu": cpu(),
    }


def blas() -> str:
    """Return the BLAS libraries that are loaded, with their versions."""
    loaded = [info for info in threadpool_info() if info.get("user_api") == "blas"]
    return ", ".join(sorted({f"{info['internal_api']} {info['version']}" for info in loaded})) or "none"


def cpu() -> str:
    """Return the model of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
