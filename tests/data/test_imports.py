"""What each step loads of the datasets: an edit of the code that fetches must not recompute a benchmark."""

import subprocess
import sys

import pytest

from hypercut.benchmark import code
from hypercut.data import datasets

FETCHING = {"acquisition.py", "download.py", "fetch.py", "installation.py"}


def dataset_files(*modules: str) -> set[str]:
    folders = (code.ROOT / "data", code.ROOT / "data" / "datasets")
    return {path.name for path in code.closure(modules).values() if path.parent in folders}


@pytest.mark.parametrize("name", [*datasets.names(), "own"])
def test_features_do_not_depend_on_the_code_that_fetches(name: str) -> None:
    module = "hypercut.data.own" if name == "own" else f"hypercut.data.datasets.{name}"
    found = dataset_files("hypercut.steps.featurize", module)
    assert f"{name}.py" in found
    assert not found & (FETCHING)


@pytest.mark.parametrize("name", ["iris", "digits", "traj"])
def test_a_set_without_archives_does_not_depend_on_their_reader(name: str) -> None:
    assert "archives.py" not in dataset_files("hypercut.steps.featurize", f"hypercut.data.datasets.{name}")


def test_who_reads_features_depends_on_no_dataset() -> None:
    assert dataset_files("hypercut.steps.corrupt") == {"__init__.py", "corruption.py", "scaling.py"}


def test_who_compares_data_depends_on_manifests_alone() -> None:
    assert dataset_files("hypercut.steps.aggregate") & {*FETCHING, "own.py", "iris.py", "featurizing.py"} == set()


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
