"""Making the estimator that the options of ``hypercut cluster`` specify."""

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
    given = {f"--set {setting}": setting.partition("=")[::2] for setting in args.settings}
    settable = sorted(defaults.keys() - {"n_clusters", "random_state", "sigma_factor"})
    for option, (name, value) in given.items():
        if name not in settable or not value:
            raise InputError(f"{option}: expected NAME=VALUE, where NAME is one of {', '.join(settable)}.")
    if args.sigma != "auto":
        if not algorithm.has_sigma:
            raise InputError(f"{algorithm.name} has no scale σ. Omit --sigma.")
        given = {f"--sigma {args.sigma}": ("sigma_factor", args.sigma), **given}
    for option, (name, value) in given.items():
        is_text = isinstance(defaults[name], str) and name != "sigma_factor"
        parameters[name] = value if is_text else _number(value, option)
    try:
        return algorithm(**parameters).validated()
    except InputError as error:
        raise InputError(f"{' '.join(given)}: {error}") from None


def _number(text: str, option: str) -> int | float:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    raise InputError(f"{option}: expected a number, found {text!r}.")
