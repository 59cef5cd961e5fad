"""The import graph that tells the workflow what depends on what."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from hypercut import algorithms, references, sources, unknown_number
from hypercut.errors import InputError

STEPS = sorted(path.stem for path in (sources.ROOT / "steps").glob("*.py") if not path.name.startswith("_"))


def files(*modules: str, **options) -> set[str]:
    return {str(path.relative_to(sources.ROOT)) for path in sources.closure(modules, **options)}


def test_an_algorithm_depends_on_its_own_file_and_no_other_algorithm() -> None:
    found = files("hypercut.algorithms.csc")
    assert {"algorithms/csc.py", "algorithms/_kernel.py", "core/kmeans.py", "core/samples.py"} <= found
    assert not {"algorithms/nrsc.py", "algorithms/_hypergraph.py", "core/rotation.py"} & found


def test_a_dataset_depends_on_its_own_features() -> None:
    using = {
        dataset
        for dataset in sources.datasets()
        if "features/gist.py" in files("hypercut.steps.featurize", f"hypercut.datasets.{dataset}")
    }
    assert using == {"corel"}


def test_steps_before_the_clustering_do_not_depend_on_it() -> None:
    for step in ("acquire", "featurize", "corrupt"):
        assert not [file for file in files(f"hypercut.steps.{step}") if file.startswith(("core/", "algorithms/"))]
    assert "metrics.py" not in files("hypercut.steps.overcluster")
    assert "metrics.py" in files("hypercut.steps.cluster")


@pytest.mark.parametrize("step", STEPS)
def test_every_module_that_a_step_loads_is_among_its_files(step: str) -> None:
    """What is imported at run time when the step's module is loaded was found without importing."""
    code = (
        f"import sys, importlib; importlib.import_module('hypercut.steps.{step}');"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('hypercut.') and m.__file__), sep='\\n')"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {str(Path(file).relative_to(sources.ROOT)) for file in loaded} <= files(f"hypercut.steps.{step}")


def test_the_search_stops_where_it_is_told(tmp_path: Path) -> None:
    assert "core/samples.py" not in files("hypercut.algorithms.csc", ignore=["hypercut.core"])


def test_a_file_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def f():\n    from hypercut.core.kmeans import orthogonal_kmeans\n")
    found = sources.closure([str(path)])
    assert path in found
    assert sources.ROOT / "core" / "kmeans.py" in found


def test_facts_read_from_the_source_are_those_of_the_class() -> None:
    found = sources.algorithms()
    classes = {
        **algorithms.registry(),
        **{c.name: c for c in vars(references).values() if isinstance(c, type) and hasattr(c, "name")},
        unknown_number.UnknownNumber.name: unknown_number.UnknownNumber,
    }
    assert found.keys() == classes.keys()
    for name, facts in found.items():
        assert facts.module == classes[name].__module__
        assert facts.uses == getattr(classes[name], "uses", ()), f"write out `uses` in the class of {name}"


def test_algorithms_use_the_weights_they_take() -> None:
    for name, algorithm in algorithms.registry().items():
        weighted = {"alpha", "beta"} <= inspect.signature(algorithm).parameters.keys()
        assert weighted == ("weights" in algorithm.uses), name


def test_what_is_no_module() -> None:
    with pytest.raises(InputError, match=r"nowhere\.py: expected a Python module"):
        sources.named_classes("nowhere.py")


def test_what_is_no_python(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("class X(:\n")
    with pytest.raises(InputError, match=r"bad\.py, line 1: expected Python"):
        sources.named_classes(str(tmp_path / "bad.py"))


def test_relative_imports_are_followed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "hypercut"
    (package / "algorithms").mkdir(parents=True)
    for file, text in {
        "__init__.py": "",
        "other.py": "",
        "algorithms/__init__.py": "",
        "algorithms/_base.py": "",
        "algorithms/mine.py": "from ._base import f\nfrom .. import other\n",
    }.items():
        (package / file).write_text(text)
    monkeypatch.setattr(sources, "ROOT", package)
    assert files("hypercut.algorithms.mine") == {
        "algorithms/__init__.py",
        "algorithms/_base.py",
        "algorithms/mine.py",
        "other.py",
    }


def test_a_name_can_be_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "named_classes", lambda module: [sources.ClassFacts("Same", module, ())])
    with pytest.raises(InputError, match="the name 'Same' is taken by"):
        sources.algorithms()
