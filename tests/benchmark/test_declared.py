"""The facts read from the source of datasets, without importing them, are those that they declare."""

import subprocess
import sys

import pytest

from hypercut.benchmark import declared
from hypercut.data import datasets
from hypercut.errors import InputError
from hypercut.files import write_json
from tests.benchmark.test_design import ROOT


def test_the_datasets_are_the_registered_ones() -> None:
    assert declared.datasets() == datasets.names()
    for name, dataset in datasets.registry().items():
        assert declared.options(name) == dataset.options
        published = declared.published_identity(name)
        assert published["kind"] == ("real" if dataset.content_sha256 else "generated")
        if dataset.content_sha256:
            assert published["identity"] == dataset.content_sha256


def test_yale_b_and_corel_alone_are_in_no_package_registry() -> None:
    packaged = {name: declared.is_packaged(name) for name in declared.datasets()}
    assert {name for name, is_packaged in packaged.items() if not is_packaged} == {"yaleb", "corel"}


def test_the_identity_of_stored_data(tmp_path) -> None:
    assert declared.stored_identity(tmp_path) is None
    manifest = {"kind": "real", "content": "c0", "code": "", "files": []}
    write_json(tmp_path / "manifest.json", manifest)
    assert declared.stored_identity(tmp_path) == {"kind": "real", "identity": "c0"}
    write_json(tmp_path / "manifest.json", manifest | {"kind": "own", "content": "", "files": [1]})
    with pytest.raises(InputError, match="is damaged"):
        declared.stored_identity(tmp_path)


BARE = """
import importlib.abc, re, sys
from pathlib import Path

ALLOWED = {*sys.stdlib_module_names, "hypercut", "yaml", "_yaml", "jsonschema"}
OF_JSONSCHEMA = {"attr", "attrs", "referencing", "rpds", "jsonschema_specifications", "typing_extensions"}

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in ALLOWED | OF_JSONSCHEMA:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refuse())
root = Path(sys.argv[1])
for rules in root.glob("workflow/rules/*.smk"):
    for line in re.findall(r"^from hypercut[\\w.]* import (?:\\([^)]*\\)|.*)", rules.read_text(), re.MULTILINE):
        exec(line)

import yaml
read = lambda name: yaml.safe_load((root / name).read_text())
config = {**read("config.yaml"), "datasets": {"iris": {}}}
complete, _ = without_excess(checked(config))
found = Benchmark(complete)
assert found.methods
sources(found)
print(digest_of_recipes(found), step_code("report"))
"""


def test_the_workflow_is_parsed_with_the_standard_library_yaml_and_jsonschema_alone() -> None:
    done = subprocess.run([sys.executable, "-c", BARE, ROOT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [len(digest) for digest in done.stdout.split()] == [64, 64]
