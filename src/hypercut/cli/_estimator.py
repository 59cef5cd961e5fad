"""The estimator that the options of ``hypercut cluster`` specify."""

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hypercut import algorithms
from hypercut.errors import InputError

if TYPE_CHECKING:
    from hypercut.algorithms import Estimator

DEFAULT = "AK+NC"
LARGEST_SEED = 2**32 - 1  # of numpy.random.RandomState


def make_estimator(args: argparse.Namespace) -> "Estimator":
    """Return the estimator with validated parameters; raise InputError if an option does not suit the algorithm."""
    if not 0 <= args.seed <= LARGEST_SEED:
        raise InputError(f"--seed {args.seed}: expected a number from 0 to {LARGEST_SEED}.")
    if args.clusters is not None and args.clusters < 2:
        raise InputError(f"--clusters {args.clusters}: expected at least 2 clusters.")
    algorithm = algorithms.get(args.algorithm)
    defaults = algorithm().get_params()
    if args.clusters is None and defaults["n_clusters"] is not None:
        raise InputError(f"{algorithm.name} needs --clusters K. Only {DEFAULT} estimates the number of clusters.")
    parameters: dict[str, Any] = {"n_clusters": args.clusters, "random_state": args.seed}
    options = []
    if args.sigma != "auto":
        if not algorithm.has_scale:
            raise InputError(f"{algorithm.name} has no scale σ. Omit --sigma.")
        options.append(f"--sigma {args.sigma}")
        parameters["sigma_factor"] = _number(args.sigma, options[-1])
    settable = sorted(defaults.keys() - {"n_clusters", "random_state", "sigma_factor"})
    for setting in args.settings:
        options.append(f"--set {setting}")
        name, _, value = setting.partition("=")
        if name not in settable or not value:
            raise InputError(f"{options[-1]}: expected NAME=VALUE, where NAME is one of {', '.join(settable)}.")
        parameters[name] = value if isinstance(defaults[name], str) else _number(value, options[-1])
    try:
        return algorithm(**parameters).validated()
    except InputError as error:
        raise InputError(f"{' '.join(options)}: {error}") from None


def _number(text: str, option: str) -> int | float:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    raise InputError(f"{option}: expected a number, found {text!r}.")
