"""The runs that MLflow should have, from the result files alone: their names, keys and files."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from hypercut.benchmark.design import SWEPT_ALGORITHM
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.report_files import names, read_list
from hypercut.benchmark.rows import display_name
from hypercut.errors import InputError
from hypercut.paper.protocol import CLEAN, kind_of
from hypercut.tracking._origin import Origin, Origins

#: Part of every key. Raise it when the logged content changes, so that the next sync replaces all runs.
FORMAT = 3

CURVES, REPORT = "curves", "report"
"""the two experiments that are no dataset's"""


class Kind(StrEnum):
    """What a run is about."""

    CELL = "cell"
    SWEEP = "sweep"
    CURVE = "curve"
    """one algorithm on one dataset over the levels of one corruption"""
    REPORT = "report"


@dataclass(frozen=True)
class Planned:
    """One run that should exist."""

    kind: Kind
    experiment: str
    """without prefix: the dataset, ``curves`` or ``report``"""
    cell: str
    """identifies the run within its experiment"""
    name: str
    key: str
    files: tuple[Path, ...]
    """what it is made from"""
    origin: Origin


@dataclass(frozen=True)
class Plan:
    """All runs that should exist, and the number of expected result files that are missing."""

    runs: list[Planned]
    missing: int


def read_run(results: Path) -> dict[str, Any]:
    """Read ``run.json``, which says what the results consist of."""
    path = Layout(results).run
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
        run["expected"]["cells"], run["expected"]["sweeps"]
    except FileNotFoundError:
        raise InputError(
            f"{path}: there is no such file. Run the benchmark first, or specify the folder of its results."
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: expected the description of a benchmark, but: {error!r}. Delete this file and run the "
            "benchmark again: it is written anew, and results that are done stay."
        ) from None
    return dict(run)


def make_plan(results: Path, run: Mapping[str, Any], headline: Mapping[str, float]) -> Plan:
    """List the runs, each with the key of its content."""
    runs: list[Planned] = []
    missing = 0
    origins = Origins(results)
    hashes: dict[tuple[str, str, str], tuple[Path, str]] = {}
    for dataset, setting, algorithm in run["expected"]["cells"]:
        path = Layout(results).cell(dataset, setting, algorithm)
        if not path.exists():
            missing += 1
            continue
        content = _file_hash(path)
        hashes[dataset, setting, algorithm] = path, content
        name = f"{algorithm} · {setting}"
        origin = origins.of([(dataset, setting, algorithm, "")])
        key = _key(Kind.CELL, content, _facts(run, dataset), origin.key)
        runs.append(Planned(Kind.CELL, dataset, f"{setting}/{algorithm}", name, key, (path,), origin))
    for dataset, sweep in run["expected"]["sweeps"]:
        path = Layout(results).sweep(dataset, sweep)
        if not path.exists():
            missing += 1
            continue
        name = f"{SWEPT_ALGORITHM} · sweep {sweep}"
        origin = origins.of([(dataset, CLEAN, SWEPT_ALGORITHM, sweep)])
        key = _key(Kind.SWEEP, _file_hash(path), _facts(run, dataset), origin.key)
        runs.append(Planned(Kind.SWEEP, dataset, f"sweep/{sweep}", name, key, (path,), origin))
    runs += _curves(hashes, run, origins)
    runs += _report(Layout(results).report, headline, origins.all)
    return Plan(runs, missing)


def level_index(setting: str) -> int:
    """The position on the axis of levels: 0 for clean, 3 for noise-L3."""
    match = re.search(r"-L(\d+)$", setting)
    return int(match.group(1)) if match else 0


def _curves(
    cells: Mapping[tuple[str, str, str], tuple[Path, str]], run: Mapping[str, Any], origins: Origins
) -> Iterable[Planned]:
    """One run per dataset, corruption and algorithm that has a level; the clean set is level 0 of each."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for dataset, setting, algorithm in cells:
        if setting != CLEAN:
            groups.setdefault((dataset, kind_of(setting), algorithm), []).append(setting)
    for (dataset, corruption, algorithm), settings in groups.items():
        on_axis = [CLEAN, *sorted(settings, key=level_index)]
        members = [cells[dataset, setting, algorithm] for setting in on_axis if (dataset, setting, algorithm) in cells]
        origin = origins.of((dataset, setting, algorithm, "") for setting in on_axis)
        key = _key(Kind.CURVE, *(content for _, content in members), origin.key)
        cell = f"{dataset}/{corruption}/{algorithm}"
        files = tuple(path for path, _ in members)
        # MLflow labels the lines of its charts with the names of the runs.
        named = display_name(dataset, run.get("datasets", {}).get(dataset, {}).get("kind", ""), complete=True)
        yield Planned(Kind.CURVE, CURVES, cell, f"{algorithm} · {named} {corruption}", key, files, origin)


def _report(folder: Path, headline: Mapping[str, float], origin: Origin) -> Iterable[Planned]:
    """The run of the report: the files that hypercut wrote, and none that a user has put beside them."""
    listed = read_list(folder)
    found = names(folder) if listed is None else listed
    files = tuple(sorted(folder / name for name in found if (folder / name).is_file()))
    if files:
        contents = [f"{path.relative_to(folder)} {_file_hash(path)}" for path in files]
        key = _key(Kind.REPORT, *contents, json.dumps(dict(headline), sort_keys=True), origin.key)
        yield Planned(Kind.REPORT, REPORT, "report", "report", key, files, origin)


def _facts(run: Mapping[str, Any], dataset: str) -> str:
    """What ``run.json`` adds to the runs of a dataset, as far as it is part of the result: where the data are from.

    Not the commit nor the fingerprint of all code: an edit of any file would replace all runs. What code computed a
    result is part of its origin.
    """
    return str(run.get("datasets", {}).get(dataset, {}).get("source", ""))


def _key(kind: Kind, *contents: str) -> str:
    return hashlib.sha256("\n".join([f"{FORMAT} {kind}", *contents]).encode()).hexdigest()


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
