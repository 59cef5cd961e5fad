"""Checking a configuration against its schema, with messages that say what to do."""

import copy
import difflib
from collections.abc import Mapping
from typing import Any

from hypercut.benchmark import code
from hypercut.errors import InputError

_OPTION = {"type": ["integer", "boolean", "null"], "expected": "a number, true or false"}


def checked(config: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration with defaults filled in and lists in order, where their order means nothing.

    Every key and value that does not fit the schema is in the error that this raises.
    """
    from jsonschema import Draft202012Validator

    schema = copy.deepcopy(dict(schema))
    options = {option for dataset in code.datasets() for option in code.dataset_options(dataset)}
    schema["properties"]["datasets"]["additionalProperties"]["properties"] |= dict.fromkeys(options, _OPTION)
    errors = sorted(Draft202012Validator(schema).iter_errors(config), key=lambda error: list(map(str, error.path)))
    if errors:
        lines = [_explain(error) for error in errors]
        raise InputError("The configuration does not fit:\n" + "\n".join(f"  {line}" for line in lines))
    filled: dict[str, Any] = _completed(config, schema)
    return filled


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
        expected = error.schema.get("expected") or f"what the schema says ({error.message})"
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
