"""The files of the repository agree with each other."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

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


@pytest.mark.parametrize("requirement", requirements(), ids=str)
def test_version_ranges_are_bounded_and_include_the_pinned_version(requirement):
    assert {specifier.operator for specifier in requirement.specifier} == {">=", "<"}
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines())
    assert pins[requirement.name.lower()] in requirement.specifier


def test_constraints_contain_no_addresses():
    assert not re.search(r"://|@|--", (ROOT / "constraints.txt").read_text())


def test_the_version_is_the_same_everywhere():
    import hypercut

    assert hypercut.__version__ == PROJECT["version"] == load("CITATION.cff")["version"]


def test_the_citation_has_the_required_fields():
    citation = load("CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert citation["license"] == PROJECT["license"]
    for entry in (citation, *citation["references"]):
        assert entry["title"]
        assert all("name" in author or "family-names" in author for author in entry["authors"])


def test_github_runs_the_ci_script_and_nothing_else():
    workflow = load(".github/workflows/ci.yml")
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert [step["run"] for step in steps if "run" in step] == [".ci/run"]
    assert workflow["permissions"] == {"contents": "read"}


def test_pre_commit_runs_the_linters_of_make_lint():
    hooks = [hook for repo in load(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    linted = re.search(r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    for hook in hooks:
        assert hook["entry"].replace(".venv/bin/", "$(BIN)/") in linted
