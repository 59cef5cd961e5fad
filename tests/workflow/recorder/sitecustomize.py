"""Python loads this at its start: it notes every module of hypercut that the process imports.

There is one file per process in the folder ``IMPORT_LOG``, named after the process and its parent. The command is its
first line.
"""

import json
import os
import sys


class Recorder:
    """Is asked first for every module that is to be loaded, and leaves it to the others."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] == "hypercut":
            log = os.path.join(os.environ["IMPORT_LOG"], f"{os.getpid()}.{os.getppid()}")
            with open(log, "a", encoding="utf-8") as file:
                if not file.tell():
                    file.write(json.dumps(sys.orig_argv) + "\n")
                file.write(f"{name}\n")


if "IMPORT_LOG" in os.environ:
    sys.meta_path.insert(0, Recorder())
