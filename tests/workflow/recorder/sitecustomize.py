"""Python loads this at its start: it notes every module of hypercut that the process imports.

There is one file per process in the folder ``IMPORT_LOG``, named after the process and its parent. The command is its
first line.
"""

import json
import os
import sys


def _record(event: str, arguments: tuple) -> None:
    if event == "import" and arguments[0].partition(".")[0] == "hypercut":
        path = os.path.join(os.environ["IMPORT_LOG"], f"{os.getpid()}.{os.getppid()}")
        with open(path, "a", encoding="utf-8") as file:
            if not file.tell():
                file.write(json.dumps(sys.orig_argv) + "\n")
            file.write(f"{arguments[0]}\n")


if "IMPORT_LOG" in os.environ:
    sys.addaudithook(_record)
