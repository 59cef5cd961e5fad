"""The sync: compare the runs in MLflow with those of the results, write what is missing and remove the rest."""

import re
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypercut.benchmark.layout import Layout
from hypercut.errors import InputError, redact_address
from hypercut.files import atomic_write
from hypercut.progress import show
from hypercut.tracking import content, links
from hypercut.tracking.content import Results, Run
from hypercut.tracking.store import Store, database_file, open_store

DIGEST_TAG = "hypercut.digest"
"""the tag of a run with the hash of all that it logs"""


@dataclass
class SyncReport:
    """What a sync did."""

    uri: str
    """without secrets"""
    prefix: str
    created: int = 0
    replaced: int = 0
    skipped: int = 0
    """runs that were up to date"""
    removed: int = 0
    """runs without a result, and incomplete runs of an interrupted sync"""
    seconds: float = 0.0
    overview: str = ""
    """address of the page that links to all views, relative to the server's root; empty if there is no report"""

    def __str__(self) -> str:
        return (
            f"MLflow at {self.uri}: {self.created} runs created, {self.replaced} replaced, {self.skipped} unchanged, "
            f"{self.removed} removed; {self.seconds:.1f} s"
        )


def sync(
    results: Path,
    uri: str,
    *,
    prefix: str = "hypercut",
    headline: Mapping[str, float] | None = None,
    rebuild: bool = False,
) -> SyncReport:
    """Make the runs of this benchmark in MLflow agree with its table and its report.

    Experiments are called ``<prefix>/<dataset>``. Benchmarks with the same prefix share experiments, but no runs.
    One sync writes at a time; another one waits. A run is marked as finished last, so the next sync completes one that
    was interrupted. Runs of other benchmarks are not touched. ``headline`` has figures of the report, logged as its
    metrics; ``rebuild`` writes all runs anew.

    Raises :class:`hypercut.tracking.store.TrackingError` if the store cannot be reached or fails.
    """
    started = time.monotonic()
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)*", prefix):
        raise InputError(
            f"Expected a prefix of letters, digits, '.', '-', '_', in parts separated by '/', found {prefix!r}. "
            "Choose another, such as alice/quick."
        )
    read = Results.read(results)
    report = SyncReport(redact_address(uri), prefix)
    with open_store(results, uri) as store:
        # Other benchmarks may write to any store but the default one.
        shared = database_file(uri) != Layout(results).database.resolve()
        runs = list(content.runs(read, headline or {}))
        _Sync(store, report, benchmark_id(results), shared, read.code, rebuild).carry_out(runs)
    report.seconds = round(time.monotonic() - started, 3)
    return report


def benchmark_id(results: Path) -> str:
    """Return the id that tells the runs of a benchmark from others in the store; the first sync creates it."""
    path = Layout(results).benchmark_id
    if not path.exists():
        with atomic_write(path) as part:
            part.write_text(f"{uuid.uuid4().hex}\n", encoding="utf-8")
    found = path.read_text(encoding="utf-8", errors="replace").strip()
    if not re.fullmatch("[0-9a-f]{32}", found):
        raise InputError(
            f"{path}: expected the id of a benchmark, 32 hexadecimal digits. Restore the file, or delete it to track "
            "the results as a new benchmark; the runs of the old one then stay in MLflow."
        )
    return found


@dataclass
class _Sync:
    """A sync in progress, the only one that writes runs of this benchmark."""

    store: Store
    report: SyncReport
    benchmark: str
    shared: bool
    """whether other benchmarks may write to the store"""
    code: Mapping[str, str]
    rebuild: bool

    def carry_out(self, runs: Sequence[Run]) -> None:
        """Create the experiments, write and remove runs, save the views."""
        wanted: dict[str, list[Run]] = {}
        for run in runs:
            wanted.setdefault(run.experiment, []).append(run)
        prefix = self.report.prefix
        experiments = {name: self.store.experiment(f"{prefix}/{name}", links.KIND_TAG) for name in wanted}
        todo = [item for name, few in wanted.items() for item in self._compare(experiments[name], few)]
        # Several at once, because most of the time is spent waiting for a server. After an error none is begun.
        with ThreadPoolExecutor(self.store.writers) as pool:
            for kept, deleted in show(pool.map(self._update, todo), total=len(todo), label="runs compared with MLflow"):
                self.report.skipped += kept
                self.report.replaced += not kept and deleted > 0
                self.report.created += not kept and not deleted
                self.report.removed += deleted if kept else max(deleted - 1, 0)
        for name, experiment in self.store.experiments(prefix).items():
            if name not in wanted:
                self._compare(experiment, [])
                self._save_views(experiment, [], {})
        found = []
        for name, few in wanted.items():
            views = list(links.views(name, [run.tags for run in few], self.benchmark, shared=self.shared))
            self._save_views(experiments[name], views, {**links.KIND_TAG, links.NOTE_TAG: links.note(name)})
            found += [(name, view) for view in views]
        if links.REPORT in wanted:
            self._save_overview(found, {name: experiment.experiment_id for name, experiment in experiments.items()})

    def _compare(self, experiment: Any, wanted: Sequence[Run]) -> list[tuple[Run, str, list[Any]]]:
        """Remove incomplete and unwanted runs; return each wanted run with its experiment and its runs in MLflow."""
        found: dict[str, list[Any]] = {run.name: [] for run in wanted}
        for run in self._own_runs(experiment.experiment_id):
            if run.info.status == "FINISHED" and run.info.run_name in found:
                found[run.info.run_name].append(run)
            else:
                self.store.delete(run)
                self.report.removed += 1
        return [(run, experiment.experiment_id, found[run.name]) for run in wanted]

    def _update(self, item: tuple[Run, str, list[Any]]) -> tuple[bool, int]:
        """Write a run unless MLflow has it, then delete other runs of its name, so that there is always one.

        Return whether a run was kept, and how many were deleted.
        """
        run, experiment_id, found = item
        tags = {links.BENCHMARK_TAG: self.benchmark, "hypercut.kind": run.kind, DIGEST_TAG: run.digest}
        kept = next((one for one in found if not self.rebuild and self.store.holds(one, run, tags)), None)
        if kept is None:
            self.store.write(experiment_id, run, {**tags, **self.code})
        others = [one for one in found if one is not kept]
        for other in others:
            self.store.delete(other)
        return kept is not None, len(others)

    def _own_runs(self, experiment_id: str) -> list[Any]:
        """Return the runs that a sync of this benchmark wrote, as MLflow's entities."""
        return self.store.runs(experiment_id, links.owned(self.benchmark))

    def _save_views(self, experiment: Any, views: Iterable[links.View], tags: Mapping[str, str]) -> None:
        """Set the tags of an experiment and those of its views; delete other views of this benchmark."""
        wanted = {**tags, **(dict(view.tag for view in views) if links.saves_views() else {})}
        for key, value in wanted.items():
            if experiment.tags.get(key) != value:
                self.store.client.set_experiment_tag(experiment.experiment_id, key, value)
        for key in experiment.tags:
            if key.startswith(links.VIEW_TAG + links.view_prefix(self.benchmark)) and key not in wanted:
                self.store.client.delete_experiment_tag(experiment.experiment_id, key)

    def _save_overview(self, views: Iterable[tuple[str, links.View]], ids: Mapping[str, str]) -> None:
        """Describe the run of the report with links to all views."""
        (run,) = self._own_runs(ids[links.REPORT])
        page = (ids[links.REPORT], run.info.run_id)
        self.report.overview = links.run_page(*page)
        text = links.overview(views, ids, links.run_page(*page, "/artifacts"))
        if run.data.tags.get(links.NOTE_TAG) != text:
            self.store.client.set_tag(run.info.run_id, links.NOTE_TAG, text)
