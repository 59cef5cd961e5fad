"""The values that the parameters of the algorithms may take."""

import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hypercut.errors import InputError


@dataclass(frozen=True)
class Allowed:
    """The values that a parameter may take: a test, and the text that follows the parameter's name in the error."""

    test: Callable[[Any], bool]
    words: str


def integer(at_least: int, *others: object) -> Allowed:
    """Allow integers of at least ``at_least``, and the values ``others``."""

    def test(value: Any) -> bool:
        return value in others or (_is(value, numbers.Integral) and value >= at_least)

    return Allowed(test, f"to be an integer ≥ {at_least}{_alternatives(others)}")


def sigma_ratio(*others: object) -> Allowed:
    """Allow values of σ/ρ, and the values ``others``."""
    return Allowed(lambda value: value in others or _is_between(1e-6, value, 1e6), f"> 0{_alternatives(others)}")


def choice(*values: object) -> Allowed:
    """Allow the given values."""
    return Allowed(lambda value: value in values, ", ".join(map(repr, values[:-1])) + _alternatives(values[-1:]))


WEIGHT = Allowed(lambda value: _is_between(0, value, 1), "between 0 and 1")


def check_parameters(estimator: Any, allowed: Mapping[str, Allowed]) -> None:
    """Raise InputError for the first parameter with a value that is not allowed.

    NumPy's numbers become Python's first, since products of NumPy's small integers overflow.
    """
    scalars = {name: value for name, value in estimator.get_params().items() if isinstance(value, np.generic)}
    estimator.set_params(**{name: value.item() for name, value in scalars.items()})
    parameters = estimator.get_params()
    for name, value in parameters.items():
        if name in allowed and not allowed[name].test(value):
            raise InputError(f"Expected {name} {allowed[name].words}, found {value!r}.")
    alpha, beta = parameters.get("alpha", 0), parameters.get("beta", 0)
    if {"alpha", "beta"} <= allowed.keys() and alpha + beta > 1 + 1e-12:
        raise InputError(
            f"Expected alpha + beta ≤ 1, found {alpha} + {beta}: "
            "the over-clustering hypergraph has the weight 1 − alpha − beta."
        )


def _alternatives(values: tuple[object, ...]) -> str:
    return "".join(f" or {value!r}" for value in values)


def _is_between(low: float, value: Any, high: float) -> bool:
    return _is(value, numbers.Real) and low <= value <= high


def _is(value: Any, kind: type) -> bool:
    """Whether a value is a number of this kind; True and False are not."""
    return isinstance(value, kind) and not isinstance(value, bool)
