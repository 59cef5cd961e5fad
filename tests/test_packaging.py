"""The project's own files agree with each other."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def requirements():
    extras = PROJECT["optional-dependencies"].values()
    return [Requirement(text) for group in (PROJECT["dependencies"], *extras) for text in group]


def test_environment_yml_has_the_dependencies_of_pyproject():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    conda = [Requirement(text) for text in environment["dependencies"] if isinstance(text, str)]
    assert {str(requirement) for requirement in conda} == {
        *map(str, requirements()),
        f"python{PROJECT['requires-python']}",
        "pip",
    }


@pytest.mark.parametrize("requirement", requirements(), ids=str)
def test_ranges_are_bounded_and_hold_the_pinned_version(requirement):
    assert {specifier.operator for specifier in requirement.specifier} == {">=", "<"}
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines())
    assert pins[requirement.name.lower()] in requirement.specifier


def test_constraints_name_no_place():
    assert not re.search(r"://|@|--", (ROOT / "constraints.txt").read_text())


def test_version_is_told_once():
    import hypercut

    assert hypercut.__version__ == PROJECT["version"]
