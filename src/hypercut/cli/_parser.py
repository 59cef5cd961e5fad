"""The parser of the command line, and completion in shells: ``eval "$(register-python-argcomplete hypercut)"``."""

import argparse
import difflib
import os
from collections.abc import Callable, Iterable
from typing import Any


class Parser(argparse.ArgumentParser):
    """Reports unknown arguments of a command with the usage of that command, and suggests a similar option.

    argparse would report them with the usage of the whole command line, which lists no options.
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse arguments; exit if one is unknown."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._suggestions(unknown)}")
        return found, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise an error if a value or a command is not one of the choices, and suggest a similar one."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            meant = difflib.get_close_matches(str(value), map(str, action.choices or ()), n=1)
            error.message += f". Did you mean {meant[0]}?" if meant else ""
            raise

    def _suggestions(self, unknown: list[str]) -> str:
        options = [option for option in self._option_string_actions if option.startswith("--")]
        names = [argument.partition("=")[0] for argument in unknown if argument.startswith("-")]
        meant = [guess for name in names for guess in difflib.get_close_matches(name, options, n=1)]
        return f". Did you mean {' and '.join(dict.fromkeys(meant))}?" if meant else ""


def complete(argument: argparse.Action, names: Callable[[], Iterable[str]]) -> None:
    """Let a shell complete an argument with these names, which are computed only on request."""
    argument.completer = lambda **_: list(names())  # type: ignore[attr-defined]


def answer_shell(parser: argparse.ArgumentParser) -> None:
    """Print completions and exit, if a shell requests them."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete  # here, since other calls need not wait for it

        argcomplete.autocomplete(parser)
