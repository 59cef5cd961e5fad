"""Completion in shells, by argcomplete: ``eval "$(register-python-argcomplete hypercut)"``."""

import argparse
import os
from collections.abc import Callable, Iterable


def complete(argument: argparse.Action, names: Callable[[], Iterable[str]]) -> None:
    """Let a shell complete an argument with these names, which are computed only when it asks."""
    argument.completer = lambda **_: list(names())  # type: ignore[attr-defined]


def answer_shell(parser: argparse.ArgumentParser) -> None:
    """Print completions and exit if a shell asks for them."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete  # here, since other calls need not wait for it

        argcomplete.autocomplete(parser)
