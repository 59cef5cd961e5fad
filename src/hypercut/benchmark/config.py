"""Checks of a configuration: against its schema, and of names and values that a schema cannot check.

Error messages name the key, the value and the allowed values.
"""

import difflib
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from hypercut.benchmark import declared
from hypercut.errors import InputError
from hypercut.paper.protocol import CLEAN
from hypercut.paper.published import INDICATED, PARTS
from hypercut.paper.readings import readings

#: Keys of a dataset's entry that are about the benchmark; the others are about the data.
BENCHMARK_KEYS = frozenset({"weights", "corruptions", "repeats"})
#: Keys of a dataset's entry with the place of own data and the way to read them.
OWN_FILE_KEYS = frozenset(
    {"path", "features", "label_column", "labels", "header", "sheet", "columns", "ignore", "missing"}
)
#: The experiments of MLflow that do not belong to a dataset (:mod:`hypercut.tracking.links`).
EXPERIMENTS = ("curves", "report")
#: Options that every dataset has.
COMMON_OPTIONS = frozenset({"subset", "seed", "resample"})

#: The keys that limit how long a job waits. They are stored with its result, but are not part of its recipe.
LIMITS = ("time_limit", "give_up_after")

_SCHEMA = Path(__file__).with_name("config.schema.yaml")
_OPTION = {"type": ["integer", "boolean", "null"], "expected": "a number, true or false"}


def checked(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration with defaults filled in, and lists sorted where their order has no meaning.

    Raises one error that lists every key and value that does not fit the schema.
    """
    # Imported here, since estimators need neither.
    import yaml
    from jsonschema import Draft202012Validator as Draft
    from jsonschema.validators import extend

    # .nan and .inf are not numbers here: some comparisons with a bound would accept them.
    finite = Draft.TYPE_CHECKER.redefine(
        "number", lambda types, value: Draft.TYPE_CHECKER.is_type(value, "number") and isfinite(value)
    )
    schema = yaml.safe_load(_SCHEMA.read_text(encoding="utf-8"))
    options = {option for dataset in declared.datasets() for option in declared.options(dataset)}
    schema["properties"]["datasets"]["additionalProperties"]["properties"] |= dict.fromkeys(options, _OPTION)
    errors = sorted(
        extend(Draft, type_checker=finite)(schema).iter_errors(config), key=lambda error: list(map(str, error.path))
    )
    if errors:
        lines = [_explain(error) for error in errors]
        raise InputError("The configuration is invalid:\n" + "\n".join(f"  {line}" for line in lines))
    filled: dict[str, Any] = _completed(config, schema)
    return filled


def check_unique_keys(file: Path) -> None:
    """Raise an error if a mapping in a YAML file has the same key twice, since only the last would count."""
    import yaml

    waiting = [yaml.compose(file.read_text(encoding="utf-8"), yaml.SafeLoader)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            keys = [key.value for key, _ in node.value]
            twice = next((key for key, _ in node.value if keys.count(key.value) > 1), None)
            if twice is not None:
                raise InputError(
                    f"{file} has the key {twice.value!r} twice, first in line {twice.start_mark.line + 1}. "
                    "Put all entries under one."
                )
            waiting += [value for _, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value


def check_datasets(config: Mapping[str, Any]) -> None:
    """Check the names, weights and options of the datasets, and what sweeps and readings refer to."""
    for dataset, entry in config["datasets"].items():
        _check_dataset(dataset, entry)
    for alpha, beta in config["sweeps"]["weights"]:
        _check_weights("sweeps.weights", alpha, beta)
    for dataset in config["sweeps"].get("datasets") or []:
        check_name("sweeps.datasets", dataset, config["datasets"])
    _check_readings(config["readings"], config["datasets"])


def _check_readings(chosen: Mapping[str, Any], datasets: Iterable[str]) -> None:
    for name in chosen["names"] or []:
        check_name("readings.names", name, readings())
    if chosen["nearest"] is not None:
        at_full_protocol = [name for name, reading in readings().items() if reading.is_run and reading.setting == CLEAN]
        check_name("readings.nearest", chosen["nearest"], at_full_protocol)
    # Datasets that this benchmark lacks are allowed, so that a preset with fewer datasets need not repeat the key.
    known = list(dict.fromkeys([*datasets, *declared.datasets(), *PARTS]))
    for dataset in chosen["datasets"] or []:
        check_name("readings.datasets", dataset, known)


def check_name(key: str, name: str, known: Iterable[str], *, what: str = "name", advice: str = "") -> None:
    """Raise an error that lists the known names, unless ``name`` is one of them."""
    names = list(known)
    if name not in names:
        guesses = difflib.get_close_matches(name, names, n=1)
        hint = f" Did you mean {guesses[0]!r}?" if guesses else ""
        raise InputError(f"{key}: unknown {what} {name!r}; available: {', '.join(names)}.{hint} {advice}".rstrip())


def _check_dataset(dataset: str, entry: Mapping[str, Any]) -> None:
    known = declared.datasets()
    own, whole = "path" in entry, entry.get("part_of", dataset)
    if dataset in PARTS and (whole, entry.get("subset")) != (PARTS[dataset], INDICATED[PARTS[dataset]]):
        raise InputError(
            f"datasets.{dataset}: the report compares this name with the paper. Expected "
            f"{{part_of: {PARTS[dataset]}, subset: {INDICATED[PARTS[dataset]]}}}; choose another name for other data."
        )
    if not own and "part_of" not in entry:
        check_name("datasets", dataset, known, advice="Own data need a 'path', a part of a dataset 'part_of'.")
    elif "".join(filter(str.isalnum, dataset.lower())) in {*known, *EXPERIMENTS}:  # "Yale B" would pass for yaleb
        raise InputError(f"datasets.{dataset}: hypercut uses this name itself. Choose another name for your data.")
    elif not own:
        check_name(f"datasets.{dataset}.part_of", whole, known)
    _check_weights(f"datasets.{dataset}.weights", *entry["weights"])
    options = {} if own else declared.options(whole)
    if ("part_of" in entry or entry.get("resample")) and not entry.get("subset"):
        raise InputError(f"datasets.{dataset}: part_of and resample need the number of samples to draw (subset).")
    for option in entry.keys() - BENCHMARK_KEYS - COMMON_OPTIONS:
        allowed = OWN_FILE_KEYS if own else {"part_of", *options}
        check_name(f"datasets.{dataset}", option, [*COMMON_OPTIONS, *allowed], what="option")
        is_flag = isinstance(options.get(option), bool)
        if not own and isinstance(entry[option], bool) != is_flag:
            expected = "true or false" if is_flag else "a whole number"
            raise InputError(f"datasets.{dataset}.{option} = {entry[option]!r}: expected {expected}.")


def _check_weights(key: str, alpha: float, beta: float) -> None:
    if alpha + beta > 1 + 1e-12:
        raise InputError(
            f"{key} = [{alpha}, {beta}]: expected α + β ≤ 1, since the over-clustering has weight 1 − α − β."
        )


def _explain(error: Any) -> str:
    key = ".".join(map(str, error.path)) or "the configuration"
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        unknown = [str(name) for name in error.instance if name not in known]
        guesses = [guess for name in unknown for guess in difflib.get_close_matches(name, known, n=1)]
        hint = f" Did you mean {' and '.join(map(repr, guesses))}?" if guesses else ""
        return f"{key}: unknown key {', '.join(map(repr, unknown))}; allowed: {', '.join(known)}.{hint}"
    if error.validator == "required":
        return f"{key}: {error.message}."
    if error.validator == "enum":
        expected = f"one of {', '.join(map(repr, error.validator_value))}"
    else:
        expected = error.schema.get("expected") or f"a value that fits the schema ({error.message})"
    return f"{key} = {error.instance!r}: expected {expected}."


def _completed(value: Any, schema: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return sorted(value) if schema.get("uniqueItems") else value
    if not isinstance(value, Mapping):
        return value
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties") or {}
    filled = {name: _completed(member, properties.get(name, others)) for name, member in value.items()}
    for name, member in properties.items():
        if name not in filled and "default" in member:
            filled[name] = _completed(member["default"], member)
    return filled
