"""Building the content of runs in a process of its own, while the first one imports and calls MLflow."""

import multiprocessing
import sys
import tempfile
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any

from hypercut.tracking.content import Content, ContentBuilder, read_summaries
from hypercut.tracking.expected import ExpectedRun, Kind

Built = tuple[ExpectedRun, Content, Path]
"""a run, its content, and the folder of its files"""


class BackgroundBuilder:
    """Builds runs, on Linux in a forked process. To be started before threads, and before a lock is held."""

    def __init__(self, builder: ContentBuilder, benchmark: str) -> None:
        self._builder = builder
        self._benchmark = benchmark
        self._connection: Connection | None = None
        self._runs: Sequence[ExpectedRun] | None = None
        self._scratch = tempfile.TemporaryDirectory(prefix="hypercut-track-")

    def __enter__(self) -> "BackgroundBuilder":
        # Elsewhere forks are unsafe, and a spawned process would import everything again.
        if sys.platform == "linux":
            fork = multiprocessing.get_context("fork")
            self._connection, other = fork.Pipe()
            self._process = fork.Process(target=self._serve, args=(self._connection, other), daemon=True)
            self._process.start()
            other.close()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._connection:
            self._process.terminate()
            self._process.join()
            self._connection.close()
        self._scratch.cleanup()

    @property
    def requested(self) -> bool:
        """Whether runs have been requested."""
        return self._runs is not None

    def request(self, runs: Sequence[ExpectedRun]) -> None:
        """Begin to build runs. To be called once."""
        self._runs = runs
        if self._connection:
            self._connection.send(runs)

    def built(self) -> Iterator[Built]:
        """Yield the requested runs in their order."""
        assert self._runs is not None
        if self._connection is None:
            yield from self._build(self._runs)
            return
        for run in self._runs:
            try:
                found: Any = self._connection.recv()
            except EOFError:
                raise RuntimeError("The process that builds the content of runs was killed.") from None
            if isinstance(found, Exception):
                raise found
            yield (run, *found)

    def _serve(self, outer: Connection, connection: Connection) -> None:
        """Build what is requested. Ends when the first process has ended, since nobody else holds ``outer``."""
        outer.close()
        try:
            for _, content, folder in self._build(connection.recv()):
                connection.send((content, folder))
        except (EOFError, BrokenPipeError, KeyboardInterrupt):
            return
        except Exception as error:
            connection.send(error)

    def _build(self, runs: Sequence[ExpectedRun]) -> Iterator[Built]:
        paths = dict.fromkeys(path for run in runs if run.kind != Kind.REPORT for path in run.files)
        summaries = read_summaries(list(paths))
        for run in runs:
            folder = Path(tempfile.mkdtemp(dir=self._scratch.name))
            yield run, self._builder.build(run, summaries, self._benchmark, folder), folder
