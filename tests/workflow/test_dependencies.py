"""A job depends on the modules that it really imports: neither fewer nor more."""

import pytest

from hypercut import sources
from tests.workflow.imports import recorded_steps
from tests.workflow.project import SECONDS, Project

pytestmark = pytest.mark.timeout(2 * SECONDS)


def argument(command: list[str], name: str) -> str | None:
    """The value of an option, be it ``--name value`` or ``--name=value``."""
    for word, following in zip(command, [*command[1:], ""], strict=True):
        if word == f"--{name}":
            return following
        if word.startswith(f"--{name}="):
            return word.partition("=")[2]
    return None


def test_every_step_of_a_run_imports_what_it_depends_on(finished: Project) -> None:
    seen = set()
    for command, imported in recorded_steps(finished.folder / "imports"):
        step = next(word for word in command if word.startswith(f"{sources.STEPS}."))
        module = argument(command, "module")
        seen.add(step.removeprefix(f"{sources.STEPS}."))
        if step == f"{sources.STEPS}.acquire":  # what fetches and reads decides nothing
            continue
        assert imported == set(sources.closure([step, *([module] if module else [])])), f"{step} {module}"
    steps = {path.stem for path in (sources.ROOT / "steps").glob("[a-z]*.py")} - {"plan"}
    assert seen == steps
