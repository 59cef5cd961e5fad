"""Every path below the results folder of a benchmark, for rules and code."""

from collections.abc import Iterator
from pathlib import Path

from hypercut.benchmark.variations import Variation

COMPUTED = ("features", "problems", "overclusterings", "clusters")
"""folders with one file per job"""


class Layout:
    """The files below ``root``. Names may be Snakemake wildcards, e.g. ``"{dataset}"``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.config = root / "config.json"  # checked, with defaults
        self.table = root / "table.parquet"  # all rows, without labels
        self.plan = root / "plan.txt"  # jobs, hours, memory and disk
        self.run = root / "run.json"  # the record of the run: configuration, code, machine and data
        self.similarity = root / "similarity.npz"  # the similarity matrices of ORL
        self.report = root / "report"
        self.report_page = self.report / "index.html"
        self.headline = root / "headline.json"  # the report's main figures, for MLflow
        self.tracking = root / "tracking.json"  # the report of the MLflow sync
        self.database = root / "mlflow.db"  # MLflow's default database
        self.artifacts = root / "mlartifacts"  # MLflow's default folder of artifacts
        self.benchmark_id = root / "benchmark-id"  # distinguishes the MLflow runs of this benchmark from others

    def features(self, dataset: str) -> Path:
        """Features and classes of a dataset."""
        return self.root / "features" / f"{dataset}.npz"

    def problem(self, dataset: str, problem: str) -> Path:
        """All repeats of a dataset under a setting, possibly with data changed by a reading."""
        return self.root / "problems" / dataset / f"{problem}.npz"

    def overclustering(self, dataset: str, problem: str) -> Path:
        """The over-clusterings that several algorithms share."""
        return self.root / "overclusterings" / dataset / f"{problem}.npz"

    def result(self, result: Variation) -> Path:
        """The rows of a cell, sweep or reading, with their labels."""
        return self.result_of(result.key)

    def result_of(self, key: str) -> Path:
        """The rows of the result with this :attr:`Variation.key`."""
        return self.root / "clusters" / f"{key}.parquet"

    def result_files(self) -> Iterator[Path]:
        """Yield the result files that exist, including those that the present configuration does not need."""
        yield from self.root.glob("clusters/*/*/*.parquet")
        yield from self.root.glob("clusters/*/*/*/*.parquet")

    def log(self, step: str, *names: str) -> Path:
        """The log of a job."""
        *folders, last = (step, *names)
        return self.root.joinpath("logs", *folders, f"{last}.log")
