"""The files of the repository agree with each other."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from hypercut.benchmark import code

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def load(name):
    return yaml.safe_load((ROOT / name).read_text())


def requirements():
    """Return the dependencies and those of all extras, except extras that include another one."""
    extras = PROJECT["optional-dependencies"].values()
    found = [Requirement(text) for group in (PROJECT["dependencies"], *extras) for text in group]
    return [requirement for requirement in found if requirement.name != PROJECT["name"]]


def test_environment_yml_has_the_dependencies_of_pyproject():
    environment = load("environment.yml")
    conda = [Requirement(text) for text in environment["dependencies"] if isinstance(text, str)]
    assert {str(requirement) for requirement in conda} == {
        *map(str, requirements()),
        f"python{PROJECT['requires-python']}",
        "pip",
    }


#: Where a package and what is imported from it have different names.
PACKAGES = {"PIL": "pillow", "sklearn": "scikit-learn", "yaml": "pyyaml", "requests": "pooch", "markupsafe": "jinja2"}
STEPS = {path.stem for path in (ROOT / "src/hypercut/steps").glob("[a-z]*.py")}


def imports(file):
    """Return the packages that a module imports, also within functions."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize(
    ("environment", "steps"), {"compute": STEPS - {"report", "track"}, "report": {"report"}, "track": {"track"}}.items()
)
def test_the_environments_of_rules_have_what_their_steps_import(environment, steps):
    dependencies = load(f"workflow/envs/{environment}.yaml")["dependencies"]
    assert set(dependencies) <= set(load("environment.yml")["dependencies"])
    files = map(code.module_file, code.closure([f"hypercut.steps.{step}" for step in steps]))
    imported = set().union(*map(imports, files)) - set(sys.stdlib_module_names) - {"hypercut"}
    needed = {PACKAGES.get(name, name) for name in imported}
    assert needed <= {Requirement(text).name for text in dependencies}


@pytest.mark.parametrize("requirement", requirements(), ids=str)
def test_version_ranges_are_bounded_and_include_the_pinned_version(requirement):
    assert {specifier.operator for specifier in requirement.specifier} == {">=", "<"}
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines())
    assert pins[requirement.name.lower()] in requirement.specifier


def test_constraints_contain_no_addresses():
    assert not re.search(r"://|@|--", (ROOT / "constraints.txt").read_text())


def test_the_version_is_the_same_everywhere():
    import hypercut

    citation = load("CITATION.cff")
    assert hypercut.__version__ == PROJECT["version"] == citation["version"]
    assert PROJECT["license"] == citation["license"]
