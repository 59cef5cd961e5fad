"""A small problem, and the recipes of jobs on it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hypercut.data.features import Features
from hypercut.run.jobs import Job, run_job
from hypercut.run.problems import Problem, make_problem, save_problem
from tests.benchmark.test_design import benchmark

PROVENANCE = {"kind": "own", "complete": True, "identity": "da7a"}
#: The recipe of the problem.
MADE: dict[str, Any] = {"featurize": {"dataset": "blobs", "code": "f0"}, "corrupt": {"level": 0.4, "code": "c0"}}
FACTORS = [0.4, 1.0]

_methods = benchmark().method


def samples(*sizes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return clusters of these sizes and their classes."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(len(sizes)), sizes)
    return rng.normal(size=(sum(sizes), 4)) + 6 * np.eye(len(sizes), 4)[y], y


def blobs(setting: str = "noise-L2", level: float = 0.4, draws: int = 2) -> Problem:
    """Return 45 samples in three clusters."""
    return make_problem("blobs", Features(*samples(15, 15, 15), PROVENANCE), setting=setting, level=level, draws=draws)


def resampled() -> Features:
    """Return 90 samples, of which each repeat has 45."""
    options = {"subset": 45, "seed": 0, "resample": True}
    return Features(*samples(20, 30, 40), {**PROVENANCE, "dataset": "blobs", "options": options})


def saved(path: Path, problem: Problem) -> Path:
    save_problem(path, problem, MADE)
    return path


def limits(seconds: float = 60, in_a_row: int = 3) -> dict[str, float]:
    return {"time_limit": seconds, "give_up_after": in_a_row}


def overcluster_step(**changes) -> dict[str, Any]:
    return {"repeats": 2, "sigma_factors": FACTORS, "code": "o0", **changes}


def job(problem: Path, name: str, module: str = "", overclustering: Path | None = None, **changes) -> Job:
    """Return a job of an algorithm of hypercut, or of a module. ``changes`` are of the step of its recipe."""
    known = {"module": module, "uses": ()} if module else {"module": _methods(name).module, "uses": _methods(name).uses}
    step = {"algorithm": name, **known, "variation": "", "repeats": 2, "sigma_factors": FACTORS, "limits": limits()}
    steps = {"overcluster": overcluster_step()} if overclustering else {}
    return Job({**MADE, **steps, "cluster": {**step, **changes}}, problem, overclustering)


def rows_of(
    problem: Path,
    name: str,
    module: str = "",
    parameters: Sequence[dict[str, Any]] = ({},),
    overclustering: Path | None = None,
    **changes,
) -> list[dict[str, Any]]:
    """Return the rows of a job, see :func:`job`."""
    return run_job(job(problem, name, module, overclustering, **changes), list(parameters))


def method(folder: Path, body: str, base: str = "ClusterMixin, BaseEstimator", head: str = "") -> str:
    """Write a module with a clusterer named Mine whose ``fit`` has this body; return its path."""
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    (folder / "mine.py").write_text(
        "import ctypes, os, resource, sys, time\n"
        "import numpy as np\n"
        "from sklearn.base import BaseEstimator, ClusterMixin\n"
        f"class Mine({base}):\n"
        f"    name = 'Mine'\n{head}"
        f"    def fit(self, X, y=None):\n{lines}"
        "        self.labels_ = np.arange(len(X)) % 2\n"
        "        return self\n"
    )
    return str(folder / "mine.py")
