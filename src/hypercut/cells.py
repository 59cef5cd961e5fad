"""One clustering of the benchmark: run, checked, measured and compared with the truth.

This is the far side of :mod:`hypercut.jobs`: it runs in the process that may be killed.
"""

import importlib
import importlib.util
import inspect
import json
import logging
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import ClusterMixin

from hypercut.algorithms import Clustering, Estimator, SpectralEstimator
from hypercut.algorithms._base import copies_of_one
from hypercut.communities import load_communities
from hypercut.core.blocks import block_threads, threads_allowed
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.errors import InputError
from hypercut.jobs import Describe, Job, Load, Score, Task
from hypercut.metrics import evaluate
from hypercut.problems import load_problem
from hypercut.results import Status
from hypercut.selection import neighbor_information

_log = logging.getLogger(__name__)


class Clusterer:
    """Answers the tasks of one job; the handler of a :class:`hypercut.worker.Worker`."""

    def __init__(self, job: Job) -> None:
        logging.basicConfig(format="%(message)s", level=logging.INFO)
        self.job = job
        self.problem = load_problem(job.problem)
        self.communities = load_communities(job.communities) if job.communities else None
        self._samples: tuple[int, Samples] | None = None
        self._hypergraphs: tuple[tuple[int, float], Hypergraphs] | None = None

    def __call__(self, task: Describe | Load | Task | Score, started: Callable[[], None]) -> Any:
        """Carry out one task."""
        if isinstance(task, Task):
            return self.cluster(task, started)
        started()
        match task:
            case Describe():
                return self.describe()
            case Load():
                return self.load()
            case Score(repeat, labelings):
                with block_threads():
                    return neighbor_information(self._samples_of(repeat), [np.asarray(labels) for labels in labelings])

    def describe(self) -> dict[str, Any]:
        """Return what all rows of the job have in common."""
        problem = self.problem
        return {
            "dataset": problem.dataset,
            "setting": problem.setting,
            "corruption": problem.corruption,
            "level": problem.level,
            "data_kind": problem.provenance["kind"],
            "complete": problem.provenance["complete"],
            "n_samples": problem.draws.shape[1],
            "n_features": problem.draws.shape[2],
            "n_clusters": problem.n_classes,
            "threads": threads_allowed(),
        }

    def load(self) -> dict[str, Any]:
        """Return what the algorithm says of itself, or why it cannot be used."""
        try:
            method = load_method(self.job.module, self.job.name)
            uses = tuple(getattr(method, "uses", ()))
            if uses != self.job.uses:
                raise InputError(
                    f"{self.job.module}: {method.__name__} uses {uses}, but its own class does not say so, and the "
                    f"workflow reads it there. Write it out in the class: uses = {uses}"
                )
        except Exception as error:
            _log.exception("%s could not be loaded", self.job.name)
            return {"role": "algorithm", "has_scale": False, "error": describe_error(error)}
        role, has_scale = getattr(method, "role", "algorithm"), getattr(method, "has_scale", False)
        return {"role": role, "has_scale": has_scale, "error": ""}

    def cluster(self, task: Task, started: Callable[[], None]) -> dict[str, Any]:
        """Return the columns of a row that the clustering decides."""
        columns: dict[str, Any] = {"shared_seconds": 0.0}
        begun = None
        try:
            run = self.prepare(task, columns)
            started()
            reset_peak_memory()
            begun = time.perf_counter(), time.process_time()
            clustering = run()
            columns |= {"wall_seconds": time.perf_counter() - begun[0], "cpu_seconds": time.process_time() - begun[1]}
            labels = checked_labels(clustering.labels, len(self.problem.y))
        except InvalidLabelsError as error:
            columns |= {"status": Status.INVALID, "message": str(error)}
        except MemoryError as error:
            columns |= {"status": Status.MEMORY, "message": describe_error(error)}
        except Exception as error:
            _log.exception("%s failed: repeat %d, σ/ρ = %s", self.job.name, task.repeat, task.factor)
            columns |= {"status": Status.FAILED, "message": describe_error(error)}
        else:
            columns |= {
                "status": clustering.status,
                "labels": labels.tolist(),
                "n_found": len(np.unique(labels)),
                "n_iter": clustering.n_iter,
                "solver": json.dumps(clustering.solver, sort_keys=True, default=float),
                **evaluate(self.problem.y, labels),
            }
        if begun is None:  # it failed before it started
            started()
        return {**columns, "peak_bytes": peak_memory()}

    def prepare(self, task: Task, columns: dict[str, Any]) -> Callable[[], Clustering]:
        """Return the clustering as a function; what comes before it is no part of its time."""
        method = load_method(self.job.module, self.job.name)
        k, seed = self.problem.n_classes, self.problem.seed(task.repeat)
        if not issubclass(method, SpectralEstimator):
            features = self.problem.draw(task.repeat).astype(np.float64)
            return lambda: cluster_features(method, k, task.parameters, features, self.problem.y, seed)
        hypergraphs, columns["shared_seconds"] = self._at_scale(task)
        if task.factor is not None:
            columns["sigma"] = hypergraphs.sigma
        estimator = method(n_clusters=k, **task.parameters).checked()
        return lambda: estimator.cluster(hypergraphs, seed)

    def _samples_of(self, repeat: int) -> Samples:
        """Return the samples of a repeat; those of the last one asked for are kept."""
        number = repeat if len(self.problem.draws) > 1 else 0
        if self._samples is None or self._samples[0] != number:
            self._samples = self._hypergraphs = None  # the old matrices go before the new ones come
            with block_threads():
                self._samples = (number, Samples.from_features(self.problem.draw(repeat)))
        return self._samples[1]

    def _at_scale(self, task: Task) -> tuple[Hypergraphs, float]:
        """Return the hypergraphs of a repeat at a scale, and the seconds that their communities took elsewhere."""
        samples = self._samples_of(task.repeat)
        if samples.mean_distance == 0:
            raise copies_of_one(len(samples))
        # Consecutive tasks of a sweep differ in their parameters alone, and share the kernel.
        scale = (task.repeat, task.factor or 1.0)
        if self._hypergraphs is None or self._hypergraphs[0] != scale:
            self._hypergraphs = None
            self._hypergraphs = (scale, Hypergraphs(samples, scale[1] * samples.mean_distance))
        hypergraphs = self._hypergraphs[1]
        found = None
        if self.communities is not None and task.factor is not None:
            found = self.communities.find(task.repeat, task.factor)
        if found is None or self.communities is None:
            return hypergraphs, 0.0
        labelings, seconds = found
        hypergraphs.provide_communities(self.communities.n_communities, self.problem.seed(task.repeat), labelings)
        return hypergraphs, seconds


def load_method(module: str, name: str) -> type[Any]:
    """Return the class with this ``name`` from a module, given as a dotted name or as the path of a ``.py`` file."""
    if module.endswith(".py"):
        # Under a name of our own: a file called random.py must not become the standard module.
        spec = importlib.util.spec_from_file_location(f"hypercut_method_{Path(module).stem}", module)
        if spec is None or spec.loader is None:
            raise InputError(f"{module}: expected a Python file.")
        loaded = sys.modules.get(spec.name)
        if loaded is None or getattr(loaded, "__file__", None) != spec.origin:
            loaded = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = loaded
            spec.loader.exec_module(loaded)
    else:
        loaded = importlib.import_module(module)
    for _, member in inspect.getmembers(loaded, inspect.isclass):
        if member.__module__ == loaded.__name__ and getattr(member, "name", None) == name:
            if not issubclass(member, ClusterMixin):
                raise InputError(f"{module}: expected {member.__name__} to be a scikit-learn clusterer (ClusterMixin).")
            return member
    raise InputError(f"{module}: expected a class with name = {name!r}, found none.")


def cluster_features(
    method: type[Any], k: int, parameters: dict[str, Any], X: np.ndarray, y: np.ndarray, seed: int
) -> Clustering:
    """Cluster by a scikit-learn clusterer that knows nothing of the shared core. Only controls get to see ``y``."""
    available = method().get_params()
    given = {name: value for name, value in (("n_clusters", k), ("random_state", seed)) if name in available}
    truth = y if getattr(method, "role", "") == "control" else None
    fitted = method(**given, **parameters).fit(X, truth)
    labels, embedding = np.asarray(fitted.labels_), np.empty((len(X), 0))
    if isinstance(fitted, Estimator):
        return Clustering(labels, embedding, fitted.n_iter_, fitted.status_, fitted.solver_)
    return Clustering(labels, embedding, n_iter=0)


class InvalidLabelsError(ValueError):
    """What an algorithm returned is no clustering."""


def checked_labels(labels: Any, n: int) -> np.ndarray:
    """Return the labels as integers, or complain about what they are."""
    array = np.asarray(labels)
    if array.shape != (n,):
        raise InvalidLabelsError(f"expected {n} labels, found an array of shape {array.shape}")
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all() or (array != np.round(array)).any():
        raise InvalidLabelsError(f"expected integer labels, found {array.dtype} such as {array[:3].tolist()}")
    if np.abs(array).max() > np.iinfo(np.int32).max:
        raise InvalidLabelsError(f"expected small integers as labels, found {array.max():g}")
    if len(np.unique(array)) < 2:
        raise InvalidLabelsError("expected at least two clusters, found one")
    return array.astype(np.int32)


def describe_error(error: BaseException) -> str:
    """Return an error's type and first line."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def reset_peak_memory() -> None:
    """Let the peak start again from what is in use now; where that cannot be done, peaks are of the whole process."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def peak_memory() -> int:
    """Return the largest resident size of this process since :func:`reset_peak_memory`, in bytes."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return next(1024 * int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak
