"""Made-up results in the form of real ones, for what reads results."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from hypercut.benchmark.provenance import COLUMNS, Origin
from hypercut.benchmark.rows import METRICS, Status, read_origin, read_rows, write_rows
from hypercut.paper import protocol
from hypercut.seeds import stream

ALGORITHMS = ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC", "CSC", "NRSC", "RWDSM", "STSC")
REFERENCES = {
    "KMeans": "reference",
    "SpectralClustering": "reference",
    "random labels": "control",
    "true labels": "control",
}
WITHOUT_SCALE = ("STSC", *REFERENCES)
SAMPLES, CLASSES = 30, 3
ORIGIN = Origin(
    code={"cluster": "c0de"},
    data="da7a",
    environment={
        "python": "3.12.1",
        "numpy": "2.1.0",
        "scipy": "1.14.0",
        "scikit_learn": "1.6.0",
        "blas": "openblas 0.3.27 Haswell",
        "cpu": "a processor",
    },
    computed="2026-01-02T03:04:05+00:00",
)


def cell_rows(
    dataset: str,
    setting: str,
    algorithm: str,
    *,
    repeats: int = 2,
    factors: Sequence[float] = (0.2, 0.4, 0.6),
    sweep: str = "",
    parameters: dict[str, float] | None = None,
) -> list[dict]:
    """The rows of one cell: better labels at 0.4ρ, worse ones under corruption."""
    kind, _, level = setting.partition("-")
    value = protocol.LEVELS[kind][level] if level else 0.0
    rng = stream("synthetic", dataset, setting, algorithm, sweep, json.dumps(parameters or {}))
    truth = np.repeat(np.arange(CLASSES), SAMPLES // CLASSES)
    rows = []
    for repeat in range(repeats):
        for factor in (None,) if algorithm in WITHOUT_SCALE else factors:
            wrong = rng.random(SAMPLES) < 0.1 + 0.2 * value + abs((factor or 0.4) - 0.4)
            labels = np.where(wrong, rng.integers(0, CLASSES, SAMPLES), truth)
            score = 1 - wrong.mean()
            rows.append(
                {
                    "dataset": dataset,
                    "setting": setting,
                    "corruption": kind,
                    "level": value,
                    "algorithm": algorithm,
                    "role": REFERENCES.get(algorithm, "algorithm"),
                    "sweep": sweep,
                    "parameters": json.dumps(parameters or {}, sort_keys=True),
                    "repeat": repeat,
                    "sigma_factor": factor,
                    "sigma": None if factor is None else 2 * factor,
                    "data_kind": "real",
                    "complete": True,
                    "n_samples": SAMPLES,
                    "n_features": 4,
                    "n_clusters": CLASSES,
                    "n_found": len(set(labels.tolist())),
                    "status": str(Status.OK),
                    "message": "",
                    **dict.fromkeys(METRICS, score),
                    "neighbor_information": None if factor is None else score + 0.01 * rng.random(),
                    "n_iter": 4,
                    "solver": '{"path": "dense"}',
                    "wall_seconds": 0.1,
                    "cpu_seconds": 0.1,
                    "shared_seconds": 0.0,
                    "peak_bytes": 100_000_000,
                    "threads": 1,
                    "labels": labels.tolist(),
                }
            )
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
    return pd.DataFrame(rows).drop(columns="labels").assign(**ORIGIN.columns())


def write_cell(
    results: Path, dataset: str, setting: str, algorithm: str, *, origin: Origin = ORIGIN, **options
) -> Path:
    """Write one cell's file where the workflow would."""
    path = results / "clusters" / dataset / setting / f"{algorithm}.parquet"
    write_rows(path, cell_rows(dataset, setting, algorithm, **options), origin)
    return path


def change_rows(path: Path, **values) -> None:
    """Give the rows of a result file other values."""
    rows = read_rows(path, labels=True).drop(columns=list(COLUMNS)).assign(**values)
    write_rows(path, rows.replace({np.nan: None}).to_dict("records"), read_origin(path))
