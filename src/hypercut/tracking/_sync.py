"""The sync: compare the runs in MLflow with the planned ones, and write or remove the differences."""

import re
import shutil
import tempfile
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from hypercut.errors import InputError, redact_address
from hypercut.progress import show
from hypercut.tracking import _views
from hypercut.tracking._content import BATCH, Content, make_content, own_tags, summaries
from hypercut.tracking._figures import Drawing
from hypercut.tracking._identity import benchmark_id
from hypercut.tracking._locations import TrackingError, is_own_store
from hypercut.tracking._plan import REPORT, Kind, Planned, make_plan, read_run
from hypercut.tracking._report import SyncReport
from hypercut.tracking._store import Found, Store, Vanished, open_store

ATTEMPTS = 3
"""how often to write a run that another sync deletes meanwhile"""


def synchronise(results: Path, uri: str, prefix: str, headline: Mapping[str, float], figures: bool) -> SyncReport:
    """See :func:`hypercut.tracking.sync`."""
    started = time.monotonic()
    check_prefix(prefix)
    run = read_run(results)
    plan = make_plan(results, run, headline)
    owner = _views.Owner(benchmark_id(results), shared=not is_own_store(results, uri))
    try:
        store = open_store(uri)
        worker = _Sync(store, owner, prefix, run, headline, Drawing() if figures else None, plan.runs)
        store.guarded(worker.carry_out)
    except TrackingError as error:
        raise TrackingError(f"{error} The results in {results} are not affected.") from None
    worker.report.missing = plan.missing
    worker.report.seconds = round(time.monotonic() - started, 3)
    return worker.report


def check_prefix(prefix: str) -> None:
    """Raise an error for a prefix that MLflow's search does not accept."""
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)*", prefix):
        raise InputError(
            f"Expected a prefix of letters, digits, '.', '-', '_', in parts separated by '/', found {prefix!r}. "
            "Choose another, such as alice/quick."
        )


class _Sync:
    """One sync under way."""

    def __init__(
        self,
        store: Store,
        owner: _views.Owner,
        prefix: str,
        run: Mapping[str, Any],
        headline: Mapping[str, float],
        drawing: Drawing | None,
        planned: Sequence[Planned],
    ) -> None:
        self.store = store
        self.owner = owner
        self.prefix = prefix
        self.run = run
        self.headline = headline
        self.drawing = drawing
        self.planned = planned
        self.report = SyncReport(redact_address(store.uri), prefix)
        self.ids: dict[str, str] = {}
        self.report_run: str | None = None
        self.stopped = False

    def carry_out(self) -> None:
        """Set up, write, remove."""
        names = list(dict.fromkeys(planned.experiment for planned in self.planned))
        created = {_views.PREFIX_TAG: self.prefix}
        tags = {self.owner.experiment_tag: self.prefix, **_views.KIND_TAG}
        self.ids = {name: self.store.experiment(self._full_name(name), created, tags) for name in names}
        todo = []
        for name in names:
            todo += self._compare(self.ids[name], [planned for planned in self.planned if planned.experiment == name])
        # The writing is closed before the folder goes: until then threads read from it.
        with (
            tempfile.TemporaryDirectory(prefix="hypercut-track-") as scratch,
            closing(self._write_all(todo, Path(scratch))) as steps,
        ):
            for _ in show(steps, total=len(todo), label="runs written to MLflow"):
                pass
        self.report.replaced = sum(bool(old) for _, old in todo)
        self.report.created = len(todo) - self.report.replaced
        # Only now, with everything written, can a concurrent sync have left a second run of the same.
        for name in {planned.experiment for planned, _ in todo}:
            self._remove_duplicates(self.ids[name])
        self._remove_abandoned()
        for name in names:
            self._set_views(name, self.ids[name])

    def _full_name(self, experiment: str) -> str:
        return f"{self.prefix}/{experiment}"

    def _runs(self, experiment_id: str) -> list[Found]:
        """The runs that this sync may remove and replace."""
        return self.store.runs(experiment_id, self.owner.benchmark, adopt=not self.owner.shared)

    def _compare(self, experiment_id: str, planned: Sequence[Planned]) -> list[tuple[Planned, list[Found]]]:
        """Remove runs that are not planned; return the ones to write, each with the runs that it replaces."""
        present: dict[str, list[Found]] = {}
        wanted = {run.cell for run in planned}
        for found in self._runs(experiment_id):
            if not found.finished or found.cell not in wanted:
                self._remove(found)
            else:
                present.setdefault(found.cell, []).append(found)
        todo = []
        for run in planned:
            found_here = present.get(run.cell, [])
            right = [found for found in found_here if found.key == run.key]
            if not right:
                todo.append((run, found_here))
                continue
            self.report.skipped += 1
            keep = _latest(right)
            self._note(run, keep.run_id)
            for found in found_here:
                if found is not keep:
                    self._remove(found)
        return todo

    def _write_all(self, todo: Sequence[tuple[Planned, list[Found]]], scratch: Path) -> Generator[None]:
        """Write the runs, several at once: most of the time is spent waiting for the server.

        Result files are read and summarised in batches. Figures are drawn in this thread, since matplotlib is not
        thread-safe.
        """
        with ThreadPoolExecutor(self.store.writers) as pool, self._stopping():
            for batch in _batches(todo):
                for written in as_completed(list(self._start(pool, batch, scratch))):
                    written.result()
                    yield

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        """After an error in any thread, begin no further run."""
        try:
            yield
        except BaseException:
            self.stopped = True
            raise

    def _start(
        self, pool: ThreadPoolExecutor, batch: Sequence[tuple[Planned, list[Found]]], scratch: Path
    ) -> Iterable["Future[None]"]:
        paths = {path: None for planned, _ in batch if planned.kind != Kind.REPORT for path in planned.files}
        members = dict(summaries(list(paths)))
        for planned, old in batch:
            folder = Path(tempfile.mkdtemp(dir=scratch))
            content = make_content(planned, members, self.run, self.headline, folder, self.drawing)
            content.tags |= own_tags(planned, self.owner.benchmark)
            yield pool.submit(self._write, planned, old, content, folder)

    def _write(self, planned: Planned, old: Sequence[Found], content: Content, folder: Path) -> None:
        """Write one run, then delete those it replaces, so that there is always one."""
        if self.stopped:
            return
        with self._stopping():
            self._insist(planned, content, folder)
            for found in old:
                self.store.delete(found.run_id)
        shutil.rmtree(folder)

    def _insist(self, planned: Planned, content: Content, folder: Path) -> None:
        experiment_id = self.ids[planned.experiment]
        for _ in range(ATTEMPTS):
            try:
                self._note(planned, self.store.write(experiment_id, planned.name, content, folder))
                return
            except Vanished:
                continue
        raise TrackingError(
            f"{self.report.uri}: the run {planned.name!r} was deleted {ATTEMPTS} times while it was written. "
            "Another sync of the same benchmark may be running: wait until it has ended, and run again."
        )

    def _note(self, planned: Planned, run_id: str) -> None:
        """Remember the report's run, for its link."""
        if planned.kind == Kind.REPORT:
            self.report_run = run_id

    def _remove(self, found: Found) -> None:
        self.store.delete(found.run_id)
        self.report.removed += 1

    def _remove_duplicates(self, experiment_id: str) -> None:
        """Of several finished runs of one cell keep one; concurrent syncs choose the same one."""
        present: dict[str, list[Found]] = {}
        for found in self._runs(experiment_id):
            if found.finished:
                present.setdefault(found.cell, []).append(found)
        for several in present.values():
            keep = _latest(several)
            for found in several:
                if found is not keep:
                    self._remove(found)

    def _remove_abandoned(self) -> None:
        """Remove our runs from experiments that no result belongs to any more, and experiments that this empties."""
        wanted = {self._full_name(name) for name in self.ids}
        present = self.store.experiments(self.owner.experiment_tag, self.prefix)
        if not self.owner.shared:
            present |= self.store.experiments(_views.PREFIX_TAG, self.prefix)
        for name, experiment_id in present.items():
            if name in wanted:
                continue
            for found in self._runs(experiment_id):
                self._remove(found)
            self._set_views(name.removeprefix(f"{self.prefix}/"), experiment_id)
            self.store.unlabel(experiment_id, self.owner.experiment_tag)
            if _views.is_abandoned(self.store.experiment_tags(experiment_id)) and self.store.is_empty(experiment_id):
                self.store.delete_experiment(experiment_id)

    def _set_views(self, name: str, experiment_id: str) -> None:
        """Save the views of an experiment, and remove those of ours that it no longer has."""
        planned = [planned for planned in self.planned if planned.experiment == name]
        views = _views.experiment_views(name, planned, self.owner)
        wanted = dict(view.tag for view in views)
        wanted = {tag: value for tag, value in wanted.items() if len(value) <= _views.TAG_LIMIT}
        present = self.store.experiment_tags(experiment_id)
        stale = {tag for tag in present if self.owner.owns_view(tag) and tag not in wanted}
        kept = {tag: value for tag, value in present.items() if tag not in stale}
        wanted[_views.NOTE_TAG] = _views.describe(name, kept | wanted, experiment_id)
        self.store.label(experiment_id, present, wanted)
        for tag in stale:
            self.store.unlabel(experiment_id, tag)
        for view in views:
            self.report.links[f"{self._full_name(name)} · {view.name}"] = view.link(experiment_id)
        if self.report_run and name == REPORT:
            self.report.links[self._full_name(name)] = _views.artifacts_page(experiment_id, self.report_run)


def _latest(several: Sequence[Found]) -> Found:
    return max(several, key=lambda found: (found.ended, found.run_id))


def _batches(todo: Sequence[tuple[Planned, list[Found]]]) -> Iterable[list[tuple[Planned, list[Found]]]]:
    """Split by the number of files that are read together."""
    batch: list[tuple[Planned, list[Found]]] = []
    files = 0
    for item in todo:
        batch.append(item)
        files += len(item[0].files)
        if files >= BATCH:
            yield batch
            batch, files = [], 0
    if batch:
        yield batch
