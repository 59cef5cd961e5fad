"""A benchmark: what a configuration asks to be computed, and the slice of it that each job needs.

Nothing is imported here that takes time: the workflow asks these questions before any job runs.
"""

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from hypercut.algorithms import _registry
from hypercut.benchmark import code
from hypercut.benchmark.layout import Layout
from hypercut.errors import InputError
from hypercut.paper.protocol import CLEAN, COMMUNITIES_PER_CLUSTER, NEIGHBORS, SIMILARITY_DATASET, kind_of

SWEEPS = ("weights", "neighbors", "communities")
SWEPT_ALGORITHM = "PKO+HSC"
"""the algorithm whose parameters are swept"""

RESERVED = {
    "n_clusters": "the classes of the dataset",
    "random_state": "the repeat",
    "sigma_factor": "sigma_factors",
    "affinity": "the benchmark, which gives features",
}
"""parameters set by the benchmark, and where each comes from"""

#: Keys of a dataset's entry that are about the benchmark; the others are about the data.
_ABOUT_THE_BENCHMARK = frozenset({"weights", "corruptions"})
#: Keys that say where a user's own data are and how they are read.
_ABOUT_OWN_FILES = frozenset({"path", "features", "label_column", "labels", "header"})
#: Options that every dataset has.
_COMMON_OPTIONS = frozenset({"subset", "seed"})


@dataclass(frozen=True)
class Method:
    """An algorithm or reference of the benchmark."""

    name: str
    module: str
    """dotted name, or the path of a file"""
    uses: tuple[str, ...]
    parameters: Mapping[str, Any]


class Benchmark:
    """The jobs that a configuration (checked, with defaults) stands for."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.config = config
        self._methods: dict[str, Method] = {}
        for dataset, entry in config["datasets"].items():
            self._check_dataset(dataset, entry)
        for alpha, beta in config["sweeps"]["weights"]:
            _check_weights("sweeps.weights", alpha, beta)
        for dataset in self.sweep_datasets:
            check_name("sweeps.datasets", dataset, self.datasets)

    @property
    def datasets(self) -> list[str]:
        """Their names."""
        return list(self.config["datasets"])

    def entry(self, dataset: str) -> Mapping[str, Any]:
        """Return a dataset's entry of the configuration."""
        check_name("dataset", dataset, self.datasets)
        entry: Mapping[str, Any] = self.config["datasets"][dataset]
        return entry

    @property
    def levels(self) -> dict[str, float]:
        """Every setting, clean first, and the value behind its name."""
        named = {
            f"{corruption}-{level}": float(value)
            for corruption, options in sorted(self.config["corruptions"].items())
            for level, value in sorted(options["levels"].items(), key=lambda item: int(item[0].removeprefix("L")))
        }
        return {CLEAN: 0.0, **named}

    def level(self, setting: str) -> float:
        """Return the value behind the name of a setting."""
        check_name("setting", setting, self.levels)
        return self.levels[setting]

    def settings(self, dataset: str) -> list[str]:
        """Return the settings under which a dataset is clustered: clean, and the corruptions chosen for it."""
        chosen = self.entry(dataset).get("corruptions", list(self.config["corruptions"]))
        return [setting for setting in self.levels if setting == CLEAN or kind_of(setting) in chosen]

    def repeats(self, setting: str) -> int:
        """Return the number of repeats under a setting."""
        return int(_by_kind(self.config["repeats"], setting))

    def factors(self, setting: str) -> list[float]:
        """Return the scales under a setting."""
        return list(_by_kind(self.config["sigma_factors"], setting))

    def corruption_options(self, setting: str) -> dict[str, Any]:
        """Return the options of a setting's corruption: scale and distribution of the noise."""
        options = self.config["corruptions"].get(kind_of(setting), {})
        return {name: value for name, value in options.items() if name != "levels"}

    def data_entry(self, dataset: str) -> dict[str, Any]:
        """Return the part of a dataset's entry that is about the data."""
        return {name: value for name, value in self.entry(dataset).items() if name not in _ABOUT_THE_BENCHMARK}

    def acquisition_entry(self, dataset: str) -> dict[str, Any]:
        """Return the part of it that decides what is in the data folder, which all benchmarks share."""
        return {name: value for name, value in self.data_entry(dataset).items() if name in _ABOUT_OWN_FILES}

    def dataset_module(self, dataset: str) -> str:
        """Return the module that defines a dataset."""
        return code.OWN_DATA if "path" in self.entry(dataset) else f"{code.DATASETS}.{dataset}"

    def own_files(self, dataset: str) -> list[str]:
        """Return the files of a user's own dataset, all those of a folder."""
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

    @cached_property
    def methods(self) -> dict[str, Method]:
        """Algorithms and references, by name."""
        return {name: self.method(name) for name in self.method_names}

    def method(self, name: str) -> Method:
        """Return one of them, without asking for the others' files."""
        if name not in self._methods:
            self._methods[name] = self._method(name, self.config["algorithms"].get(name, {}))
        return self._methods[name]

    @cached_property
    def method_names(self) -> list[str]:
        """The names alone: to read results, the files of a user's own methods need not be there."""
        names = list(dict.fromkeys([*_registry.algorithms(), *self.config["algorithms"]]))
        for name in self.config["leave_out"]:
            check_name("leave_out", name, names)
        return [name for name in names if name not in self.config["leave_out"]] + self.config["references"]

    def _method(self, name: str, entry: Mapping[str, Any]) -> Method:
        if "module" in entry:
            candidates = {facts.name: facts for facts in code.named_classes(entry["module"])}
            if name not in candidates:
                raise InputError(
                    f"algorithms.{name}: expected {entry['module']} to define a class with name = {name!r}, "
                    f"found {', '.join(map(repr, candidates)) or 'none with a name'}."
                )
        else:
            candidates = _registry.algorithms() | _registry.references()
            check_name(
                "algorithms and references",
                name,
                candidates,
                advice="An algorithm of your own needs a file in src/hypercut/algorithms, or in the configuration "
                f"algorithms: {{{name}: {{module: path/to/file.py}}}}.",
            )
        facts = candidates[name]
        parameters = entry.get("parameters", {})
        for decided in sorted(RESERVED.keys() & parameters):
            raise InputError(
                f"algorithms.{name}.parameters.{decided}: is decided by {RESERVED[decided]}. Leave it out."
            )
        return Method(name, facts.module, facts.uses, parameters)

    def parameters(self, dataset: str, algorithm: str) -> dict[str, Any]:
        """Return an algorithm's parameters on a dataset: the weights, if it uses them, and what the user set."""
        method = self.method(algorithm)
        weights = {}
        if "weights" in method.uses:
            alpha, beta = self.entry(dataset)["weights"]
            weights = {"alpha": alpha, "beta": beta}
        return {**weights, **method.parameters}

    def cells(self) -> list[tuple[str, str, str]]:
        """Return every (dataset, setting, algorithm)."""
        return [
            (dataset, setting, algorithm)
            for dataset in self.datasets
            for setting in self.settings(dataset)
            for algorithm in self.method_names
        ]

    @property
    def has_similarity(self) -> bool:
        """Whether the similarity matrices can be computed: they need the σ of PKO+HSC on clean ORL."""
        return (SIMILARITY_DATASET, CLEAN, SWEPT_ALGORITHM) in self.cells()

    @property
    def sweep_datasets(self) -> list[str]:
        """The datasets on which parameters are swept."""
        chosen = self.config["sweeps"].get("datasets")
        return self.datasets if chosen is None else list(chosen)

    def sweeps(self) -> list[tuple[str, str]]:
        """Return every (dataset, sweep)."""
        active = [sweep for sweep in SWEEPS if self.config["sweeps"][sweep]]
        return [(dataset, sweep) for dataset in self.sweep_datasets for sweep in active]

    @property
    def swept(self) -> Method:
        """The algorithm whose parameters are swept."""
        entry = self.config["algorithms"].get(SWEPT_ALGORITHM, {})
        return self._method(SWEPT_ALGORITHM, entry)

    def combinations(self, dataset: str, sweep: str) -> list[dict[str, Any]]:
        """Return the parameter sets of a sweep: one parameter varies, the others are as in the cells."""
        alpha, beta = self.entry(dataset)["weights"]
        paper = {
            "alpha": alpha,
            "beta": beta,
            "n_neighbors": NEIGHBORS,
            "communities_per_cluster": COMMUNITIES_PER_CLUSTER,
        }
        base = {**paper, **self.swept.parameters}
        values = self.config["sweeps"][sweep]
        match sweep:
            case "weights":
                return [{**base, "alpha": a, "beta": b} for a, b in values]
            case "neighbors":
                return [{**base, "n_neighbors": k} for k in values]
            case _:
                return [{**base, "communities_per_cluster": count} for count in values]

    def clusterings(self, scaled: Mapping[str, bool]) -> int:
        """Return the number of clusterings, given which methods go through all scales."""
        cells = sum(
            self.repeats(setting) * (len(self.factors(setting)) if scaled[algorithm] else 1)
            for _, setting, algorithm in self.cells()
        )
        per_combination = self.config["sweeps"]["repeats"] * len(self.factors(CLEAN))
        return cells + sum(per_combination * len(self.combinations(*sweep)) for sweep in self.sweeps())

    def expected(self) -> dict[str, list[list[str]]]:
        """Return what a complete table holds."""
        return {"cells": [list(cell) for cell in self.cells()], "sweeps": [list(sweep) for sweep in self.sweeps()]}

    def _check_dataset(self, dataset: str, entry: Mapping[str, Any]) -> None:
        known = code.datasets()
        own = "path" in entry
        if not own:
            check_name("datasets", dataset, known, advice="Data of your own need a 'path'.")
        elif dataset in known:
            raise InputError(f"datasets.{dataset}: this name is taken by a dataset of hypercut's. Choose another.")
        _check_weights(f"datasets.{dataset}.weights", *entry["weights"])
        allowed = _ABOUT_OWN_FILES if own else code.dataset_options(dataset)
        for option in entry.keys() - _ABOUT_THE_BENCHMARK - _COMMON_OPTIONS:
            check_name(f"datasets.{dataset}", option, [*_COMMON_OPTIONS, *allowed], what="option")
            if not own:
                _check_option(f"datasets.{dataset}.{option}", entry[option], code.dataset_options(dataset)[option])


def load_benchmark(results: Path) -> Benchmark:
    """Return the benchmark whose results are in a folder."""
    path = Layout(results).config
    try:
        return Benchmark(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise InputError(f"{path} is missing: there is no benchmark in this folder. Run the benchmark first.") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{path} is damaged ({error!r}). Delete it and run the benchmark again: it is written anew."
        ) from None


def _by_kind(value: Any, setting: str) -> Any:
    """Return a value of the configuration that may be given for each kind of setting."""
    return value[kind_of(setting)] if isinstance(value, Mapping) else value


def check_name(key: str, name: str, known: Iterable[str], *, what: str = "name", advice: str = "") -> None:
    """Raise an error that lists the valid names, unless this is one."""
    names = list(known)
    if name not in names:
        guesses = difflib.get_close_matches(name, names, n=1)
        hint = f" Did you mean {guesses[0]!r}?" if guesses else ""
        raise InputError(f"{key}: unknown {what} {name!r}; available: {', '.join(names)}.{hint} {advice}".rstrip())


def _check_option(key: str, value: Any, wanted: type) -> None:
    if isinstance(value, bool) != (wanted is bool):
        expected = "true or false" if wanted is bool else "a whole number"
        raise InputError(f"{key} = {value!r}: expected {expected}.")


def _check_weights(key: str, alpha: float, beta: float) -> None:
    if alpha + beta > 1 + 1e-12:
        raise InputError(f"{key} = [{alpha}, {beta}]: expected α + β ≤ 1; the over-clustering gets what they leave.")
