"""The state of a benchmark's results, for ``hypercut status`` and ``hypercut discard``.

Which files are missing, stale or computed with other versions of libraries, and which clusterings failed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.provenance import VERSIONS, environment
from hypercut.benchmark.rows import FAILURES
from hypercut.benchmark.staleness import ResultFile, inspect

#: How many files of each kind are listed.
SHOWN = 10


@dataclass(frozen=True)
class State:
    """Every result file of a benchmark, and the versions of libraries that are installed."""

    results: Path
    found: Sequence[ResultFile]
    installed: Mapping[str, str]

    def missing(self) -> list[ResultFile]:
        """Return the files that do not exist."""
        return [file for file in self.found if file.missing]

    def stale(self) -> list[ResultFile]:
        """Return the files computed by other code, from other data or with another configuration."""
        return [file for file in self.found if file.stale]

    def failed(self) -> list[ResultFile]:
        """Return the files with at least one failed clustering."""
        return [file for file in self.found if failures(file)]

    def other_versions(self) -> list[ResultFile]:
        """Return the files computed with other versions than those installed."""
        return [
            file
            for file in self.found
            if file.rows is not None and any(file.rows[name].iloc[0] != self.installed[name] for name in VERSIONS)
        ]

    def files(self, what: str) -> list[Path]:
        """Return the files to delete so that ``failed``, ``stale`` or ``other_versions`` are computed again.

        Includes stale inputs, and the file of an over-clustering that made clusterings fail.
        """
        chosen: list[ResultFile] = getattr(self, what)()
        files = [path for file in chosen for path in (file.path, *file.inputs)]
        files += [
            Layout(self.results).communities(file.variation.dataset, file.variation.problem)
            for file in chosen
            if file.rows is not None and file.rows["message"].str.startswith("over-clustering:").any()
        ]
        return list(dict.fromkeys(file for file in files if file.exists()))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        there = len(self.found) - len(self.missing())
        yield f"{self.results}: {there} of {len(self.found)} result files exist."
        yield from _listed("missing", [str(file.path) for file in self.missing()])
        yield from _listed("stale", [f"{file.path}: {file.stale}" for file in self.stale()])
        if self.missing() or self.stale():
            yield "  Run the benchmark to compute these."
            if self.stale():
                yield f"  If stale files remain, first run: hypercut discard {self.results} --stale"
        failed = []
        for file in self.failed():
            counts = ", ".join(f"{count} {status}" for status, count in failures(file).items())
            failed.append(f"{file.path}: {counts}")
        yield from _listed("with failed clusterings", failed)
        if failed:
            yield f"  To compute these again: hypercut discard {self.results} --failed, then run the benchmark."
        yield from self._versions()

    def _versions(self) -> Iterator[str]:
        others = self.other_versions()
        if not others:
            return
        yield f"{len(others)} computed with other versions of Python or libraries than those installed:"
        for name in VERSIONS:
            counts = Counter(str(file.rows[name].iloc[0]) for file in self.found if file.rows is not None)
            if set(counts) != {self.installed[name]}:
                parts = [f"{value} in {n} file{'s' if n > 1 else ''}" for value, n in counts.items()]
                yield f"  {name}: {', '.join(parts)}; installed: {self.installed[name]}"
        yield (
            f"  They stay valid. To compute them again: hypercut discard {self.results} --other-versions, "
            "then run the benchmark."
        )


def inspect_state(results: Path, benchmark: Benchmark) -> State:
    """Return the state of the results of a benchmark."""
    return State(results, list(inspect(results, benchmark)), environment())


def failures(file: ResultFile) -> dict[str, int]:
    """Return the number of failed clusterings of a file, by status."""
    if file.rows is None:
        return {}
    status = file.rows["status"]
    return {str(name): int(count) for name, count in status[status.isin(FAILURES)].value_counts().items()}


def _listed(what: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"{len(lines)} {what}:"
        yield from (f"  {line}" for line in lines[:SHOWN])
        if len(lines) > SHOWN:
            yield f"  and {len(lines) - SHOWN} more"
