"""The state of a benchmark's results, for ``hypercut status`` and ``hypercut discard``.

It says which files are missing, stale or computed with other versions of libraries, and which clusterings failed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.recipe import changed_steps, expected
from hypercut.errors import listed
from hypercut.results.gather import Stored, inspect
from hypercut.run.failures import FAILURES
from hypercut.run.machine import VERSIONS, environment


@dataclass(frozen=True)
class State:
    """Every result of a benchmark, and the versions of libraries that are installed."""

    results: Path
    benchmark: Benchmark
    found: Sequence[Stored]
    installed: Mapping[str, str]

    def missing(self) -> list[Stored]:
        """Return the results that do not exist."""
        return [file for file in self.found if file.missing]

    def stale(self) -> list[Stored]:
        """Return the results that would be computed again: the code, the data or the configuration has changed."""
        return [file for file in self.found if file.stale]

    def failed(self) -> list[Stored]:
        """Return the results computed here with at least one failed clustering."""
        return [file for file in self.found if file.path.is_file() and failures(file)]

    def other_versions(self) -> list[Stored]:
        """Return the results computed with versions other than the installed ones."""
        return [
            file
            for file in self.found
            if file.rows is not None and any(file.rows[name].iloc[0] != self.installed[name] for name in VERSIONS)
        ]

    def files(self, what: str) -> list[Path]:
        """Return the files to delete so that ``failed``, ``stale`` or ``other_versions`` are computed again.

        They include stale inputs, and the file of an over-clustering that made clusterings fail, but never the files of
        an archive.
        """
        chosen: list[Stored] = getattr(self, what)()
        files = [path for file in chosen for path in (file.path, *self._inputs(file)) if path.is_file()]
        return list(dict.fromkeys(files))

    def _inputs(self, file: Stored) -> Iterator[Path]:
        layout, result = Layout(self.results), file.variation
        now = expected(self.benchmark, result)
        steps = changed_steps(file.origin.get("recipe", {}), now) if file.stale else set()
        if steps & {"featurize", "data"}:
            yield layout.features(result.dataset)
        if steps & {"featurize", "data", "corrupt"}:
            yield layout.problem(result.dataset, result.problem)
        failed = file.rows is not None and file.rows["message"].str.startswith("over-clustering:").any()
        if steps - {"cluster"} or failed:
            yield layout.overclustering(result.dataset, result.problem)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        missing, stale = self.missing(), self.stale()
        unavailable = sum(file.unavailable for file in self.found)
        total = len(self.found) - unavailable
        yield f"{self.results}: {total - len(missing)} of {total} result files exist."
        if unavailable:
            yield f"{unavailable} are not in the archive and cannot be computed, since their data are not available."
        if missing:
            yield listed(f"{len(missing)} missing:", (str(file.path) for file in missing))
        if stale:
            yield listed(f"{len(stale)} stale:", (f"{file.path}: {file.stale}" for file in stale))
        if missing or stale:
            yield "  Run the benchmark to compute these."
        if stale:
            yield f"  If stale files remain, first run: hypercut discard {self.results} --stale"
        failed = [
            f"{file.path}: {', '.join(f'{count} {status}' for status, count in failures(file).items())}"
            for file in self.failed()
        ]
        if failed:
            yield listed(f"{len(failed)} with failed clusterings:", failed)
            yield f"  To compute these again: hypercut discard {self.results} --failed, then run the benchmark."
        yield from self._versions()

    def _versions(self) -> Iterator[str]:
        others = self.other_versions()
        if not others:
            return
        yield f"{len(others)} computed with versions of Python or libraries other than the installed ones:"
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
    return State(results, benchmark, list(inspect(results, benchmark)), environment())


def failures(file: Stored) -> dict[str, int]:
    """Return the number of failed clusterings of a result, by status."""
    if file.rows is None:
        return {}
    status = file.rows["status"]
    return {str(name): int(count) for name, count in status[status.isin(FAILURES)].value_counts().items()}
