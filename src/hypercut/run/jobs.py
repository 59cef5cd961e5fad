"""A job of the benchmark: many clusterings by one algorithm, each of which may fail without affecting the others.

The clusterings run in a worker process (:mod:`hypercut.run.worker`). The job's own process survives whatever
happens there and makes a row of every outcome.
"""

import logging
import math
from collections.abc import Sequence
from typing import Any

from hypercut.files import canonical_json
from hypercut.progress import show
from hypercut.run.failures import FAILURES, RANGES, Failure, Status, impossible_score
from hypercut.run.tasks import Job, Method, Task
from hypercut.run.worker import Handler, Limits, Worker

_log = logging.getLogger(__name__)


def run_job(job: Job, combinations: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row for every repeat, σ and combination of parameters of a job's recipe, failed or not."""
    step = job.recipe["cluster"]
    limits = Limits(step["limits"]["time_limit"], step["limits"]["give_up_after"])
    with Worker(make_clusterer, job) as worker:
        facts = worker.ask("describe")
        if isinstance(facts, Failure):
            raise RuntimeError(f"{job.problem} could not be read: {facts.message}. See the lines above.")
        loaded = _load(worker, limits)
        method = loaded if isinstance(loaded, Method) else Method()
        tasks = [
            Task(repeat, factor, parameters)
            for repeat in range(step["repeats"])
            for factor in (step["sigma_factors"] if method.has_sigma else [None])
            for parameters in combinations
        ]
        answers = worker.ask_all(tasks, limits) if isinstance(loaded, Method) else [loaded] * len(tasks)
        common = {**facts, "role": method.role, "algorithm": step["algorithm"], "variation": step["variation"]}
        rows = [
            {**common, **_row(task, answer), **_score(worker, task, answer, limits)}
            for task, answer in show(
                zip(tasks, map(_believed, answers), strict=True), total=len(tasks), label=step["algorithm"]
            )
        ]
    _log_failures(rows)
    return rows


def make_clusterer(job: Job) -> Handler:
    """Return the worker's handler. Called in the worker process, which alone imports scikit-learn."""
    from hypercut.run.clustering import Clusterer

    return Clusterer(job)


def _load(worker: Worker, limits: Limits) -> Method | Failure:
    answer: Method | Failure = worker.ask("load", limits.seconds)
    if isinstance(answer, Failure) and answer.status != Status.FAILED:
        return answer.of("while loading its module")  # the traceback of an exception shows that
    return answer


def _believed(answer: Any) -> Any:
    """Return the answer, marked as invalid if a score is impossible: a method may have changed the metrics."""
    if isinstance(answer, Failure) or answer["status"] in FAILURES or not (reason := impossible_score(answer)):
        return answer
    measured = {name: value for name, value in answer.items() if name not in (*RANGES, "labels", "n_found")}
    return measured | Failure(Status.INVALID, reason).columns()


def _row(task: Task, answer: Any) -> dict[str, Any]:
    return {
        "repeat": task.repeat,
        "sigma_factor": task.sigma_factor,
        "parameters": canonical_json(task.parameters),
        "message": "",
        "traceback": None,
        **(answer.columns() if isinstance(answer, Failure) else answer),
    }


def _score(worker: Worker, task: Task, answer: Any, limits: Limits) -> dict[str, float | None]:
    """Return the column of the label-free score, for a clustering with a σ. If the score fails, the row stays valid."""
    if isinstance(answer, Failure) or "labels" not in answer or task.sigma_factor is None:
        return {}
    score = worker.ask("score", limits.seconds)
    if not isinstance(score, Failure) and not math.isfinite(score):
        score = Failure(Status.INVALID, f"it is {score}")
    if isinstance(score, Failure):
        _log.warning("no label-free score: repeat %d, σ/ρ = %s: %s", task.repeat, task.sigma_factor, score.message)
        score = None
    return {"neighbor_information": score}


def _log_failures(rows: Sequence[dict[str, Any]]) -> None:
    failed = [row for row in rows if row["status"] in FAILURES]
    columns = ("status", "repeat", "sigma_factor", "parameters", "message")
    for row in failed:
        _log.warning("%s: repeat %d, σ/ρ = %s, %s: %s", *(row[name] for name in columns))
    if failed:
        _log.warning("%d of %d clusterings failed. Their rows have the status.", len(failed), len(rows))
