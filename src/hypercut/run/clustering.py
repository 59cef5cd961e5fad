"""One clustering of the benchmark: run, checked, measured, compared with the true classes and scored without them.

This runs in the worker process of a job (:mod:`hypercut.run.jobs`), which may be killed.
"""

import json
import logging
import resource
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.base import ClusterMixin
from threadpoolctl import ThreadpoolController

from hypercut.algorithms._registry import load_class
from hypercut.core.threads import blas_threads
from hypercut.errors import InputError
from hypercut.metrics import evaluate
from hypercut.paper.protocol import kind_of
from hypercut.run.failures import FAILURES, Failure, FailureError, Status, failure_of
from hypercut.run.machine import environment
from hypercut.run.overclustering import load_overclusterings
from hypercut.run.problems import Problem, load_problem
from hypercut.run.tasks import Job, Method, Task

#: The statuses of a clustering that has labels.
COMPLETED = frozenset(Status) - FAILURES

_log = logging.getLogger(__name__)


class Clusterer:
    """Answers the requests of one job: the handler of a :class:`hypercut.run.worker.Worker`."""

    def __init__(self, job: Job) -> None:
        logging.basicConfig(format="%(message)s", level=logging.INFO)
        self.job = job
        self.step = job.recipe["cluster"]
        module = self.step["module"]
        # A method may change the working folder.
        self.module = str(Path(module).absolute()) if module.endswith(".py") else module
        self.last: tuple[int, np.ndarray] | None = None  # repeat and labels of the last clustering

    @cached_property
    def problem(self) -> Problem:
        """The problem, read by the first request."""
        return load_problem(self.job.problem, self.job.recipe)

    @cached_property
    def runs(self) -> Any:
        """The runs of the method on the problem, from its class method ``runs`` or :class:`FeatureRuns`.

        ``prepare(repeat, sigma_factor, parameters)`` returns the clustering as a function, which alone is timed, and
        columns of its row that are known beforehand. ``scores(repeat, labelings)``, for a method with σ, returns the
        label-free score of each labeling. ``diagnose(clustering, truth)``, which a class need not have, returns further
        columns that compare the clustering prepared last with the true classes.
        """
        method = self.load_method()
        if hasattr(method, "runs"):
            file = self.job.overclustering
            return method.runs(self.problem, load_overclusterings(file, self.job.recipe) if file else None)
        return FeatureRuns(method, self.problem)

    def load_method(self) -> type[Any]:
        """Return the class of the method."""
        return load_method(self.module, self.step["algorithm"])

    def __call__(self, request: Literal["describe", "load", "score"] | Task) -> Any:
        """Answer one request."""
        if isinstance(request, Task):
            return self.cluster(request)
        return {"describe": self.describe, "load": self.load, "score": self.score}[request]()

    def describe(self) -> dict[str, Any]:
        """Return the columns that all rows of the job share."""
        problem = self.problem
        return {
            "dataset": problem.dataset,
            "setting": problem.setting,
            "corruption": kind_of(problem.setting),
            "level": problem.level,
            "data_kind": problem.provenance["kind"],
            "complete": problem.provenance["complete"],
            "n_samples": problem.draws.shape[1],
            "n_features": problem.draws.shape[2],
            "n_clusters": problem.n_classes,
            "threads": blas_threads(ThreadpoolController()),
            "identity": problem.provenance["identity"],
            **environment(),
        }

    def load(self) -> Method | Failure:
        """Return the attributes of the algorithm's class, or why it cannot be used."""
        try:
            method = self.load_method()
            uses = tuple(getattr(method, "uses", ()))
            if uses != tuple(self.step["uses"]):
                raise InputError(
                    f"{self.module}: {method.__name__} inherits uses = {uses}, but the workflow reads it from the body "
                    f"of the class. Write it out in the class: uses = {uses}"
                )
            if getattr(method, "has_sigma", False) and not hasattr(method, "runs"):
                raise InputError(
                    f"{self.module}: {method.__name__} has has_sigma = True, but only a SpectralEstimator is "
                    "given a σ. Derive it from that class or remove has_sigma."
                )
        except BaseException as error:  # SystemExit too: a module must not end the job
            _log.exception("%s could not be loaded", self.step["algorithm"])
            return failure_of(error)
        return Method(getattr(method, "role", "algorithm"), getattr(method, "has_sigma", False))

    def cluster(self, task: Task) -> dict[str, Any]:
        """Return the columns of one clustering's row."""
        columns: dict[str, Any] = {"shared_seconds": 0.0}
        try:
            run, known = self.runs.prepare(task.repeat, task.sigma_factor, task.parameters)
            columns |= known
            reset_peak_memory()
            begun = time.perf_counter(), time.process_time()
            clustering = run()
            columns |= {"wall_seconds": time.perf_counter() - begun[0], "cpu_seconds": time.process_time() - begun[1]}
            labels = checked_labels(clustering.labels, self.problem.n_samples)
            self.last = task.repeat, labels
            truth = self.problem.classes(task.repeat)
            sizes = np.unique(labels, return_counts=True)[1]
            columns |= {
                "status": clustering.status if clustering.status in COMPLETED else Status.OK,
                "labels": labels.tolist(),
                "n_found": len(sizes),
                "smallest_cluster": int(sizes.min()),
                "n_iter": _count(clustering.n_iter),
                "solver": _json(clustering.solver),
                **evaluate(truth, labels),
            }
            if hasattr(self.runs, "diagnose"):
                columns |= self.runs.diagnose(clustering, truth)
        except InvalidLabelsError as error:
            columns |= Failure(Status.INVALID, str(error)).columns()
        except FailureError as error:
            columns |= error.failure.columns()
        except BaseException as error:  # SystemExit too: a method must not end the job
            _log.exception("%s failed: repeat %d, σ/ρ = %s", self.step["algorithm"], task.repeat, task.sigma_factor)
            columns |= failure_of(error).columns()
        columns["peak_bytes"] = peak_memory()
        return columns

    def score(self) -> float | Failure:
        """Return the label-free score of the last clustering."""
        assert self.last is not None
        repeat, labels = self.last
        try:
            (score,) = self.runs.scores(repeat, [labels])
            return float(score)
        except BaseException as error:  # SystemExit too: a method must not end the job
            _log.exception("%s has no label-free score: repeat %d", self.step["algorithm"], repeat)
            return failure_of(error)


class FeatureRuns:
    """Runs any scikit-learn clusterer on the features of a problem."""

    def __init__(self, method: type[Any], problem: Problem) -> None:
        self.method = method
        self.problem = problem

    def prepare(
        self, repeat: int, sigma_factor: float | None, parameters: dict[str, Any]
    ) -> tuple[Callable[[], "Fitted"], dict[str, Any]]:
        """Return the clustering as a function. Only controls receive the true classes."""
        available = self.method().get_params()
        given = {"n_clusters": self.problem.n_classes, "random_state": self.problem.seed(repeat)}
        given = {name: value for name, value in given.items() if name in available}
        estimator = self.method(**given, **parameters)
        features = self.problem.draw(repeat).astype(np.float64)
        truth = self.problem.classes(repeat) if getattr(self.method, "role", "") == "control" else None
        return lambda: Fitted(estimator.fit(features, truth)), {}


class Fitted:
    """The clustering of a fitted scikit-learn clusterer. Only ``labels_`` is required."""

    def __init__(self, estimator: Any) -> None:
        self.labels = estimator.labels_
        n_iter, status, solver = (getattr(estimator, name, None) for name in ("n_iter_", "status_", "solver_"))
        self.n_iter = n_iter
        self.status: str = status if isinstance(status, str) else Status.OK
        self.solver = solver if isinstance(solver, dict) else {}


def _count(value: Any) -> int:
    """Return ``n_iter_`` as an integer, 0 if a method has set it to anything else."""
    return int(value) if isinstance(value, Integral) and 0 <= int(value) < 2**63 else 0


def _json(solver: dict[str, Any]) -> str:
    """Return ``solver_`` as JSON, in which values of unknown types become text."""
    return json.dumps({str(key): value for key, value in solver.items()}, sort_keys=True, default=_plain)


def _plain(value: Any) -> float | str:
    try:
        return float(value)
    except (TypeError, ValueError):
        return repr(value)


def load_method(module: str, name: str) -> type[Any]:
    """Return the class with this ``name`` from a module, given as a dotted name or as the path of a ``.py`` file."""
    method = load_class(module, name)
    if not issubclass(method, ClusterMixin):
        raise InputError(f"{module}: expected {method.__name__} to be a scikit-learn clusterer (ClusterMixin).")
    return method


class InvalidLabelsError(ValueError):
    """The labels of an algorithm are not a clustering."""


def checked_labels(labels: Any, n: int) -> np.ndarray:
    """Return the labels as int32; raise :class:`InvalidLabelsError` if they are not a clustering of n samples."""
    array = np.asarray(labels)
    if array.shape != (n,):
        raise InvalidLabelsError(f"expected {n} labels, found an array of shape {array.shape}")
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all() or (array != np.round(array)).any():
        raise InvalidLabelsError(f"expected integer labels, found {array.dtype} such as {array[:3].tolist()}")
    limits = np.iinfo(np.int32)
    if array.min() < limits.min or array.max() > limits.max:
        raise InvalidLabelsError(f"expected 32-bit integers as labels, found {array.min():g} to {array.max():g}")
    if len(np.unique(array)) < 2:
        raise InvalidLabelsError("expected at least two clusters, found one")
    return array.astype(np.int32)


def reset_peak_memory() -> None:
    """Reset the peak to the memory in use now. On systems that cannot do this, peaks are of the whole process."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_memory() -> int:
    """Return the largest resident size of this process since :func:`reset_peak_memory`, in bytes."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return next(1024 * int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak
