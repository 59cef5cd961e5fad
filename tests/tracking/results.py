"""A small benchmark with results, and what MLflow has of it."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypercut.benchmark.layout import Layout
from hypercut.benchmark.rows import write_rows
from hypercut.tracking.location import tracking_uri
from hypercut.tracking.sync import sync
from tests import rows as fake

ALGORITHMS = ("CSC", "STSC", "true labels")


SETTINGS = ("clean", "noise-L1")


def make_results(folder: Path) -> None:
    """A small benchmark: one dataset in two settings, two sweeps, two readings and a report."""
    cells = [["iris", setting, algorithm] for setting in SETTINGS for algorithm in ALGORITHMS]
    for cell in cells:
        fake.write_cell(folder, *cell, parameters={"alpha": 0.4})
    sweeps = {
        "weights": [{"alpha": a, "beta": b} for a in (0.2, 0.4) for b in (0.1, 0.3)],
        "neighbors": [{"n_neighbors": n} for n in (3, 5, 7)],
    }
    varied = {("clean", sweep): values for sweep, values in sweeps.items()}
    varied |= {("clean", "balance-degree"): [{"balance": "degree"}], ("noise-L1", "balance-degree"): [{"balance": 1}]}
    for (setting, name), values in varied.items():
        rows = [row for v in values for row in fake.cell_rows("iris", setting, "PKO+HSC", variation=name, parameters=v)]
        write_rows(Layout(folder).variation("iris", setting, name, "PKO+HSC"), rows, fake.ORIGIN)
    (folder / "report" / "tables").mkdir(parents=True)
    (folder / "report" / "index.html").write_text("<p>report</p>")
    (folder / "report" / "tables" / "one.csv").write_text("a\n1\n")
    run = {
        "version": "0.1.0",
        "commit": "abc123",
        "dirty": True,
        "fingerprint": "f00d",
        "datasets": {"iris": {"kind": "real", "source": "https://me:hunter2@example.org/iris", "n_samples": 30}},
        "expected": {"cells": cells, "variations": [["iris", setting, name, "PKO+HSC"] for setting, name in varied]},
    }
    (folder / "run.json").write_text(json.dumps(run))


RUNS = len(SETTINGS) * len(ALGORITHMS) + 2 + 2 + len(ALGORITHMS) + 1
"""cells, sweeps, readings, one curve per algorithm, the report"""


def run_sync(results: Path, **options: Any) -> Any:
    return sync(results, tracking_uri(results), **options)


def run_step(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run the step ``track`` as the workflow does."""
    command = [sys.executable, "-m", "hypercut.steps.track", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def client(results: Path) -> Any:
    from mlflow import MlflowClient

    return MlflowClient(tracking_uri=tracking_uri(results))


def runs(results: Path) -> dict[str, Any]:
    """Name → run, of all active runs; a name that is there twice is an error."""
    mlflow = client(results)
    experiments = [experiment.experiment_id for experiment in mlflow.search_experiments()]
    found = mlflow.search_runs(experiments, max_results=1000)
    names = [run.info.run_name for run in found]
    assert len(names) == len(set(names)), sorted(names)
    return dict(zip(names, found, strict=True))


def edit_run(results: Path, change: Callable[[dict[str, Any]], None]) -> None:
    run = json.loads((results / "run.json").read_text())
    change(run)
    (results / "run.json").write_text(json.dumps(run))


def artifacts(results: Path, run: Any) -> Path:
    return results / "mlartifacts" / run.info.artifact_uri.removeprefix("mlflow-artifacts:/")


def benchmark_runs(uri: str) -> dict[str, set[str]]:
    """Benchmark → its active runs, as ``experiment run``."""
    from mlflow import MlflowClient

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
