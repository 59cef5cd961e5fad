"""Recording which modules of hypercut the steps of a run import."""

import json
from collections import defaultdict
from pathlib import Path

from hypercut.benchmark import code

RECORDER = Path(__file__).parent / "recorder"


def recording(folder: Path) -> dict[str, str]:
    """Return an environment in which every Python process writes its imports to a folder."""
    folder.mkdir(parents=True)
    return {"PYTHONPATH": str(RECORDER), "IMPORT_LOG": str(folder)}


def recorded_steps(folder: Path) -> list[tuple[list[str], set[str]]]:
    """Return the command of each step, and the modules that it and its child processes imported."""
    commands: dict[str, list[str]] = {}
    modules: dict[str, set[str]] = {}
    children = defaultdict(list)
    parents: dict[str, str] = {}
    for file in folder.iterdir():
        process, parent = file.name.split(".")
        command, *names = file.read_text(encoding="utf-8").splitlines()
        commands[process] = json.loads(command)
        modules[process] = {name for name in names if code.module_file(name)} - set(code.NEUTRAL)
        children[parent].append(process)
        parents[process] = parent

    def with_children(process: str) -> set[str]:
        return modules[process].union(*(with_children(child) for child in children[process]))

    return [
        (command, with_children(process))
        for process, command in commands.items()
        if any(word.startswith(f"{code.STEPS}.") for word in command)
        and commands.get(parents[process]) != command  # a forked process belongs to its step
    ]
