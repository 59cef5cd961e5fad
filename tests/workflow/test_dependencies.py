"""Every module that decides a result is part of the fingerprint in its recipe: what a step imports shows it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from hypercut.algorithms import _registry
from hypercut.benchmark import code
from hypercut.benchmark.config import checked
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.recipe import features_recipe, overclustering_recipe, problem_recipe, recipe
from hypercut.data import datasets
from hypercut.data.store import acquire
from hypercut.files import canonical_json
from tests.data.originals import ORIGINALS, write_mirror
from tests.workflow.project import ROOT, SECONDS

pytestmark = [pytest.mark.workflow, pytest.mark.timeout(SECONDS)]

METHODS = _registry.algorithms() | _registry.baselines()
FEATURIZING = ("hypercut.data.featurizing", code.DATASETS)
LIMITS = canonical_json({"time_limit": SECONDS, "give_up_after": 3})
#: Packages and modules that decide a result only by what they write into its recipe. NEUTRAL has other single modules.
AROUND = ("benchmark", "paper.published", "paper.readings", "results", "steps")
#: Runs a step with its worker in the same process, and writes the names of all imported modules to a file.
RUN = """
import json, runpy, sys
from hypercut.run import worker

class Here(worker.Worker):
    def __init__(self, make, *arguments):
        self.handler = make(*arguments)
    def ask(self, task, limit=None):
        return self.handler(task)
    def close(self):
        pass

worker.Worker = Here
imported, step, *sys.argv[1:] = sys.argv[1:]
try:
    runpy.run_module(f"hypercut.steps.{step}", run_name="__main__", alter_sys=True)
finally:
    with open(imported, "w") as file:
        json.dump(sorted(sys.modules), file)
"""


def benchmark(folder: Path, name: str, **entry: object) -> Benchmark:
    """Return the tiny benchmark, of one dataset and all methods."""
    configs = [yaml.safe_load((ROOT / file).read_text()) for file in ("config.yaml", "workflow/presets/tiny.yaml")]
    own = {"datasets": {name: entry}, "baselines": sorted(_registry.baselines())}
    own |= {"sweeps": {"datasets": []}, "readings": {"datasets": []}}
    config = configs[0] | configs[1] | own | {"data": {**configs[1]["data"], "root": str(folder / "data")}}
    config.pop("own")
    return Benchmark(checked(config))


def run_step(folder: Path, recipe: dict[str, Any], *covered: str, **files: Path | str) -> Path:
    """Run the last step of a recipe; return its output. The step may import what the covered modules import."""
    step, imported, out = list(recipe)[-1], folder / "imported.json", folder / list(recipe)[-1]
    options = [f"--{name}={path}" for name, path in {**files, "out": out}.items()]
    command = [sys.executable, "-c", RUN, str(imported), step, canonical_json(recipe), *options]
    environment = {**os.environ, "PYTHONPATH": str(code.ROOT.parent)}
    subprocess.run(command, cwd=folder, env=environment, check=True, timeout=SECONDS)
    # Raw files are fetched by neutral code, which unpacks archives; a dataset that reads them imports that itself.
    around = tuple(f"{code.PACKAGE}.{name}." for name in (*AROUND, *(["data.archives"] if step == "featurize" else [])))
    modules = {name for name in json.loads(imported.read_text()) if name.startswith("hypercut.")}
    deciding = {name for name in modules if not (name + ".").startswith(around)}
    assert deciding <= {*code.closure(covered), *code.NEUTRAL}
    return out


@pytest.mark.parametrize("name", [*datasets.names(), "own"])
def test_the_features_of_every_dataset(tmp_path: Path, name: str) -> None:
    entry: dict[str, object] = {"subset": 20} if name in ORIGINALS else {}
    if name == "own":
        (tmp_path / "own.csv").write_text("a,b,kind\n" + "".join(f"{i},{i * i},{i % 2}\n" for i in range(9)))
        entry = {"path": str(tmp_path / "own.csv"), "label_column": "kind"}
    made = benchmark(tmp_path, name, **entry)
    mirror = write_mirror(tmp_path / "mirror", files) if (files := made.files_of(name)) in ORIGINALS else None
    dataset, _ = datasets.load(made.dataset_module(name), name, made.data_entry(name))
    acquire(dataset, tmp_path / "data", mirror=mirror and str(mirror), on_mismatch="own")
    wanted = features_recipe(made, name)
    run_step(tmp_path, wanted, *FEATURIZING, wanted["featurize"]["module"], root=tmp_path / "data")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small problem and its over-clustering; the steps up to there import what their recipes cover."""
    folder = tmp_path_factory.mktemp("inputs")
    made = benchmark(folder, "iris", subset=30)
    acquire(datasets.get("iris"), folder / "data")
    wanted = features_recipe(made, "iris")
    features = run_step(folder, wanted, *FEATURIZING, wanted["featurize"]["module"], root=folder / "data")
    problem = run_step(folder, problem_recipe(made, "iris", "clean"), "hypercut.run.problems", features=features)
    wanted = overclustering_recipe(made, "iris", "clean")
    overclustering = run_step(folder, wanted, "hypercut.run.overclusterer", problem=problem, limits=LIMITS)
    return {"problem": problem, "overclustering": overclustering}


@pytest.mark.parametrize("method", METHODS)
def test_the_clusterings_of_every_method(inputs: dict[str, Path], tmp_path: Path, method: str) -> None:
    made = benchmark(tmp_path, "iris", subset=30)
    files = inputs if "overclustering" in METHODS[method].uses else {"problem": inputs["problem"]}
    wanted = recipe(made, made.cell("iris", "clean", method))
    run_step(tmp_path, wanted, "hypercut.run.clustering", METHODS[method].module, **files, limits=LIMITS)
