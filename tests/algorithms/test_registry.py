import subprocess
import sys
import textwrap

import pytest

from hypercut import algorithms
from hypercut.algorithms import _registry
from hypercut.errors import InputError
from hypercut.paper import published


def test_the_papers_eight_are_there():
    assert set(algorithms.names()) >= set(published.ALGORITHMS)


@pytest.mark.parametrize("name", ["PKO", "PKOHSC"])
def test_an_unknown_name_is_an_error_with_the_known_ones(name):
    with pytest.raises(InputError, match=rf"'{name}'.*PKO\+HSC"):
        algorithms.get(name)


@pytest.fixture
def drop_in(tmp_path, monkeypatch):
    """Add a file to a temporary folder in which the package looks for algorithms."""
    monkeypatch.setattr(algorithms, "__path__", [*algorithms.__path__, str(tmp_path)])
    packaged = list(_registry._public_modules())
    monkeypatch.setattr(_registry, "_public_modules", lambda: [*packaged, *tmp_path.glob("*.py")])
    before = set(sys.modules)

    def drop(name, source):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(source))
        algorithms.registry.cache_clear()

    yield drop
    monkeypatch.undo()
    algorithms.registry.cache_clear()
    for name in set(sys.modules) - before:
        if name.startswith("hypercut.algorithms."):
            del sys.modules[name]


METHOD = """
    from hypercut.algorithms.csc import CSC

    class Mine(CSC):
        '''A method of one's own.'''

        name = {name!r}
"""


def test_a_file_dropped_in_is_an_algorithm(drop_in):
    drop_in("my_method", METHOD.format(name="Mine"))
    assert "Mine" in algorithms.names()
    import hypercut

    assert hypercut.Mine is algorithms.get("Mine")
    labels = algorithms.get("Mine")(2, sigma_factor=1.0, random_state=0).fit_predict([[0.0], [0.1], [5.0], [5.1]])
    assert labels[0] == labels[1] != labels[2] == labels[3]


def test_a_name_that_is_taken_is_an_error(drop_in):
    drop_in("my_method", METHOD.format(name="CSC"))
    with pytest.raises(InputError, match=r"my_method\.py.*'CSC' is taken by .*csc\.py"):
        algorithms.names()


@pytest.mark.parametrize("source", ["x = 1", METHOD.replace("name = {name!r}", "pass")])
def test_a_file_without_a_named_algorithm_is_an_error(drop_in, source):
    drop_in("empty", source)
    with pytest.raises(InputError, match=r"empty\.py.*found none"):
        algorithms.names()


def test_the_package_loads_nothing_heavy():
    code = "import sys, hypercut, hypercut.cli; hypercut.cli.build_parser(); print(sorted(sys.modules))"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "'sklearn'" not in modules
    assert "'pandas'" not in modules


def test_the_baselines_are_no_algorithms():
    assert _registry.baselines().keys() >= {"KMeans", "SpectralClustering", "true labels", "AK+NC without K"}
    assert not _registry.baselines().keys() & set(algorithms.names())


def test_a_file_that_cannot_be_imported_harms_no_other(drop_in):
    drop_in("broken", "import math\nmath.no_such_thing\n" + textwrap.dedent(METHOD.format(name="Broken")))
    with pytest.raises(AttributeError, match="no_such_thing"):
        algorithms.registry()
    from hypercut import CSC

    assert CSC.name == "CSC"
