"""Errors that are the user's to mend: the command line prints them without a traceback."""


class InputError(ValueError):
    """Something given from outside cannot be used.

    The message says what was expected, what was found, and what to do about it.
    """
