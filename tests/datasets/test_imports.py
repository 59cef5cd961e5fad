"""What each step loads of the datasets: an edit of the code that fetches must not recompute a benchmark."""

import subprocess
import sys

import pytest

from hypercut import datasets, sources

FETCHING = {"_acquisition.py", "_download.py", "_fetch.py", "_installation.py"}


def dataset_files(*modules: str) -> set[str]:
    folder = sources.ROOT / "datasets"
    return {path.name for path in sources.closure(modules).values() if path.parent == folder}


@pytest.mark.parametrize("name", [*datasets.names(), "_own"])
def test_features_do_not_depend_on_the_code_that_fetches(name: str) -> None:
    found = dataset_files("hypercut.steps.featurize", f"hypercut.datasets.{name}")
    assert f"{name}.py" in found
    assert not found & (FETCHING | {"_entries.py"})


@pytest.mark.parametrize("name", ["iris", "digits", "traj"])
def test_a_set_without_archives_does_not_depend_on_their_reader(name: str) -> None:
    assert "_archives.py" not in dataset_files("hypercut.steps.featurize", f"hypercut.datasets.{name}")


def test_who_reads_features_depends_on_no_dataset() -> None:
    assert dataset_files("hypercut.steps.corrupt") == set()


def test_who_compares_data_depends_on_manifests_alone() -> None:
    assert dataset_files("hypercut.steps.aggregate") & {*FETCHING, "_own.py", "iris.py", "_featurizing.py"} == set()


@pytest.mark.parametrize("step", ["acquire", "featurize"])
def test_a_step_loads_the_dataset_at_hand_and_no_other(step: str) -> None:
    code = (
        f"import sys, hypercut.steps.{step}; from hypercut.datasets import load;"
        "load('hypercut.datasets.iris', 'iris', {});"
        "print(*(name.rpartition('.')[2] for name in sys.modules if name.startswith('hypercut.datasets.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "iris" in loaded
    assert not loaded & {"_own", *datasets.names()} - {"iris"}
