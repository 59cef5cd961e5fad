"""Hand-made results whose averages, gains and ranks are known."""

import json

import pandas as pd

from hypercut.benchmark.rows import METRICS, TABLE_SCHEMA, Status
from hypercut.paper import protocol
from tests.synthetic import ORIGIN

CONTROLS = {"KMeans": "reference", "random labels": "control", "true labels": "control"}


def row(dataset, setting, algorithm, score, **given):
    """One row; all four metrics are ``score``, or None for a failure."""
    kind, _, level = setting.partition("-")
    values = {
        "dataset": dataset,
        "setting": setting,
        "corruption": kind,
        "level": protocol.LEVELS[kind].get(level) if level else 0.0,
        "algorithm": algorithm,
        "role": CONTROLS.get(algorithm, "algorithm"),
        "sweep": "",
        "parameters": "{}",
        "repeat": 0,
        "sigma_factor": 0.4,
        "sigma": 0.8,
        "data_kind": "generated" if dataset == "traj" else "real",
        "complete": True,
        "n_samples": 100,
        "n_features": 4,
        "n_clusters": 3,
        "n_found": 3,
        "status": str(Status.OK if score is not None else Status.TIMEOUT),
        "message": "" if score is not None else "took longer than 5 s",
        **dict.fromkeys(METRICS, score),
        "neighbor_information": score,
        "n_iter": 4,
        "solver": "{}",
        "wall_seconds": 1.0,
        "cpu_seconds": 1.0,
        "shared_seconds": 0.5,
        "peak_bytes": 200_000_000,
        "threads": 1,
        **ORIGIN.columns(),
    }
    return values | given


def frame(rows):
    table = pd.DataFrame(rows, columns=TABLE_SCHEMA.names)
    return table.astype(dict.fromkeys([*METRICS, "neighbor_information", "sigma_factor"], float))


def scores(values, setting="clean", **given):
    """Rows of one setting from {dataset: {algorithm: score}}; a list of scores is one a repeat."""
    return [
        row(dataset, setting, algorithm, score, repeat=repeat, **given)
        for dataset, by_algorithm in values.items()
        for algorithm, found in by_algorithm.items()
        for repeat, score in enumerate(found if isinstance(found, list) else [found])
    ]


def sweep_row(dataset, sweep, score, **parameters):
    text = json.dumps(parameters, sort_keys=True)
    return row(dataset, "clean", "PKO+HSC", score, sweep=sweep, parameters=text)


def run(**given):
    """What is known of a run."""
    return {
        "created": "2026-01-02T03:04:05Z",
        "version": "0.1.0",
        "commit": "0123456789abcdef",
        "dirty": False,
        "fingerprint": "fedcba9876543210",
        "machine": {"cpu": "a processor", "cores": 2, "memory_bytes": 2**33, "platform": "Linux", "python": "3.12"},
        "config": {"seed": 0},
        "datasets": {},
        "expected": {"cells": [], "sweeps": []},
    } | given
