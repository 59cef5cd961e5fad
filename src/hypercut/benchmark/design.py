"""A benchmark: the results that a configuration requests, and the part of the configuration that each result needs.

A change of the configuration reruns only the jobs that need the changed part. This module imports nothing slow, since
the workflow builds a benchmark before any job runs.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import file_digest, sha256
from itertools import chain
from pathlib import Path
from typing import Any

from hypercut.algorithms import _registry
from hypercut.algorithms._registry import ClassFacts
from hypercut.benchmark import code, declared
from hypercut.benchmark.config import BENCHMARK_KEYS, OWN_FILE_KEYS, check_datasets, check_name, checked
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.repeats import READINGS, with_repeats
from hypercut.benchmark.repeats import SWEEPS as SWEEP_REPEATS
from hypercut.benchmark.variations import (
    SWEEPS,
    SWEPT_ALGORITHM,
    Group,
    Variation,
    parameter_sets,
    split_problem,
)
from hypercut.errors import InputError
from hypercut.paper.protocol import CLEAN, COMMUNITIES_PER_CLUSTER, NEIGHBORS, SIMILARITY_DATASET, kind_of
from hypercut.paper.readings import Reading, readings

RESERVED = {
    "n_clusters": "the classes of the dataset",
    "random_state": "the repeat",
    "sigma_factor": "sigma_factors",
    "affinity": "the benchmark, which passes features",
}
"""parameters set by the benchmark, and where each comes from"""


class Benchmark:
    """The jobs of a configuration that was checked and completed by :func:`hypercut.benchmark.config.checked`.

    ``config`` also has the numbers of repeats of each dataset, see :mod:`hypercut.benchmark.repeats`.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        check_datasets(config)
        self.config = with_repeats(config)
        self._methods: dict[str, ClassFacts] = {}

    # Datasets

    @property
    def datasets(self) -> list[str]:
        """The names of all datasets."""
        return list(self.config["datasets"])

    def entry(self, dataset: str) -> Mapping[str, Any]:
        """Return the configuration's entry of a dataset; an empty one if only parts of it are in the benchmark."""
        entries: Mapping[str, Mapping[str, Any]] = self.config["datasets"]
        if dataset not in entries and dataset in {self.files_of(name) for name in entries}:
            return {}
        check_name("dataset", dataset, entries)
        return entries[dataset]

    def data_entry(self, dataset: str) -> dict[str, Any]:
        """Return the part of the entry that decides the features."""
        return {name: value for name, value in self.entry(dataset).items() if name not in BENCHMARK_KEYS}

    def acquisition_entry(self, dataset: str) -> dict[str, Any]:
        """Return the part of the entry that decides the raw files, which all benchmarks share."""
        return {name: value for name, value in self.entry(dataset).items() if name in OWN_FILE_KEYS}

    def dataset_module(self, dataset: str) -> str:
        """Return the module that defines a dataset."""
        return code.OWN_DATA if "path" in self.entry(dataset) else f"{code.DATASETS}.{self.files_of(dataset)}"

    def files_of(self, dataset: str) -> str:
        """Return the dataset whose raw files a dataset uses: for a part, the whole; otherwise itself."""
        return str(self.config["datasets"].get(dataset, {}).get("part_of", dataset))

    def resampled_size(self, dataset: str) -> int | None:
        """Return the size of the random subset that each repeat draws; None if all repeats share the samples."""
        entry = self.entry(dataset)
        return int(entry["subset"]) if entry.get("resample") else None

    def own_files(self, dataset: str) -> list[str]:
        """Return the files of a user's own dataset; for a folder, all files below it."""
        entry = self.entry(dataset)
        given = [Path(entry[name]).expanduser() for name in ("path", "labels") if name in entry]
        return [
            str(file)
            for path in given
            for file in (sorted(path.rglob("*")) if path.is_dir() else [path])
            if file.is_file()
        ]

    def own_digest(self, dataset: str) -> str:
        """Return a checksum of the files of a user's own dataset."""
        digest = sha256()
        for file in self.own_files(dataset):
            with Path(file).open("rb") as content:
                digest.update(file_digest(content, "sha256").digest())
        return digest.hexdigest()

    def data(self, dataset: str) -> dict[str, str]:
        """Return kind and identity of the data in the data folder; if there are none, of the published dataset."""
        folder = self.files_of(dataset)
        found = declared.stored_identity(Path(self.config["data"]["root"]) / folder)
        if found is None and "path" not in self.entry(dataset):
            found = declared.published_identity(folder)
        return found or {}

    # Settings

    @cached_property
    def levels(self) -> dict[str, float]:
        """The strength of every setting, clean first."""
        named = {
            f"{corruption}-{level}": float(value)
            for corruption, options in sorted(self.config["corruptions"].items())
            for level, value in sorted(options["levels"].items(), key=lambda item: int(item[0].removeprefix("L")))
        }
        return {CLEAN: 0.0, **named}

    def level(self, setting: str) -> float:
        """Return the strength of a setting."""
        check_name("setting", setting, self.levels)
        return self.levels[setting]

    def settings(self, dataset: str) -> list[str]:
        """Return the settings of a dataset: clean, and the levels of the corruptions chosen for it."""
        chosen = self.entry(dataset).get("corruptions", list(self.config["corruptions"]))
        return [setting for setting in self.levels if setting == CLEAN or kind_of(setting) in chosen]

    def repeats(self, dataset: str, setting: str) -> int:
        """Return the number of repeats of the cells of a dataset under a setting."""
        return int(self.entry(dataset)["repeats"][kind_of(setting)])

    def sigma_factors(self, setting: str) -> list[float]:
        """Return the values of σ/ρ under a setting."""
        return list(_by_kind(self.config["sigma_factors"], setting))

    def corruption_options(self, setting: str) -> dict[str, Any]:
        """Return the options of a setting's corruption: scale and distribution of the noise."""
        options = self.config["corruptions"].get(kind_of(setting), {})
        return {name: value for name, value in options.items() if name != "levels"}

    # Problems: the settings of a dataset, and those with data changed by a reading (see problem_name)

    def problem_options(self, problem: str) -> dict[str, Any]:
        """Return the options of a problem: scaling of the features, scale and distribution of the noise."""
        setting, reading = split_problem(problem)
        return {**self.corruption_options(setting), **(readings()[reading].data if reading else {})}

    def problem_repeats(self, dataset: str, problem: str) -> int:
        """Return the repeats for which over-clusterings of a problem are computed: those of its cells or readings."""
        setting, reading = split_problem(problem)
        if not reading:
            return self.repeats(dataset, setting)
        if (dataset, problem) not in self.changed_problems:
            raise InputError(f"{problem} of {dataset} is not part of the benchmark: see readings in the configuration.")
        return max(variation.repeats for variation in self.changed_problems[dataset, problem])

    def draws(self, dataset: str, problem: str) -> int:
        """Return the number of different draws of the samples: 1 for clean data, unless each repeat draws a subset."""
        setting, _ = split_problem(problem)
        if setting == CLEAN and self.resampled_size(dataset) is None:
            return 1
        return self.problem_repeats(dataset, problem)

    @cached_property
    def changed_problems(self) -> dict[tuple[str, str], list[Variation]]:
        """The (dataset, problem) whose data a reading changes, each with the variations that use it."""
        found: dict[tuple[str, str], list[Variation]] = {}
        for variation in self.variations():
            if variation.changed_by:
                found.setdefault((variation.dataset, variation.problem), []).append(variation)
        return found

    # Algorithms

    @cached_property
    def method_names(self) -> list[str]:
        """The names of all algorithms and baselines; the files of a user's own methods are not read."""
        names = list(dict.fromkeys([*_registry.algorithms(), *self.config["algorithms"]]))
        for name in self.config["leave_out"]:
            check_name("leave_out", name, names)
        kept = [name for name in names if name not in self.config["leave_out"]]
        return list(dict.fromkeys(kept + self.config["baselines"]))

    @cached_property
    def methods(self) -> dict[str, ClassFacts]:
        """All algorithms and baselines, by name."""
        if set(self.method_names) <= set(self.config["baselines"]):
            raise InputError(
                "leave_out: no algorithm remains to be compared with the baselines. Leave at least one in."
            )
        return {name: self.method(name) for name in self.method_names}

    def method(self, name: str) -> ClassFacts:
        """Return an algorithm or baseline; no other file is read."""
        if name not in self._methods:
            self._methods[name] = _find_method(name, self._algorithm_entry(name))
        return self._methods[name]

    def has_method(self, name: str) -> bool:
        """Return whether the file of an algorithm exists: a user may have moved it after it ran."""
        module = self._algorithm_entry(name).get("module", "")
        return not module or (code.module_file(module) or Path("/")).is_file()

    def _algorithm_entry(self, name: str) -> Mapping[str, Any]:
        entry: Mapping[str, Any] = self.config["algorithms"].get(name, {})
        return entry

    def parameters(self, dataset: str, algorithm: str) -> dict[str, Any]:
        """Return the configured parameters of an algorithm on a dataset, with the dataset's weights if it uses them."""
        weights = self._weights(dataset) if "weights" in self.method(algorithm).uses else {}
        return {**weights, **self._algorithm_entry(algorithm).get("parameters", {})}

    def _weights(self, dataset: str) -> dict[str, float]:
        return dict(zip(("alpha", "beta"), self.entry(dataset)["weights"], strict=True))

    # Results

    def cells(self) -> list[tuple[str, str, str]]:
        """Return every (dataset, setting, algorithm)."""
        return [
            (dataset, setting, algorithm)
            for dataset in self.datasets
            for setting in self.settings(dataset)
            for algorithm in self.method_names
        ]

    @property
    def similarity_cell(self) -> Variation | None:
        """The cell whose σ the similarity matrices need, PKO+HSC on clean ORL; None without it."""
        names = (SIMILARITY_DATASET, CLEAN, SWEPT_ALGORITHM)
        return self.cell(*names) if names in self.cells() else None

    def cell(self, dataset: str, setting: str, algorithm: str) -> Variation:
        """Return a cell as the variation without a change."""
        return Variation(dataset, setting, "", algorithm, Group.CELLS, self.repeats(dataset, setting))

    def results(self) -> Iterator[Variation]:
        """Yield every cell, then every sweep and reading: one per result file."""
        for cell in self.cells():
            yield self.cell(*cell)
        yield from self.variations()

    def variations(self) -> list[Variation]:
        """Return every sweep and reading of an algorithm on a dataset under a setting."""
        return list(self._variations.values())

    def result(self, key: str) -> Variation:
        """Return the cell, sweep or reading with this :attr:`Variation.key`."""
        try:
            return self._by_key[key]
        except KeyError:
            raise InputError(f"{key} is not part of the benchmark of this configuration.") from None

    @cached_property
    def _by_key(self) -> dict[str, Variation]:
        return {result.key: result for result in self.results()}

    @cached_property
    def _variations(self) -> dict[tuple[str, str, str, str], Variation]:
        # The nearest reading comes last, since it has more repeats there than as one of the readings.
        found = chain(self._sweeps(), self._readings(), self._nearest())
        return {(v.dataset, v.setting, v.name, v.algorithm): v for v in found}

    def _sweeps(self) -> Iterator[Variation]:
        active = [sweep for sweep in SWEEPS if self.config["sweeps"][sweep]]
        for dataset in self._chosen(self.config["sweeps"]["datasets"]):
            # Never more than the cells have, so that each repeat can be compared with the same repeat of the cell.
            repeats = min(self.repeats(dataset, CLEAN), int(self.entry(dataset)["repeats"][SWEEP_REPEATS]))
            for sweep in active:
                yield Variation(dataset, CLEAN, sweep, SWEPT_ALGORITHM, Group.SWEEPS, repeats)

    def _readings(self) -> Iterator[Variation]:
        for name, reading in readings().items():
            if self._is_chosen(name):
                settings = self.config["readings"]["settings"] if reading.setting == CLEAN else [reading.setting]
                for dataset in self._chosen(self.config["readings"]["datasets"]):
                    yield from self._reading(reading, dataset, settings, Group.READINGS)

    def _nearest(self) -> Iterator[Variation]:
        name = self.config["readings"]["nearest"]
        if name is None:
            return
        reading = readings()[name]
        for dataset in self._chosen(self.config["readings"]["datasets"]):
            yield from self._reading(reading, dataset, self.settings(dataset), Group.NEAREST)

    def _reading(self, reading: Reading, dataset: str, settings: Iterable[str], group: Group) -> Iterator[Variation]:
        """Yield the variations of a reading on a dataset, for the settings and algorithms that the benchmark has."""
        if not reading.is_run or (reading.sigma_of and reading.sigma_of not in self.method_names):
            return
        if reading.datasets and self.files_of(dataset) not in reading.datasets:
            return
        for setting in settings:
            if setting not in self.settings(dataset):
                continue
            repeats = self.repeats(dataset, setting)
            if group != Group.NEAREST:
                repeats = min(repeats, int(self.entry(dataset)["repeats"][READINGS]))
            for algorithm in reading.algorithms:
                if algorithm in self.method_names:
                    changed_by = reading.name if reading.data else ""
                    yield Variation(dataset, setting, reading.name, algorithm, group, repeats, changed_by)

    def _is_chosen(self, reading: str) -> bool:
        names = self.config["readings"]["names"]
        return names is None or reading in names

    def _chosen(self, datasets: Iterable[str] | None) -> list[str]:
        """Return the datasets of the benchmark that are in a list; all for None."""
        return [dataset for dataset in self.datasets if datasets is None or dataset in datasets]

    def combinations(self, variation: Variation) -> list[dict[str, Any]]:
        """Return the parameter sets of a variation, without the σ of over-clusterings that :meth:`sigma_of` decides."""
        if variation.group == Group.SWEEPS:
            return self._swept(variation.dataset, variation.name)
        base = self.parameters(variation.dataset, variation.algorithm)
        if not variation.name:
            return [base]
        return parameter_sets(readings()[variation.name], variation.algorithm, base)

    def sigma_of(self, variation: Variation) -> Variation | None:
        """Return the cell at whose best σ the over-clusterings are found; None if it is at each σ of the grid."""
        is_reading = variation.name and variation.group != Group.SWEEPS
        algorithm = readings()[variation.name].sigma_of if is_reading else ""
        return self.cell(variation.dataset, variation.setting, algorithm) if algorithm else None

    def _swept(self, dataset: str, sweep: str) -> list[dict[str, Any]]:
        """Return the parameter sets of a sweep: one parameter varies, the others are as in the cells."""
        base = {
            **self._weights(dataset),
            "n_neighbors": NEIGHBORS,
            "communities_per_cluster": COMMUNITIES_PER_CLUSTER,
            **self._algorithm_entry(SWEPT_ALGORITHM).get("parameters", {}),
        }
        values = self.config["sweeps"][sweep]
        match sweep:
            case "weights":
                return [{**base, "alpha": a, "beta": b} for a, b in values]
            case "neighbors":
                return [{**base, "n_neighbors": k} for k in values]
            case _:
                return [{**base, "communities_per_cluster": count} for count in values]


def load_benchmark(results: Path) -> Benchmark:
    """Return the benchmark whose results are in a folder."""
    path = Layout(results).config
    try:
        config = checked(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        if not results.is_dir():
            raise InputError(f"There is no folder {results}. Run the benchmark first.") from None
        raise InputError(
            f"{path} is missing: {results} has no benchmark. Run the benchmark first. If you computed single results, "
            f"this adds the file: snakemake --cores 1 -- {path}"
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is damaged. Delete it and run the benchmark again. {error}") from None
    return Benchmark(config)


def _find_method(name: str, entry: Mapping[str, Any]) -> ClassFacts:
    """Return the method of this name, from the module of its entry or from the algorithms and baselines."""
    ours = _registry.algorithms() | _registry.baselines()
    if "module" in entry:
        if name in ours:
            raise InputError(
                f"algorithms.{name}: hypercut has a method of this name. Choose another for {entry['module']}."
            )
        candidates = {facts.name: facts for facts in code.named_classes(entry["module"])}
        if name not in candidates:
            found = ", ".join(map(repr, candidates)) or "none with a name"
            raise InputError(
                f"algorithms.{name}: {entry['module']} should define a class with name = {name!r}, but has {found}."
            )
    else:
        candidates = ours
        advice = (
            "Your own algorithm needs a file in src/hypercut/algorithms, or an entry in the configuration: "
            f"algorithms: {{{name}: {{module: path/to/file.py}}}}."
        )
        check_name("algorithms and baselines", name, candidates, advice=advice)
    for reserved in sorted(RESERVED.keys() & entry.get("parameters", {})):
        raise InputError(f"algorithms.{name}.parameters.{reserved} is set by {RESERVED[reserved]}. Remove it.")
    return candidates[name]


def _by_kind(value: Any, setting: str) -> Any:
    """Return a value of the configuration that may be given separately for each kind of setting."""
    return value[kind_of(setting)] if isinstance(value, Mapping) else value
