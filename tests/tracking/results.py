"""A small benchmark with results, and what MLflow has of it."""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
from mlflow import MlflowClient

from hypercut.benchmark.layout import Layout
from hypercut.benchmark.variations import Group, Variation
from hypercut.results.rows import read_rows, write_rows, write_table
from hypercut.tracking.store import tracking_uri
from hypercut.tracking.sync import sync
from tests import rows as fake

ALGORITHMS = ("CSC", "STSC", "true labels")
SETTINGS = ("clean", "noise-L1")


def make_results(folder: Path) -> None:
    """A small benchmark: one dataset in two settings, two sweeps, two readings and a report."""
    for setting in SETTINGS:
        for algorithm in ALGORITHMS:
            fake.write_cell(folder, "iris", setting, algorithm, parameters={"alpha": 0.4})
    varied: dict[tuple[str, str], list[dict[str, Any]]] = {
        ("clean", "weights"): [{"alpha": a, "beta": b} for a in (0.2, 0.4) for b in (0.1, 0.3)],
        ("clean", "neighbors"): [{"n_neighbors": n} for n in (3, 5, 7)],
        ("clean", "balance-degree"): [{"balance": "degree"}],
        ("noise-L1", "balance-degree"): [{"balance": 1}],
    }
    for (setting, name), values in varied.items():
        rows = [row for v in values for row in fake.cell_rows("iris", setting, "PKO+HSC", variation=name, parameters=v)]
        result = Variation("iris", setting, name, "PKO+HSC", Group.SWEEPS, repeats=2)
        write_rows(Layout(folder).result(result), rows, fake.ORIGIN)
    (folder / "report" / "tables").mkdir(parents=True)
    (folder / "report" / "index.html").write_text("<p>report</p>")
    (folder / "report" / "tables" / "one.csv").write_text("a\n1\n")
    iris = {"kind": "real", "source": "https://me:hunter2@example.org/iris", "n_samples": 30}
    record = {"version": "0.1.0", "commit": "abc123", "dirty": True, "fingerprint": "f00d", "datasets": {"iris": iris}}
    (folder / "run.json").write_text(json.dumps(record))
    aggregate(folder)


def aggregate(folder: Path, **columns: str) -> None:
    """Write the table of all result files, with other values in some columns."""
    table = pd.concat([read_rows(path) for path in sorted(Layout(folder).result_files())], ignore_index=True)
    write_table(folder / "table.parquet", table.assign(**columns))


def drop(folder: Path, *settings: str) -> None:
    """Leave the cells of some settings only."""
    for variation in folder.glob("clusters/*/*/*/*.parquet"):
        variation.unlink()
    for setting in folder.glob("clusters/*/*"):
        if setting.name not in settings:
            shutil.rmtree(setting)
    aggregate(folder)


RUNS = len(SETTINGS) * len(ALGORITHMS) + 2 + 2 + len(ALGORITHMS) + 1
"""cells, sweeps, readings, one curve per algorithm, the report"""


def run_sync(results: Path, **options: Any) -> Any:
    return sync(results, tracking_uri(results), **options)


def start_step(*arguments: object, **environment: str) -> "subprocess.Popen[str]":
    """Start the step ``track`` as the workflow does."""
    command = [sys.executable, "-m", "hypercut.steps.track", *map(str, arguments)]
    return subprocess.Popen(command, env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True)


def client(results: Path) -> Any:
    return MlflowClient(tracking_uri=tracking_uri(results))


def runs(results: Path) -> dict[str, Any]:
    """Name → run, of all active runs; a name that is there twice is an error."""
    mlflow = client(results)
    experiments = [experiment.experiment_id for experiment in mlflow.search_experiments()]
    found = mlflow.search_runs(experiments, max_results=1000)
    names = [run.info.run_name for run in found]
    assert len(names) == len(set(names)), sorted(names)
    return dict(zip(names, found, strict=True))


def saved_views(tags: dict[str, str]) -> dict[str, Any]:
    """Id → the saved view, in the tags of an experiment."""
    tag = "mlflow.sharedViewState."
    return {name.removeprefix(tag): json.loads(value) for name, value in tags.items() if name.startswith(tag)}


def artifacts(results: Path, run: Any) -> Path:
    return results / "mlartifacts" / run.info.artifact_uri.removeprefix("mlflow-artifacts:/")


def benchmark_runs(uri: str) -> dict[str, set[str]]:
    """Benchmark → its active runs, as ``experiment run``."""
    mlflow = MlflowClient(uri)
    names = {item.experiment_id: item.name for item in mlflow.search_experiments()}
    found: dict[str, set[str]] = {}
    for run in mlflow.search_runs(list(names), max_results=1000):
        mine = found.setdefault(run.data.tags.get("hypercut.benchmark", ""), set())
        name = f"{names[run.info.experiment_id]} {run.info.run_name}"
        assert name not in mine
        mine.add(name)
    return found


def identity(results: Path) -> str:
    return (results / "benchmark-id").read_text().strip()


def outcome(report: Any) -> tuple[int, int, int, int]:
    return report.created, report.replaced, report.skipped, report.removed


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
