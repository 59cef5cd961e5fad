"""The import graph: which modules a job depends on."""

import inspect
from pathlib import Path

import pytest

from hypercut import algorithms
from hypercut.algorithms import _registry
from hypercut.benchmark import code
from hypercut.errors import InputError


def files(*modules: str, **options) -> set[str]:
    return {str(path.relative_to(code.ROOT)) for path in code.closure(modules, **options).values()}


def test_an_algorithm_depends_on_its_own_file_and_no_other_algorithm() -> None:
    found = files("hypercut.algorithms.csc")
    assert {"algorithms/csc.py", "algorithms/_spectral.py", "core/kmeans.py", "core/samples.py"} <= found
    assert not {"algorithms/nrsc.py", "algorithms/_hypergraph.py", "core/rotation.py"} & found


def test_a_dataset_depends_on_its_own_features() -> None:
    using = {
        dataset
        for dataset in code.datasets()
        if "data/features/gist.py" in files("hypercut.steps.featurize", f"hypercut.data.datasets.{dataset}")
    }
    assert using == {"corel"}


def test_steps_before_the_clustering_do_not_depend_on_it() -> None:
    for step in ("acquire", "featurize", "corrupt"):
        assert not [file for file in files(f"hypercut.steps.{step}") if file.startswith(("core/", "algorithms/"))]
    assert "metrics.py" not in files("hypercut.steps.overcluster")
    assert "metrics.py" in files("hypercut.steps.cluster")


def test_imports_inside_functions_count() -> None:
    assert {f"tracking/{name}.py" for name in ("sync", "content", "store", "views")} <= files("hypercut.steps.track")


CODE = """
'''Doc.'''
import math
SIZE = 3
class A:
    '''Doc.'''
    def f(self, x):
        '''Doc.'''
        return [x, SIZE, math.pi]
"""


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("Doc.", "Another text.", True),
        ("SIZE = 3", "SIZE = 3  # why", True),
        ("SIZE = 3", "SIZE = 3\n\n'''its meaning'''\n", True),
        ("[x, SIZE, math.pi]", "[\n            x,\n            SIZE,\n            math.pi,\n        ]", True),
        ("SIZE = 3", "SIZE = 4", False),
        ("SIZE = 3", "SIZE = 3.0", False),
        ("SIZE = 3", "SIZE = True", False),
        ("[x, SIZE, math.pi]", "(x, SIZE, math.pi)", False),
        ("import math", "import cmath as math", False),
        ("def f", "def g", False),
    ],
)
def test_a_fingerprint_ignores_comments_docstrings_and_formatting(
    tmp_path: Path, old: str, new: str, same: bool
) -> None:
    assert old in CODE
    paths = [tmp_path / "before" / "mine.py", tmp_path / "after" / "mine.py"]
    for path, text in zip(paths, [CODE, CODE.replace(old, new)], strict=True):
        path.parent.mkdir()
        path.write_text(text)
    before, after = (code.fingerprint([str(path)]) for path in paths)
    assert (before == after) == same


def test_a_fingerprint_includes_data_files(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("a")
    before = code.fingerprint(["hypercut.metrics"], files=[path])
    path.write_text("b")
    assert code.fingerprint(["hypercut.metrics"], files=[path]) != before


def write_modules(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_a_method_depends_on_the_neighbours_it_imports(tmp_path: Path) -> None:
    write_modules(tmp_path, mine="import one\n", one="from two import x\n", two="x = 1\n", other="")
    assert code.closure([str(tmp_path / "mine.py")]).keys() == {"mine.py", "one", "two"}


def test_neighbours_imported_by_a_package_are_found(tmp_path: Path) -> None:
    write_modules(tmp_path, mine="import helper.deep\n", helper__deep="import near\n", near="")
    (tmp_path / "helper" / "__init__.py").write_text("from other import x\n")
    (tmp_path / "other.py").write_text("x = 1\n")
    found = code.closure([str(tmp_path / "mine.py")])
    assert found.keys() == {"mine.py", "helper", "helper.deep", "near", "other"}


def test_a_method_in_a_package_depends_on_that_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_modules(
        tmp_path,
        lab__sub__method="from lab.tools import f\nfrom . import near\nimport neighbour\n",
        lab__sub__near="",
        lab__tools="",
        neighbour="",
    )
    for folder in ("lab", "lab/sub"):
        (tmp_path / folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    found = code.closure(["lab.sub.method"])
    assert found.keys() == {"lab", "lab.sub", "lab.sub.method", "lab.sub.near", "lab.tools"}


def test_an_installed_method_depends_on_no_neighbour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_modules(tmp_path, method="import library\n", library="")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(code, "_library_folders", lambda: {tmp_path})
    assert code.closure(["method"]).keys() == {"method"}


def test_the_search_stops_at_ignored_modules() -> None:
    assert "core/samples.py" not in files("hypercut.algorithms.csc", ignore=["hypercut.core"])


def test_a_file_outside_the_package(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def f():\n    from hypercut.core.kmeans import orthogonal_kmeans\n")
    found = code.closure([str(path)])
    assert found["mine.py"] == path
    assert found["hypercut.core.kmeans"] == code.ROOT / "core" / "kmeans.py"


def test_what_a_method_imports_from_the_package_of_algorithms_counts(tmp_path: Path) -> None:
    for name, module in algorithms.EXPORTS.items():
        path = tmp_path / f"{name}.py"
        path.write_text(f"from hypercut.algorithms import {name}\n")
        assert module in code.closure([str(path)])
        assert getattr(algorithms, name).__module__ == module


def test_facts_read_from_the_source_agree_with_the_class() -> None:
    for name, facts in (_registry.algorithms() | _registry.references()).items():
        found = _registry.load_class(facts.module, name)
        assert found.__name__ == facts.class_name
        assert facts.uses == getattr(found, "uses", ()), f"write out `uses` in the class of {name}"


def test_algorithms_use_the_weights_they_take() -> None:
    for name, algorithm in algorithms.registry().items():
        weighted = {"alpha", "beta"} <= inspect.signature(algorithm).parameters.keys()
        assert weighted == ("weights" in algorithm.uses), name


def test_an_error_for_a_missing_module() -> None:
    with pytest.raises(InputError, match=r"nowhere\.py: no such Python module"):
        code.named_classes("nowhere.py")


def test_an_error_for_invalid_python(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("class X(:\n")
    with pytest.raises(InputError, match=r"bad\.py, line 1: expected Python"):
        code.named_classes(str(tmp_path / "bad.py"))


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
    monkeypatch.setattr(code, "ROOT", package)
    assert files("hypercut.algorithms.mine") == {
        "algorithms/_base.py",
        "algorithms/mine.py",
        "other.py",
    }
