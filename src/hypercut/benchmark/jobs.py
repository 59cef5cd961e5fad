"""A job of the benchmark: many clusterings by one algorithm, each of which may fail without harm to the others.

The clusterings run in a separate process (:mod:`hypercut.benchmark.worker`). This side survives and turns every outcome
into a row.
"""

import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from hypercut.benchmark.failures import Failure, failure_or_answer
from hypercut.benchmark.rows import FAILURES
from hypercut.benchmark.tasks import Describe, Job, Load, Method, Score, Task
from hypercut.benchmark.worker import Died, Handler, Limits, TimedOut, Worker
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
    """Return a row for every repeat, scale and combination of parameters, whatever becomes of each."""
    with Worker(make_clusterer, job) as worker:
        facts = worker.ask(Describe())
        if isinstance(facts, Died):
            raise RuntimeError(f"{job.problem}: could not be read: {facts}. The lines above say why.")
        loaded = worker.ask(Load(), limits.seconds)
        failure = _failure_to_load(loaded)
        method = Method() if failure else loaded
        tasks = [
            Task(repeat, factor, parameters)
            for repeat in range(repeats)
            for factor in (factors if method.has_scale else [None])
            for parameters in combinations
        ]
        common = {**facts, "role": method.role, "algorithm": job.name, "sweep": sweep}
        answers = [failure] * len(tasks) if failure else worker.ask_all(tasks, limits)
        outcomes = map(_columns, answers)
        rows = []
        for task, outcome in show(zip(tasks, outcomes, strict=True), total=len(tasks), label=job.name):
            rows.append({**common, **_identity(task), "message": "", "traceback": None, **outcome})
        _add_scores(rows, worker, limits)
    _report_failures(rows)
    return rows


def make_clusterer(job: Job) -> Handler:
    """Return the handler of the tasks, in the worker's process: importing scikit-learn here would double its cost."""
    from hypercut.benchmark.clustering import Clusterer

    return Clusterer(job)


def _failure_to_load(answer: Any) -> Failure | None:
    if isinstance(answer, Method | Failure):
        return answer if isinstance(answer, Failure) else None
    failure: Failure = failure_or_answer(answer)
    return failure.of("while its module was loaded")


def _columns(answer: Any) -> dict[str, Any]:
    """Return the columns of a row, whatever the worker's answer was."""
    outcome = failure_or_answer(answer)
    columns = outcome.columns() if isinstance(outcome, Failure) else dict(outcome)
    return columns | ({"wall_seconds": answer.seconds} if isinstance(answer, TimedOut) else {})


def _identity(task: Task) -> dict[str, Any]:
    return {"repeat": task.repeat, "sigma_factor": task.factor, "parameters": canonical_json(task.parameters)}


def _add_scores(rows: list[dict[str, Any]], worker: Worker, limits: Limits) -> None:
    """Give each clustering at a scale its label-free score; without one it is not chosen without labels."""
    groups = defaultdict(list)
    for row in rows:
        if row["sigma_factor"] is not None and row.get("labels") is not None:
            groups[row["repeat"]].append(row)
    for repeat, group in groups.items():
        scores = worker.ask(Score(repeat, [row["labels"] for row in group]), limits.seconds)
        if isinstance(scores, Died | TimedOut):
            _log.warning("repeat %d has no label-free scores: %s", repeat, scores)
            continue
        for row, score in zip(group, scores, strict=True):
            row["neighbor_information"] = score


def _report_failures(rows: Sequence[dict[str, Any]]) -> None:
    failed = [row for row in rows if row["status"] in FAILURES]
    for row in failed:
        _log.warning(
            "%s: repeat %d, σ/ρ = %s, %s: %s",
            row["status"],
            row["repeat"],
            row["sigma_factor"],
            row["parameters"],
            row["message"],
        )
    if failed:
        _log.warning("%d of %d clusterings failed. They are in the results with their status.", len(failed), len(rows))
