"""The names of settings: ``clean``, or a corruption and one of its levels, as in ``noise-L3``."""

CLEAN = "clean"
"""the setting that is level L0 of every corruption"""


def kind_of(setting: str) -> str:
    """Return what a setting is an instance of: ``clean``, ``noise`` or ``outlier``."""
    return setting.partition("-")[0]
