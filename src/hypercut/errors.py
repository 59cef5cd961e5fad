"""Errors that are the user's to mend: the command line prints them without a traceback."""


class InputError(ValueError):
    """Something given from outside cannot be used.

    The message says what was expected, what was found, and what to do about it.
    """


def not_installed(package: str, extras: str = "workflow") -> str:
    """Say how to get a package that ``pip install hypercut`` leaves out, since only the benchmark needs it."""
    return f"{package} is not installed. Install it with: pip install 'hypercut[{extras}]'"
