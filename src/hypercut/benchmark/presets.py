"""A user's own entries under a preset, and subsets larger than their dataset.

Only the workflow uses this module: the configuration in a results folder has neither presets nor such subsets.
"""

from collections.abc import Mapping
from typing import Any

from hypercut.benchmark import declared
from hypercut.benchmark.config import BENCHMARK_KEYS
from hypercut.benchmark.size import described_size
from hypercut.errors import InputError

OWN = {"datasets": "path", "algorithms": "module"}
"""keys of a configuration with a user's own entries, and the option that marks these"""


def with_own_entries(chosen: Mapping[str, Any], full: Mapping[str, Any], own: Any = None) -> dict[str, Any]:
    """Return a configuration under a preset, with the user's own datasets and algorithms of config.yaml.

    ``full`` is config.yaml; in ``chosen``, the preset's keys replace those of config.yaml. ``own`` is the preset's key
    of this name: ``False`` leaves the own entries out, a mapping updates the entries of own datasets. An entry of the
    preset has precedence over one of the same name in config.yaml.

    >>> full = {"datasets": {"iris": {}, "mine": {"path": "mine.csv"}}}
    >>> with_own_entries({"datasets": {"orl": {}}}, full, {"subset": 400})
    {'datasets': {'orl': {}, 'mine': {'path': 'mine.csv', 'subset': 400}}}
    """
    if own not in (None, False) and not isinstance(own, Mapping):
        raise InputError(
            f"own = {own!r}: expected false to leave out own datasets and algorithms, or options of own datasets such "
            "as {subset: 400}."
        )
    result = dict(chosen)
    for key, mark in OWN.items():
        mine = {name: entry for name, entry in _entries(full, key).items() if mark in entry}
        # Without the key in the preset, the entries are those of config.yaml.
        others = {name: entry for name, entry in _entries(chosen, key).items() if entry != mine.get(name)}
        update = own if own and key == "datasets" else {}
        kept = {name: {**entry, **update} for name, entry in mine.items() if own is not False and name not in others}
        if mine:
            result[key] = {**others, **kept}
    return result


def _entries(config: Mapping[str, Any], key: str) -> dict[str, Mapping[str, Any]]:
    """Return the entries under a key; those of the wrong type, which the schema reports, are left out."""
    entries = config.get(key)
    found = entries.items() if isinstance(entries, Mapping) else ()
    return {name: entry for name, entry in found if isinstance(entry, Mapping)}


def without_excess(config: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a checked configuration in which no subset exceeds its dataset, and a note about each that did."""
    datasets, notes = {}, []
    for name, entry in config["datasets"].items():
        samples = _samples(name, entry) if entry.get("subset") else None
        if samples is not None and entry["subset"] > samples:
            asked = entry["subset"]
            notes.append(f"datasets.{name}: all {samples} samples are used, since there are no more (subset: {asked}).")
            entry = {key: value for key, value in entry.items() if key != "subset"}
            if entry.get("resample") or "part_of" in entry:  # which need a size
                entry["subset"] = samples
        datasets[name] = entry
    return {**config, "datasets": datasets}, notes


def _samples(dataset: str, entry: Mapping[str, Any]) -> int | None:
    """Return the number of samples from which a subset is drawn; None if it is unknown."""
    options = {key: value for key, value in entry.items() if key not in {"subset", "resample", *BENCHMARK_KEYS}}
    if "path" not in entry:
        if entry.get("part_of", dataset) not in declared.datasets():
            return None
        size = described_size(dataset, options)
        return size.samples if size else None
    from hypercut.data.datasets import resolve  # here: it imports numpy, which Snakemake's environment may not have

    try:
        described, _ = resolve(dataset, options)
        return described.count() if described.count else None
    except InputError:  # reported by the step that reads the files
        return None
