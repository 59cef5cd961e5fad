"""Builders of fake result rows, for tests of code that reads results.

:func:`row` builds one row with a given score, so that averages, gains and ranks are known. :func:`cell_rows` builds a
whole cell with random labels, in the form of a result file.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from hypercut.analysis.experiments import experiment_settings
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.variations import Group, Variation
from hypercut.paper import published
from hypercut.paper.protocol import LEVELS
from hypercut.results.rows import DIAGNOSTICS, METRICS, TABLE_SCHEMA, Origin, origin_columns, read_result, write_rows
from hypercut.run.failures import Status
from hypercut.seeds import stream

ALGORITHMS = tuple(published.ALGORITHMS)
REFERENCES = {
    "KMeans": "baseline",
    "SpectralClustering": "baseline",
    "random labels": "control",
    "true labels": "control",
}
WITHOUT_SCALE = ("STSC", *REFERENCES)
SAMPLES, CLASSES = 30, 3
ORIGIN: Origin = {
    "recipe": {
        "featurize": {"code": "f0"},
        "corrupt": {"code": "c0"},
        "cluster": {"code": "c1"},
        "data": {"kind": "real", "identity": "da7a"},
    },
    "environment": {
        "python": "3.12.1",
        "numpy": "2.1.0",
        "scipy": "1.14.0",
        "scikit_learn": "1.6.0",
        "blas": "openblas 0.3.27 Haswell",
        "cpu": "a processor",
    },
    "computed": "2026-01-02T03:04:05+00:00",
}


def row(dataset, setting, algorithm, score, **given):
    """Return one row, in which every metric is ``score``; None makes it a timeout."""
    kind, _, level = setting.partition("-")
    values = {
        "dataset": dataset,
        "setting": setting,
        "corruption": kind,
        "level": LEVELS[kind].get(level) if level else 0.0,
        "algorithm": algorithm,
        "role": REFERENCES.get(algorithm, "algorithm"),
        "variation": "",
        "parameters": "{}",
        "repeat": 0,
        "sigma_factor": 0.4,
        "sigma": 0.8,
        "data_kind": "generated" if dataset == "traj" else "real",
        "complete": True,
        "n_samples": 100,
        "n_features": 4,
        "n_clusters": CLASSES,
        "n_found": CLASSES,
        "status": str(Status.OK if score is not None else Status.TIMEOUT),
        "message": "" if score is not None else "took longer than 5 s",
        **dict.fromkeys(METRICS, score),
        "neighbor_information": score,
        **dict.fromkeys(DIAGNOSTICS, 1),
        "n_iter": 4,
        "solver": '{"path": "dense"}',
        "wall_seconds": 1.0,
        "cpu_seconds": 1.0,
        "shared_seconds": 0.5,
        "peak_bytes": 200_000_000,
        "threads": 1,
    }
    return values | given


def sweep_row(dataset, sweep, score, **parameters):
    """Return one row of a sweep."""
    text = json.dumps(parameters, sort_keys=True)
    return row(dataset, "clean", "PKO+HSC", score, variation=sweep, parameters=text)


def scores(values, setting="clean", **given):
    """Return rows of one setting from {dataset: {algorithm: score}}; a list has one score per repeat."""
    return [
        row(dataset, setting, algorithm, score, repeat=repeat, **given)
        for dataset, by_algorithm in values.items()
        for algorithm, found in by_algorithm.items()
        for repeat, score in enumerate(found if isinstance(found, list) else [found])
    ]


def levels(experiment, values, algorithm="CSC", dataset="orl"):
    """Return one row for each level of an experiment, L0 first."""
    settings = experiment_settings(experiment)[: len(values)]
    return [row(dataset, setting, algorithm, value) for setting, value in zip(settings, values, strict=True)]


def frame(rows):
    """Return rows as the aggregated table."""
    table = pd.DataFrame([{**origin_columns(ORIGIN), **row} for row in rows], columns=TABLE_SCHEMA.names)
    return table.astype(dict.fromkeys([*METRICS, "neighbor_information", "sigma_factor"], float))


def run(**given):
    """Return the description of a run."""
    code = {"version": "0.1.0", "commit": "0123456789abcdef", "dirty": False, "fingerprint": "fedcba9876543210"}
    return {
        "created": "2026-01-02T03:04:05Z",
        **code,
        "machine": {"cpu": "a processor", "cores": 2, "memory_bytes": 2**33, "platform": "Linux", "python": "3.12"},
        "config": {"seed": 0},
        "datasets": {},
        "expected": {"cells": [], "variations": []},
    } | given


def cell_rows(
    dataset: str,
    setting: str,
    algorithm: str,
    *,
    repeats: int = 2,
    factors: Sequence[float] = (0.2, 0.4, 0.6),
    variation: str = "",
    parameters: dict[str, float] | None = None,
) -> list[dict]:
    """The rows of one cell: better labels at 0.4ρ, worse ones under corruption."""
    kind, _, level = setting.partition("-")
    value = LEVELS[kind][level] if level else 0.0
    rng = stream("synthetic", dataset, setting, algorithm, variation, json.dumps(parameters or {}))
    truth = np.repeat(np.arange(CLASSES), SAMPLES // CLASSES)
    rows = []
    for repeat in range(repeats):
        for factor in (None,) if algorithm in WITHOUT_SCALE else factors:
            wrong = rng.random(SAMPLES) < 0.1 + 0.2 * value + abs((factor or 0.4) - 0.4)
            labels = np.where(wrong, rng.integers(0, CLASSES, SAMPLES), truth)
            score = 1 - wrong.mean()
            given = {
                "variation": variation,
                "parameters": json.dumps(parameters or {}, sort_keys=True),
                "repeat": repeat,
                "sigma_factor": factor,
                "sigma": None if factor is None else 2 * factor,
                "data_kind": "real",
                "n_samples": SAMPLES,
                "n_found": len(set(labels.tolist())),
                "neighbor_information": None if factor is None else score + 0.01 * rng.random(),
                "shared_seconds": 0.0,
                "labels": labels.tolist(),
            }
            rows.append(row(dataset, setting, algorithm, score, **given))
    return rows


def table(
    datasets: Sequence[str] = ("orl", "iris"),
    settings: Sequence[str] = ("clean", "noise-L1", "outlier-L1"),
    algorithms: Sequence[str] = (*ALGORITHMS, *REFERENCES),
    **options,
) -> pd.DataFrame:
    """The aggregated table of a whole benchmark."""
    rows = [
        row
        for dataset in datasets
        for setting in settings
        for algorithm in algorithms
        for row in cell_rows(dataset, setting, algorithm, **options)
    ]
    return pd.DataFrame(rows).drop(columns="labels").assign(**origin_columns(ORIGIN))


def write_cell(
    results: Path,
    dataset: str,
    setting: str,
    algorithm: str,
    *,
    variation: str = "",
    origin: Origin = ORIGIN,
    **options,
) -> Path:
    """Write the file of one cell, or of a variation with one set of parameters, where the workflow would."""
    path = Layout(results).result(Variation(dataset, setting, variation, algorithm, Group.CELLS, repeats=2))
    write_rows(path, cell_rows(dataset, setting, algorithm, variation=variation, **options), origin)
    return path


def change_rows(path: Path, origin: Origin | None = None, **values) -> None:
    """Give the rows of a result file other values, or another origin."""
    rows, present = read_result(path, labels=True)
    write_rows(path, rows.assign(**values).replace({np.nan: None}).to_dict("records"), origin or present)
