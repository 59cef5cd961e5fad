"""The origin of results: code, data, libraries and processor."""

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

#: Python and numerical libraries, whose versions may change the last digits of a result. A report on results of several
#: versions has a warning.
VERSIONS = ("python", "numpy", "scipy", "scikit_learn", "blas")
#: These and the processor, which may change them too.
ENVIRONMENT = (*VERSIONS, "cpu")
#: The columns of a row's origin.
COLUMNS = ("code", "data", *ENVIRONMENT, "computed")

_MEMBER = "origin.json"


@dataclass(frozen=True)
class Origin:
    """The origin of a file: where all its content came from."""

    code: Mapping[str, str]  # the fingerprint (hypercut.benchmark.code) of each step after the features
    data: str  # the fingerprint of the features
    problem: str = ""  # the dataset, setting and level
    corruption: Mapping[str, Any] = field(default_factory=dict)  # options of features and noise
    limits: Mapping[str, float] = field(default_factory=dict)  # time limit, and timeouts until the rest is skipped
    environment: Mapping[str, str] = field(default_factory=dict)  # a value for each of ENVIRONMENT
    computed: str = ""  # date and time, UTC

    def columns(self) -> dict[str, str]:
        """Return the origin as columns of a row."""
        code = sha256(canonical_json(dict(self.code)).encode()).hexdigest()
        missing = dict.fromkeys(ENVIRONMENT, "unknown")
        return {"code": code, "data": self.data, **missing, **self.environment, "computed": self.computed}

    def to_json(self) -> str:
        """Return the origin as JSON, for the metadata of a file."""
        return canonical_json(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Origin":
        """Return the origin from its JSON."""
        return cls(**json.loads(text))


def attach(archive: Path, origin: Origin) -> None:
    """Add the origin to an ``.npz`` file, as a member of the archive."""
    with ZipFile(archive, "a") as file:
        # ZipInfo has a fixed date: the same content gives the same bytes.
        file.writestr(ZipInfo(_MEMBER), origin.to_json())


def attached(archive: Path) -> Origin:
    """Return the origin of an ``.npz`` file, without loading its arrays."""
    try:
        with ZipFile(archive) as file:
            return Origin.from_json(file.read(_MEMBER).decode())
    except FileNotFoundError:
        raise InputError(f"{archive} is missing. Run the benchmark first.") from None
    except (OSError, KeyError, ValueError, TypeError, BadZipFile) as error:
        raise InputError(
            f"{archive} has no readable origin ({error!r}). Delete it and run the benchmark again."
        ) from None


def combined(origins: Iterable[Origin], code: Mapping[str, str]) -> Origin:
    """Return the origin of the output of a step, from the origins of its inputs and its own code.

    The inputs must be of the same problem and data and, where they share steps, of the same code.
    """
    merged: dict[str, str] = {}
    first, *others = origins
    for origin in (first, *others):
        shared = merged.keys() & origin.code.keys()
        same = all(getattr(origin, name) == getattr(first, name) for name in ("data", "problem", "corruption"))
        if not same or any(merged[step] != origin.code[step] for step in shared):
            raise InputError(
                f"The input files come from different problems, data or code ({first.problem} and {origin.problem}). "
                "Delete them and run the benchmark again."
            )
        merged |= origin.code
    return replace(first, code={**merged, **code})


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
