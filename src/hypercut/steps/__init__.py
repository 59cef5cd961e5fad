"""One module per step of the workflow, each run as ``python -m hypercut.steps.<name>``."""
