"""The modules a job depends on are exactly those that it imports."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hypercut.algorithms import _registry
from hypercut.benchmark import code
from tests.data.originals import ORIGINALS, write_mirror
from tests.workflow.imports import recorded_steps, recording
from tests.workflow.project import SECONDS, Project

pytestmark = [pytest.mark.workflow, pytest.mark.timeout(2 * SECONDS)]

#: Methods that are not in the tiny benchmark.
OTHERS = [facts for facts in _registry.references().values() if facts.name not in ("KMeans", "true labels")]


def argument(command: list[str], name: str) -> str | None:
    """Return the value of an option, ``--name value`` or ``--name=value``."""
    for word, following in zip(command, [*command[1:], ""], strict=True):
        if word == f"--{name}":
            return following
        if word.startswith(f"--{name}="):
            return word.partition("=")[2]
    return None


def assert_imported_as_expected(log: Path) -> set[str]:
    """Compare the recorded imports of every step with the import graph; return the names of the steps."""
    seen = set()
    for command, imported in recorded_steps(log):
        step = next(word for word in command if word.startswith(f"{code.STEPS}."))
        module = argument(command, "module")
        assert imported == set(code.closure([step, *([module] if module else [])])), f"{step} {module}"
        seen.add(step.removeprefix(f"{code.STEPS}."))
    return seen


def run_step(log: Path, step: str, *arguments: object) -> None:
    command = [sys.executable, "-m", f"{code.STEPS}.{step}", *map(str, arguments)]
    recorder = recording(log / step)
    recorder["PYTHONPATH"] += f":{code.ROOT.parent}"
    subprocess.run(command, env={**os.environ, **recorder}, check=True, timeout=SECONDS)
    assert assert_imported_as_expected(log / step) == {step}


def test_every_step_of_a_run_imports_what_it_depends_on(finished: Project) -> None:
    steps = {path.stem for path in (code.ROOT / "steps").glob("[a-z]*.py")}
    not_run = {"plan", "similarity", "best_scale"}  # not part of the benchmark; for ORL only; for one reading only
    assert assert_imported_as_expected(finished.folder / "imports") == steps - not_run


@pytest.mark.parametrize("dataset", [*ORIGINALS, "traj", "own"])
def test_every_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dataset: str) -> None:
    entry = {}
    if dataset in ORIGINALS:
        write_mirror(tmp_path / "mirror", dataset)
        entry = {"subset": 20}
    elif dataset == "own":
        (tmp_path / "own.csv").write_text("a,b,kind\n" + "".join(f"{i},{i * i},{i % 2}\n" for i in range(9)))
        entry = {"path": str(tmp_path / "own.csv"), "label_column": "kind"}
    module = code.OWN_DATA if dataset == "own" else f"{code.DATASETS}.{dataset}"
    common = [dataset, "--module", module, "--entry", json.dumps(entry), "--root", tmp_path / "data"]
    monkeypatch.setenv("HYPERCUT_DATA_MIRROR", str(tmp_path / "mirror"))
    run_step(tmp_path / "log", "acquire", *common, "--on-missing", "fail", "--on-mismatch", "own")
    run_step(tmp_path / "log", "featurize", *common, "--out", tmp_path / "features.npz")


def test_the_best_scale_of_a_cell(finished: Project, tmp_path: Path) -> None:
    cell, out = finished.results / "clusters/iris/clean/CSC.parquet", tmp_path / "scale.json"
    run_step(tmp_path / "log", "best_scale", cell, "--out", out)
    assert json.loads(out.read_text())["community_factor"] in (0.4, 1.0)


@pytest.mark.parametrize("method", OTHERS, ids=lambda facts: facts.name)
def test_methods_outside_the_tiny_benchmark(finished: Project, tmp_path: Path, method: _registry.ClassFacts) -> None:
    problem = finished.results / "problems/iris/clean.npz"
    grid = ["--factors", 1.0, "--repeats", 1, "--time-limit", 60, "--out", tmp_path / "rows.parquet"]
    run_step(tmp_path / "log", "cluster", problem, f"--module={method.module}", f"--name={method.name}", *grid)
