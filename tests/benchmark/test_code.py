"""The import graph: which modules a job depends on."""

from pathlib import Path

import pytest

from hypercut.algorithms import _registry
from hypercut.benchmark import code, declared
from hypercut.errors import InputError
from tests.benchmark.test_design import benchmark


def files(*modules: str, **options) -> set[str]:
    return {str(path.relative_to(code.ROOT)) for path in code.closure(modules, **options).values()}


def test_an_algorithm_depends_on_its_own_file_and_no_other_algorithm() -> None:
    found = files("hypercut.algorithms.csc")
    assert {"algorithms/csc.py", "algorithms/_spectral.py", "core/kmeans.py", "core/samples.py"} <= found
    assert not {"algorithms/nrsc.py", "algorithms/pko_hsc.py", "core/rotation.py"} & found


def test_a_dataset_depends_on_its_own_features() -> None:
    modules = {dataset: f"{code.DATASETS}.{dataset}" for dataset in declared.datasets()}
    using = {name for name, module in modules.items() if "data/features/gist.py" in files(module)}
    assert using == {"corel"}
    assert len({code.features_code(module) for module in modules.values()}) == len(modules)


def test_steps_depend_on_what_decides_their_result() -> None:
    featurizing, problems, overclusterer, clustering = (
        files(f"hypercut.{module}")
        for module in ("data.featurizing", "run.problems", "run.overclusterer", "run.clustering")
    )
    for found in (featurizing, problems):
        assert not [file for file in found if file.startswith(("core/", "algorithms/"))]
    assert "data/corruption.py" in problems
    assert "metrics.py" in clustering - overclusterer
    # Code that supervises, records and prints decides no result.
    for found in (featurizing, problems, overclusterer, clustering):
        assert not found & {"run/worker.py", "run/jobs.py", "run/failures.py", "errors.py", "files.py", "progress.py"}
        assert not [file for file in found if file.startswith(("benchmark/", "results/", "steps/"))]


def test_methods_of_scikit_learn_do_not_depend_on_the_core() -> None:
    """An edit of the eigensolver must not rerun k-means, nor the controls."""
    found = files("hypercut.run.clustering", benchmark().method("KMeans").module)
    assert {file for file in found if file.startswith("core/")} == {"core/__init__.py", "core/threads.py"}
    assert "selection.py" not in found
    assert {"core/hypergraphs.py", "selection.py"} <= files(benchmark().method("CSC").module)


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
        ("[x, SIZE, math.pi]", "[\n            x,\n            SIZE,\n            math.pi,\n        ]", True),
        ("SIZE = 3", "SIZE = 4", False),
        ("SIZE = 3", "SIZE = 3.0", False),
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


@pytest.mark.parametrize(
    ("start", "modules", "found"),
    [
        (
            "mine.py",
            {"mine": "def f():\n    import one", "one": "from two import x", "two": "", "other": ""},
            "mine.py one two",
        ),
        (
            "mine.py",
            {"mine": "import helper.deep", "helper/deep": "import near", "near": "", "helper/__init__": "import other"}
            | {"other": ""},
            "mine.py helper helper.deep near other",
        ),
        # A method in a package depends on that package, not on its neighbours.
        (
            "lab.sub.method",
            {"lab/sub/method": "from lab.tools import f\nfrom . import near\nimport neighbour", "lab/sub/near": ""}
            | {"lab/tools": "", "neighbour": "", "lab/__init__": "", "lab/sub/__init__": ""},
            "lab lab.sub lab.sub.method lab.sub.near lab.tools",
        ),
        ("installed", {"installed": "import library", "library": ""}, "installed"),
    ],
)
def test_a_method_depends_on_the_modules_beside_it_that_it_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str, modules: dict[str, str], found: str
) -> None:
    for name, text in modules.items():
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    if start.endswith(".py"):
        start = str(tmp_path / start)
    else:
        monkeypatch.syspath_prepend(tmp_path)
    if start == "installed":
        monkeypatch.setattr(code, "_library_folders", lambda: {tmp_path})
    assert code.closure([start]).keys() == set(found.split())


def test_facts_read_from_the_source_agree_with_the_class() -> None:
    for name, facts in benchmark().methods.items():
        found = _registry.load_class(facts.module, name)
        assert found.__name__ == facts.class_name
        assert facts.uses == getattr(found, "uses", ()), f"write out `uses` in the class of {name}"


def test_modules_that_cannot_be_read_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.py: no such Python module"):
        code.named_classes("nowhere.py")
    (tmp_path / "bad.py").write_text("class X(:\n")
    with pytest.raises(InputError, match=r"bad\.py, line 1"):
        code.named_classes(str(tmp_path / "bad.py"))
