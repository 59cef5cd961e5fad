"""A job of the benchmark: many clusterings by one algorithm, each of which may fail without affecting the others.

The clusterings run in a worker process (:mod:`hypercut.benchmark.worker`). The job's own process survives whatever
happens there and makes a row of every outcome.
"""

import logging
from collections.abc import Sequence
from typing import Any

from hypercut.benchmark.failures import Failure, failure_or_answer
from hypercut.benchmark.rows import FAILURES
from hypercut.benchmark.tasks import Describe, Job, Load, Method, Task
from hypercut.benchmark.worker import Died, Handler, Limits, Worker
from hypercut.files import canonical_json
from hypercut.progress import show

_log = logging.getLogger(__name__)


def run_job(
    job: Job,
    *,
    factors: Sequence[float],
    repeats: int,
    combinations: Sequence[dict[str, Any]],
    limits: Limits,
    sweep: str = "",
) -> list[dict[str, Any]]:
    """Return one row for every repeat, scale and combination of parameters, failed or not."""
    with Worker(make_clusterer, job) as worker:
        facts = worker.ask(Describe())
        if isinstance(facts, Died):
            raise RuntimeError(f"{job.problem} could not be read: {facts}. See the lines above.")
        loaded = _load(worker, limits)
        method = loaded if isinstance(loaded, Method) else Method()
        tasks = [
            Task(repeat, factor, parameters)
            for repeat in range(repeats)
            for factor in (factors if method.has_scale else [None])
            for parameters in combinations
        ]
        answers = worker.ask_all(tasks, limits) if isinstance(loaded, Method) else [loaded] * len(tasks)
        common = {**facts, "role": method.role, "algorithm": job.name, "sweep": sweep}
        rows = [
            {**common, **_row(task, answer)}
            for task, answer in show(zip(tasks, answers, strict=True), total=len(tasks), label=job.name)
        ]
    _log_failures(rows)
    return rows


def make_clusterer(job: Job) -> Handler:
    """Return the worker's handler. Called in the worker process, which alone imports scikit-learn."""
    from hypercut.benchmark.clustering import Clusterer

    return Clusterer(job)


def _load(worker: Worker, limits: Limits) -> Method | Failure:
    answer = worker.ask(Load(), limits.seconds)
    if isinstance(answer, Method | Failure):
        return answer
    failure: Failure = failure_or_answer(answer)
    return failure.of("while loading its module")


def _row(task: Task, answer: Any) -> dict[str, Any]:
    outcome = failure_or_answer(answer)
    return {
        "repeat": task.repeat,
        "sigma_factor": task.factor,
        "parameters": canonical_json(task.parameters),
        "message": "",
        "traceback": None,
        **(outcome.columns() if isinstance(outcome, Failure) else outcome),
    }


def _log_failures(rows: Sequence[dict[str, Any]]) -> None:
    failed = [row for row in rows if row["status"] in FAILURES]
    columns = ("status", "repeat", "sigma_factor", "parameters", "message")
    for row in failed:
        _log.warning("%s: repeat %d, σ/ρ = %s, %s: %s", *(row[name] for name in columns))
    if failed:
        _log.warning("%d of %d clusterings failed. Their rows have the status.", len(failed), len(rows))
