"""Every path below the results folder of a benchmark, for rules and code."""

from dataclasses import dataclass
from pathlib import Path

COMPUTED = ("features", "problems", "communities", "clusters", "sweeps")
"""folders with one file per job"""


@dataclass(frozen=True)
class Layout:
    """The files below ``root``. Names may be Snakemake wildcards, e.g. ``"{dataset}"``."""

    root: Path

    @property
    def config(self) -> Path:
        """The configuration, checked, with defaults."""
        return self.root / "config.json"

    @property
    def plan(self) -> Path:
        """The plan: jobs, core-hours, memory and disk."""
        return self.root / "plan.txt"

    def features(self, dataset: str) -> Path:
        """Features and classes of a dataset."""
        return self.root / "features" / f"{dataset}.npz"

    def problem(self, dataset: str, setting: str) -> Path:
        """All repeats of a dataset under a setting."""
        return self.root / "problems" / dataset / f"{setting}.npz"

    def communities(self, dataset: str, setting: str) -> Path:
        """The over-clusterings that several algorithms share."""
        return self.root / "communities" / dataset / f"{setting}.npz"

    def cell(self, dataset: str, setting: str, algorithm: str) -> Path:
        """One row per clustering, with its labels."""
        return self.root / "clusters" / dataset / setting / f"{algorithm}.parquet"

    def sweep(self, dataset: str, sweep: str) -> Path:
        """The same rows for a sweep of one parameter."""
        return self.root / "sweeps" / dataset / f"{sweep}.parquet"

    @property
    def table(self) -> Path:
        """All rows, without labels."""
        return self.root / "table.parquet"

    @property
    def run(self) -> Path:
        """The record of the run: configuration, code, machine and data."""
        return self.root / "run.json"

    @property
    def similarity(self) -> Path:
        """The similarity matrices of ORL."""
        return self.root / "similarity.npz"

    @property
    def report(self) -> Path:
        """The folder of the report."""
        return self.root / "report"

    @property
    def report_page(self) -> Path:
        """The report."""
        return self.report / "index.html"

    @property
    def headline(self) -> Path:
        """The report's main figures, for MLflow."""
        return self.root / "headline.json"

    @property
    def tracking(self) -> Path:
        """The report of the MLflow sync."""
        return self.root / "tracking.json"

    @property
    def database(self) -> Path:
        """MLflow's default database."""
        return self.root / "mlflow.db"

    @property
    def artifacts(self) -> Path:
        """MLflow's default folder of artifacts."""
        return self.root / "mlartifacts"

    @property
    def benchmark_id(self) -> Path:
        """The id that distinguishes the MLflow runs of this benchmark from others."""
        return self.root / "benchmark-id"

    def log(self, step: str, *names: str) -> Path:
        """The log of a job."""
        *folders, last = (step, *names)
        return self.root.joinpath("logs", *folders, f"{last}.log")
