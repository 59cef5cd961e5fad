"""Every path below the results folder of a benchmark, for rules and code."""

from pathlib import Path

from hypercut.benchmark.variations import Variation

COMPUTED = ("features", "problems", "communities", "clusters", "scales", "variations")
"""folders with one file per job"""


class Layout:
    """The files below ``root``. Names may be Snakemake wildcards, e.g. ``"{dataset}"``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.config = root / "config.json"  # checked, with defaults
        self.plan = root / "plan.txt"  # jobs, core-hours, memory and disk
        self.table = root / "table.parquet"  # all rows, without labels
        self.run = root / "run.json"  # the record of the run: configuration, code, machine and data
        self.similarity = root / "similarity.npz"  # the similarity matrices of ORL
        self.restored = root / "restored.json"  # the result files that were restored from a reference
        self.report = root / "report"
        self.report_page = self.report / "index.html"
        self.report_figures = root / "report-figures"  # the report's figures once more, for snakemake --report
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

    def communities(self, dataset: str, problem: str) -> Path:
        """The over-clusterings that several algorithms share."""
        return self.root / "communities" / dataset / f"{problem}.npz"

    def cell(self, dataset: str, setting: str, algorithm: str) -> Path:
        """One row per clustering, with its labels."""
        return self.root / "clusters" / dataset / setting / f"{algorithm}.parquet"

    def variation(self, dataset: str, setting: str, variation: str, algorithm: str) -> Path:
        """The same rows for a sweep or a reading."""
        return self.root / "variations" / dataset / setting / variation / f"{algorithm}.parquet"

    def of(self, result: Variation) -> Path:
        """The file of a cell, sweep or reading."""
        if not result.name:
            return self.cell(result.dataset, result.setting, result.algorithm)
        return self.variation(result.dataset, result.setting, result.name, result.algorithm)

    def scale(self, dataset: str, setting: str, algorithm: str) -> Path:
        """The best scale of a cell, for readings with communities at that scale."""
        return self.root / "scales" / dataset / setting / f"{algorithm}.json"

    def log(self, step: str, *names: str) -> Path:
        """The log of a job."""
        *folders, last = (step, *names)
        return self.root.joinpath("logs", *folders, f"{last}.log")
