"""Adding the results of a benchmark to a reference (:mod:`hypercut.benchmark.reference`).

A reference grows: parts of a running benchmark, or results of several machines, are added one after another. All its
rows must be current, that is, computed by the present code, from the same data and with the same settings. So it never
mixes versions.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from hypercut.benchmark.design import Benchmark, load_benchmark
from hypercut.benchmark.gather import SHOWN
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.matrices import load_matrices, save_matrices
from hypercut.benchmark.provenance import Origin
from hypercut.benchmark.record import describe_run
from hypercut.benchmark.reference import SIMILARITY, Reference, compact, is_reference, read_reference, write_reference
from hypercut.benchmark.rows import METRICS, ResultFile, read_origin
from hypercut.benchmark.staleness import differences, inspect, stale_features
from hypercut.benchmark.variations import Variation
from hypercut.errors import InputError

Results = dict[ResultFile, pd.DataFrame]
"""the compact rows of each result"""

#: Columns in which two computations of the same result may differ.
NOT_COMPARED = ["wall_seconds", "cpu_seconds", "shared_seconds", "peak_bytes", "threads", "origin"]
#: Facts about the gathering code and machine that a reference records each time results are added.
_CONTRIBUTION = ("created", "version", "commit", "dirty", "fingerprint", "machine")


@dataclass(frozen=True)
class Archived:
    """The result of :func:`archive`: how many results were added, were there already, were replaced or dropped."""

    added: int
    equal: int
    replaced: int
    dropped: int
    missing: int
    """of the benchmark, afterwards"""

    @property
    def changed(self) -> bool:
        """Whether the reference has other rows than before."""
        return bool(self.added or self.replaced or self.dropped)

    def __str__(self) -> str:
        parts = [f"{self.added} result files added"]
        parts += [f"{count} {what}" for what, count in vars(self).items() if count and what not in ("added", "equal")]
        parts += [f"{self.equal} were there already"] if self.equal else []
        return ", ".join(parts)


def archive(results: Path, folder: Path, *, replace: bool = False) -> Archived:
    """Add the finished results of a benchmark to the reference in a folder, and create it if there is none.

    Raises an error if a result is stale, conflicts with an archived one, or would make the reference a mixture of code,
    data or settings. With ``replace``, the new results win: conflicting ones are replaced, outdated ones dropped.
    """
    benchmark = load_benchmark(results)
    run = describe_run(results, benchmark)
    old = read_reference(folder) if is_reference(folder) else None
    new = _finished(results, benchmark, run["datasets"])
    datasets = {**(old.datasets if old else {}), **_without_places(run["datasets"])}
    _check_data(new, datasets)
    earlier = {key: rows for key, rows, _ in old.results()} if old else {}
    conflicts = {key: reason for key in new.keys() & earlier.keys() if (reason := _conflict(new[key], earlier[key]))}
    everything = {**earlier, **{key: rows for key, rows in new.items() if key in conflicts or key not in earlier}}
    common, outdated = _common_benchmark(benchmark, None if replace else old, everything, datasets)
    if (conflicts or outdated) and not replace:
        raise InputError(_refusal(folder, conflicts, outdated))
    current = {key: rows for key, rows in everything.items() if key not in outdated}
    missing = frozenset(_expected(common) - current.keys())
    added = len(new.keys() - earlier.keys())
    outcome = Archived(added, len(new) - added - len(conflicts), len(conflicts), len(outdated), len(missing))
    contribution = {**{name: run[name] for name in _CONTRIBUTION}, "results": added + len(conflicts)}
    merged = Reference(
        config=portable(common.config),
        datasets={name: datasets[name] for name in common.datasets if name in datasets},
        contributions=(*(old.contributions if old else ()), contribution),
        missing=missing,
        rows=_in_order(common, current),
    )
    if old is None or outcome.changed or merged.config != old.config:
        write_reference(folder, merged)
    similarity = Layout(results).similarity
    if similarity.exists():
        save_matrices(folder / SIMILARITY, load_matrices(similarity), compact=True)
    return outcome


def _finished(results: Path, benchmark: Benchmark, datasets: Mapping[str, Mapping[str, Any]]) -> Results:
    """Return the rows of all finished results; raise an error if one is stale."""
    found = list(inspect(results, benchmark, datasets))
    stale = [f"{file.path}: {file.stale}" for file in found if file.stale]
    if stale:
        raise InputError(
            _listed(
                f"{len(stale)} of {len(found)} results are stale (computed by other code, from other data or with "
                "another configuration), and a reference must not mix versions:",
                stale,
                f"Run the benchmark to compute them again, or delete them: hypercut discard {results} --stale",
            )
        )
    finished = {_key(file.variation): compact(file.rows, _origin(file.path)) for file in found if file.rows is not None}
    if not finished:
        raise InputError(f"{results}: there are no finished results. Run the benchmark first.")
    return finished


def _origin(path: Path) -> Origin:
    origin = read_origin(path)
    assert origin is not None, f"{path} is current, but has no origin"
    return origin


def _key(variation: Variation) -> ResultFile:
    return variation.dataset, variation.setting, variation.algorithm, variation.name


def _without_places(datasets: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return descriptions of datasets without the folder or address of a user's mirror."""
    return {
        name: {**facts, "source": "mirror" if str(facts["source"]).startswith("mirror ") else facts["source"]}
        for name, facts in datasets.items()
    }


def portable(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration without folders and addresses of a machine."""
    data = {**config["data"], "root": "data", "mirror": None}
    kept = {name: value for name, value in config.items() if name not in ("tracking", "preset")}
    return {**kept, "results": "results", "data": data}


def located(config: Mapping[str, Any], root: str) -> dict[str, Any]:
    """Return a portable configuration with the data folder of a machine."""
    return {**config, "data": {**config["data"], "root": root}}


def _check_data(new: Results, datasets: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise an error unless the data of every result are described, and the same for all results of a dataset."""
    for key, rows in new.items():
        fingerprint = Origin.from_json(rows["origin"].iloc[0]).data
        if key[0] not in datasets:
            raise InputError(f"The features of {key[0]} are missing, which describe its data. Run the benchmark first.")
        if datasets[key[0]].get("fingerprint") != fingerprint:
            raise InputError(
                f"{' · '.join(filter(None, key))} was computed from other data than the other results of {key[0]}. "
                "Run the benchmark, which computes the features and finds the stale results."
            )


def _conflict(new: pd.DataFrame, old: pd.DataFrame) -> str:
    """Return how two computations of the same result differ; an empty text if they do not."""
    origins = [Origin.from_json(rows["origin"].iloc[0]) for rows in (new, old)]
    for name in ("code", "data", "corruption", "limits"):
        if getattr(origins[0], name) != getattr(origins[1], name):
            return f"other {name}"
    if len(new) != len(old):
        return f"{len(old)} rows, now {len(new)}"
    pairs = (rows.drop(columns=NOT_COMPARED).reset_index(drop=True) for rows in (new, old))
    ours, theirs = pairs
    if ours.equals(theirs):
        return ""
    largest = (ours[list(METRICS)] - theirs[list(METRICS)]).abs().max().max()
    return f"other rows (scores differ by up to {largest:.2g})"


def _common_benchmark(
    benchmark: Benchmark, old: Reference | None, everything: Results, datasets: Mapping[str, Mapping[str, Any]]
) -> tuple[Benchmark, dict[ResultFile, str]]:
    """Return a benchmark that includes all results, and the results that are outdated under it, with the reason.

    This is the benchmark of the new results, or the archived one if that is larger and includes the new results.
    """
    outdated = outdated_results(benchmark, everything, datasets)
    if old is not None:
        archived = Benchmark(located(old.config, benchmark.config["data"]["root"]))
        is_larger = len(_expected(archived)) > len(_expected(benchmark))
        if (outdated or is_larger) and not outdated_results(archived, everything, datasets):
            return archived, {}
    return benchmark, outdated


def outdated_results(
    benchmark: Benchmark, results: Results, datasets: Mapping[str, Mapping[str, Any]]
) -> dict[ResultFile, str]:
    """Return the results that the present code would not compute for a benchmark, each with the reason."""
    variations = {_key(variation): variation for variation in benchmark.results()}
    described = {name: facts for name, facts in datasets.items() if name in benchmark.datasets}
    features = {name: list(stale_features(facts, benchmark, name)) for name, facts in described.items()}

    def rows_of(variation: Variation) -> pd.DataFrame:
        try:
            return results[_key(variation)]
        except KeyError:
            raise InputError("not archived") from None

    found = {}
    for key, rows in results.items():
        if key not in variations:
            found[key] = "not part of the benchmark"
            continue
        origin = Origin.from_json(rows["origin"].iloc[0])
        name = key[0]
        reasons = differences(
            benchmark,
            variations[key],
            rows.assign(data=origin.data),
            origin,
            data=datasets.get(name, {}),
            stale_features=features.get(name, []),
            rows_of=rows_of,
        )
        if str(reasons):
            found[key] = str(reasons)
    return found


def _expected(benchmark: Benchmark) -> set[ResultFile]:
    return {_key(variation) for variation in benchmark.results()}


def _in_order(benchmark: Benchmark, results: Results) -> pd.DataFrame:
    """Return all rows in the order of the benchmark, whichever part was archived first."""
    keys = [_key(variation) for variation in benchmark.results()]
    return pd.concat([results[key] for key in keys if key in results], ignore_index=True)


def _refusal(folder: Path, conflicts: Mapping[ResultFile, str], outdated: Mapping[ResultFile, str]) -> str:
    lines = [f"{' · '.join(filter(None, key))}: {reason}" for key, reason in {**conflicts, **outdated}.items()]
    counts = [
        *([f"{len(conflicts)} results conflict with archived ones"] if conflicts else []),
        *([f"{len(outdated)} archived results are of other code, data or settings"] if outdated else []),
    ]
    return _listed(
        f"{folder}: {' and '.join(counts)}. A reference must not mix versions:",
        lines,
        "Archive into another folder, or let the new results win with --replace, which drops outdated ones.",
    )


def _listed(heading: str, lines: Iterable[str], advice: str) -> str:
    return "\n".join([heading, *_first(list(lines)), advice])


def _first(lines: list[str]) -> Iterator[str]:
    yield from (f"  {line}" for line in lines[:SHOWN])
    if len(lines) > SHOWN:
        yield f"  and {len(lines) - SHOWN} more"
