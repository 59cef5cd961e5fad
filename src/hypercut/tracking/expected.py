"""The runs that MLflow should have, derived from the result files: their names, keys and files."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from hypercut.benchmark.layout import Layout
from hypercut.benchmark.report_files import names, read_list
from hypercut.benchmark.rows import ResultFile, display_name
from hypercut.benchmark.variations import SWEEPS
from hypercut.errors import InputError
from hypercut.paper.protocol import CLEAN, kind_of
from hypercut.paper.published import PARTS
from hypercut.tracking.origin import Origin, Origins

#: Part of every key. Raise it when the logged content changes, so that the next sync replaces all runs.
FORMAT = 7

CURVES, REPORT = "curves", "report"
"""the two experiments that do not belong to a dataset"""


class Kind(StrEnum):
    """What a run shows."""

    CELL = "cell"
    SWEEP = "sweep"
    READING = "reading"
    """one algorithm on one dataset under one setting, with a reading of the paper other than the benchmark's"""
    CURVE = "curve"
    """one algorithm on one dataset over the levels of one corruption"""
    MEAN = "mean"
    """one algorithm over the levels of one corruption, the mean over datasets"""
    REPORT = "report"


@dataclass(frozen=True)
class ExpectedRun:
    """A run that should exist."""

    kind: Kind
    experiment: str
    """without prefix: the dataset, ``curves`` or ``report``"""
    id: str
    """identifies the run within its experiment"""
    name: str
    key: str
    """hash of everything it shows; a run with another key is replaced"""
    files: tuple[Path, ...]
    """the files it is built from"""
    origin: Origin


def read_run(results: Path) -> dict[str, Any]:
    """Read ``run.json``, which lists the result files of the benchmark."""
    path = Layout(results).run
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
        run["expected"]["cells"], run["expected"]["variations"]
    except FileNotFoundError:
        raise InputError(
            f"{path}: there is no such file. Run the benchmark first, or specify the folder of its results."
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: expected the description of a benchmark, but: {error!r}. Delete this file and run the "
            "benchmark again; finished results are kept."
        ) from None
    return dict(run)


def expected_runs(
    results: Path, run: Mapping[str, Any], headline: Mapping[str, float]
) -> tuple[list[ExpectedRun], int]:
    """Return the runs that should exist, and the number of expected results that have no file."""
    runs: list[ExpectedRun] = []
    missing = 0
    layout, origins = Layout(results), Origins(results)
    cells: dict[ResultFile, tuple[Path, str]] = {}
    paths = {(*cell, ""): layout.cell(*cell) for cell in run["expected"]["cells"]}
    paths |= {
        (dataset, setting, algorithm, name): layout.variation(dataset, setting, name, algorithm)
        for dataset, setting, name, algorithm in run["expected"]["variations"]
    }
    for file, path in paths.items():
        if not path.exists():
            missing += 1
            continue
        dataset, _, algorithm, _ = file
        kind, id, about = _identity(file)
        content, origin = _file_hash(path), origins.of([file])
        if kind == Kind.CELL:
            cells[file] = path, content
        # Not the commit nor the fingerprint of all code in run.json: an edit of any file would replace all runs.
        key = _key(kind, content, _source(run, dataset), origin.key)
        runs.append(ExpectedRun(kind, dataset, id, f"{algorithm} · {about}", key, (path,), origin))
    members = _levels(cells)
    runs += _curves(members, cells, run, origins)
    runs += _means(members, cells, run, origins)
    runs += _report(layout.report, headline, origins.all)
    return runs, missing


def _identity(file: ResultFile) -> tuple[Kind, str, str]:
    """Return the kind of the run of a result file, its id, and what its name says after the algorithm."""
    _, setting, algorithm, variation = file
    if not variation:
        return Kind.CELL, f"{setting}/{algorithm}", setting
    if variation in SWEEPS:
        return Kind.SWEEP, f"sweep/{variation}", f"sweep {variation}"
    about = f"reading {variation}" if setting == CLEAN else f"{setting}, reading {variation}"
    return Kind.READING, f"reading/{variation}/{setting}/{algorithm}", about


def level_index(setting: str) -> int:
    """Return the position on the axis of levels: 0 for clean, 3 for noise-L3."""
    match = re.search(r"-L(\d+)$", setting)
    return int(match.group(1)) if match else 0


Levels = Mapping[tuple[str, str, str], Sequence[ResultFile]]
"""dataset, corruption and algorithm → the result files by level"""


def _levels(cells: Mapping[ResultFile, Any]) -> Levels:
    """Return the result files over the levels of each corruption; the clean dataset is level 0."""
    found: dict[tuple[str, str, str], list[ResultFile]] = {}
    for dataset, setting, algorithm, _ in cells:
        if setting != CLEAN:
            found.setdefault((dataset, kind_of(setting), algorithm), []).append((dataset, setting, algorithm, ""))
    levels = {}
    for (dataset, corruption, algorithm), files in found.items():
        clean = (dataset, CLEAN, algorithm, "")
        by_level = sorted(files, key=lambda file: level_index(file[1]))
        levels[dataset, corruption, algorithm] = [clean, *by_level] if clean in cells else by_level
    return levels


def _curves(
    levels: Levels, cells: Mapping[ResultFile, tuple[Path, str]], run: Mapping[str, Any], origins: Origins
) -> Iterable[ExpectedRun]:
    """One run per dataset, corruption and algorithm that has a level."""
    for (dataset, corruption, algorithm), files in levels.items():
        origin = origins.of(files)
        key = _key(Kind.CURVE, *(cells[file][1] for file in files), _source(run, dataset), origin.key)
        # MLflow labels the lines of its charts with the names of the runs.
        shown = display_name(dataset, _kind(run, dataset), complete=True)
        id, name = f"{dataset}/{corruption}/{algorithm}", f"{algorithm} · {shown} {corruption}"
        yield ExpectedRun(Kind.CURVE, CURVES, id, name, key, tuple(cells[file][0] for file in files), origin)


def _means(
    levels: Levels, cells: Mapping[ResultFile, tuple[Path, str]], run: Mapping[str, Any], origins: Origins
) -> Iterable[ExpectedRun]:
    """One run per corruption and algorithm: the mean over the datasets that have all levels.

    All means of a corruption are over the same datasets: those that are complete for each algorithm with a mean.
    MLflow's own mean of a group of runs covers only the 100 runs that its page loads.
    """
    for corruption in dict.fromkeys(corruption for _, corruption, _ in levels):
        complete = _complete_datasets(levels, run, corruption)
        several = {algorithm: datasets for algorithm, datasets in complete.items() if len(datasets) > 1}
        for algorithm, datasets in several.items():
            common = [name for name in datasets if all(name in others for others in several.values())]
            if len(common) < 2:
                continue
            files = [file for dataset in common for file in levels[dataset, corruption, algorithm]]
            origin = origins.of(files)
            sources = (_source(run, dataset) for dataset in common)
            key = _key(Kind.MEAN, *(cells[file][1] for file in files), *sources, origin.key)
            name = f"{algorithm} · mean of {len(common)} datasets, {corruption}"
            id = f"mean of datasets/{corruption}/{algorithm}"
            yield ExpectedRun(Kind.MEAN, CURVES, id, name, key, tuple(cells[file][0] for file in files), origin)


def _complete_datasets(levels: Levels, run: Mapping[str, Any], corruption: str) -> dict[str, list[str]]:
    """Return, per algorithm, the datasets that have all levels of a corruption that the benchmark expects.

    As in the report, without stand-ins and without parts of another dataset.
    """

    def is_averaged(dataset: str) -> bool:
        return _kind(run, dataset) != "stand-in" and dataset not in PARTS

    expected = {
        setting
        for dataset, setting, _ in run["expected"]["cells"]
        if is_averaged(dataset) and kind_of(setting) in (CLEAN, corruption)
    }
    found: dict[str, list[str]] = {}
    for (dataset, kind, algorithm), files in levels.items():
        if kind == corruption and is_averaged(dataset) and {file[1] for file in files} == expected:
            found.setdefault(algorithm, []).append(dataset)
    return found


def _source(run: Mapping[str, Any], dataset: str) -> str:
    return str(run.get("datasets", {}).get(dataset, {}).get("source", ""))


def _kind(run: Mapping[str, Any], dataset: str) -> str:
    return str(run.get("datasets", {}).get(dataset, {}).get("kind", ""))


def _report(folder: Path, headline: Mapping[str, float], origin: Origin) -> Iterable[ExpectedRun]:
    """The run of the report, with the files that hypercut wrote and none that a user added."""
    listed = read_list(folder)
    found = names(folder) if listed is None else listed
    files = tuple(sorted(folder / name for name in found if (folder / name).is_file()))
    if files:
        contents = [f"{path.relative_to(folder)} {_file_hash(path)}" for path in files]
        key = _key(Kind.REPORT, *contents, json.dumps(dict(headline), sort_keys=True), origin.key)
        yield ExpectedRun(Kind.REPORT, REPORT, "report", "report", key, files, origin)


def _key(kind: Kind, *contents: str) -> str:
    return hashlib.sha256("\n".join([f"{FORMAT} {kind}", *contents]).encode()).hexdigest()


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
