"""The modules that each step loads: an edit of the code that fetches data must not recompute a benchmark."""

import subprocess
import sys

import pytest

from hypercut.benchmark import code
from hypercut.data import datasets

FETCHING = {"sources.py", "store.py"}


def dataset_files(*modules: str) -> set[str]:
    folders = (code.ROOT / "data", code.ROOT / "data" / "datasets")
    return {path.name for path in code.closure(modules, ignore=(code.STAND_INS,)).values() if path.parent in folders}


@pytest.mark.parametrize("name", [*datasets.names(), "own"])
def test_features_do_not_depend_on_the_code_that_fetches(name: str) -> None:
    module = "hypercut.data.own" if name == "own" else f"hypercut.data.datasets.{name}"
    found = dataset_files("hypercut.steps.featurize", module)
    assert f"{name}.py" in found
    assert not found & {*FETCHING, "standins.py"}


def test_who_reads_features_depends_on_no_dataset() -> None:
    assert dataset_files("hypercut.steps.corrupt") == {"__init__.py", "corruption.py", "scaling.py"}


@pytest.mark.parametrize("step", ["acquire", "featurize"])
def test_a_step_loads_the_dataset_at_hand_and_no_other(step: str) -> None:
    code = (
        f"import sys, hypercut.steps.{step}; from hypercut.data.datasets import load;"
        "load('hypercut.data.datasets.iris', 'iris', {});"
        "print(*(name.rpartition('.')[2] for name in sys.modules if name.startswith('hypercut.data.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "iris" in loaded
    assert not loaded & {"own", *datasets.names()} - {"iris"}
