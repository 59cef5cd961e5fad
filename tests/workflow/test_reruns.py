"""Which jobs run again after which change: those that depend on it, and no others."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.datasets.originals import write_mirror
from tests.workflow.project import SECONDS, Project

pytestmark = pytest.mark.timeout(2 * SECONDS)

CELLS = {"iris": ("clean", "noise-L5"), "digits": ("clean",)}
SCALED = ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC", "CSC", "NRSC", "RWDSM")
ALL = (*SCALED, "STSC", "AK+NC", "KMeans", "true labels")
SHARING = ("PKO+HSC", "PO+HSC", "PKO+NC")
END = {"aggregate", "report", "track", "all"}
SWEEPS = {f"sweep iris/{sweep}" for sweep in ("weights", "neighbors", "communities")}


def clusterings(algorithms: tuple[str, ...], datasets: tuple[str, ...] = tuple(CELLS)) -> set[str]:
    return {
        f"cluster {dataset}/{setting}/{algorithm}"
        for dataset in datasets
        for setting in CELLS[dataset]
        for algorithm in algorithms
    }


def overclusterings() -> set[str]:
    return {f"overcluster {dataset}/{setting}" for dataset, settings in CELLS.items() for setting in settings}


def test_nothing_to_do_after_a_complete_run(project: Project) -> None:
    assert "Nothing to be done" in project.run()


def test_touching_every_source_file_reruns_nothing(project: Project) -> None:
    for path in project.folder.rglob("*.py"):
        os.utime(path)
    assert project.planned() == set()


def test_a_checkout_of_the_same_content_reruns_nothing(project: Project) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=project.folder, check=True, capture_output=True)

    (project.folder / ".gitignore").write_text("results\ndata\n.snakemake\n")
    git("init")
    git("add", ".")
    git("commit", "-m", "all")
    git("rm", "-r", "--cached", "--quiet", ".")
    for path in [*project.folder.rglob("*.py"), *project.folder.rglob("*.smk")]:
        path.unlink()
    git("checkout", "HEAD", "--", ".")
    assert project.planned() == set()


def test_one_algorithm(project: Project) -> None:
    project.edit("src/hypercut/algorithms/csc.py", 'name = "CSC"', 'name = "CSC"\n    changed = True')
    assert project.planned() == clusterings(("CSC",)) | END


def test_what_only_some_algorithms_use(project: Project) -> None:
    project.append("src/hypercut/core/rotation.py", "\nCHANGED = True\n")
    assert project.planned() == clusterings(("STSC",)) | END


def test_the_kernel(project: Project) -> None:
    project.append("src/hypercut/core/samples.py", "\nCHANGED = True\n")
    assert project.planned() == clusterings(ALL) | overclusterings() | SWEEPS | END


def test_what_no_step_computes_with(project: Project) -> None:
    project.append("src/hypercut/cli/cluster.py", "\nCHANGED = True\n")
    project.append("src/hypercut/__init__.py", "\nCHANGED = True\n")
    assert project.planned() == set()


def test_the_report_alone(project: Project) -> None:
    project.append("src/hypercut/steps/report.py", "\nCHANGED = True\n")
    assert project.planned() == {"report", "track", "all"}


def test_a_dataset(project: Project) -> None:
    project.append("src/hypercut/datasets/digits.py", "\nCHANGED = True\n")
    assert project.planned() == {
        "acquire digits",
        "featurize digits",
        "corrupt digits/clean",
        "overcluster digits/clean",
        *clusterings(ALL, ("digits",)),
        *END,
    }


def test_gist_concerns_corel_alone_and_from_features_on(project: Project, tmp_path: Path) -> None:
    mirror = write_mirror(tmp_path / "mirror", "corel")
    project.edit("workflow/presets/tiny.yaml", "datasets:\n", "datasets:\n  corel: {subset: 20, corruptions: []}\n")
    project.edit("workflow/presets/tiny.yaml", "on_missing: standin", "on_missing: standin\n  on_mismatch: own")
    features = str((project.results / "features" / "corel.npz").relative_to(project.folder))
    project.run("--", features, HYPERCUT_DATA_MIRROR=str(mirror))
    project.append("src/hypercut/features/gist.py", "\nCHANGED = True\n")
    planned = {job for job in project.planned() if not job.startswith("cluster")} - END
    assert planned == {"configuration", "featurize corel", "corrupt corel/clean", "overcluster corel/clean"}


def test_the_weights_of_one_dataset(project: Project) -> None:
    project.edit("workflow/presets/tiny.yaml", "digits: {weights: [0.6, 0.2]", "digits: {weights: [0.5, 0.3]")
    weighted = ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC")
    assert project.planned() == clusterings(weighted, ("digits",)) | {"configuration"} | END


def test_one_more_level(project: Project) -> None:
    project.edit("workflow/presets/tiny.yaml", "levels: {L5: 1.0}", "levels: {L5: 1.0, L11: 2.2}")
    assert project.planned() == {
        "configuration",
        "corrupt iris/noise-L11",
        "overcluster iris/noise-L11",
        *(f"cluster iris/noise-L11/{algorithm}" for algorithm in ALL),
        *END,
    }


def test_one_scale_more_concerns_every_clustering(project: Project) -> None:
    project.edit("workflow/presets/tiny.yaml", "sigma_factors: [0.4, 1.0]", "sigma_factors: [0.4, 1.0, 2.0]")
    expected = clusterings(ALL) | overclusterings() | SWEEPS | {"configuration"} | END
    assert project.planned() == expected


METHOD = '''
"""Splits at the median of the features' sum: what a user might try."""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin


class Mine(ClusterMixin, BaseEstimator):
    name = "Mine"

    def __init__(self, n_clusters=8):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        self.labels_ = (X.sum(axis=1) > np.median(X.sum(axis=1))).astype(int)
        return self
'''

DROPPED = '''
"""The kernel, cut by the normalised cut."""

from hypercut.algorithms._base import normalized_cut
from hypercut.algorithms._kernel import KernelEstimator


class Dropped(KernelEstimator):
    """Normalised cut of the kernel."""

    name = "Dropped"

    def similarity(self, hypergraphs, seed):
        return hypergraphs.pairwise

    def partition(self, similarity, rng):
        return normalized_cut(similarity, self.n_clusters, rng)
'''


@pytest.mark.parametrize("way", ["a file in the folder", "a module in the configuration"])
def test_adding_an_algorithm_runs_it_and_nothing_else(project: Project, way: str) -> None:
    if way == "a file in the folder":
        name = "Dropped"
        (project.folder / "src/hypercut/algorithms/dropped.py").write_text(DROPPED)
        configuration: set[str] = set()
        environment = {}
    else:
        name = "Mine"
        (project.folder / "methods").mkdir()
        (project.folder / "methods" / "mine.py").write_text(METHOD)
        project.append("workflow/presets/tiny.yaml", "\nalgorithms: {Mine: {module: mine}}\n")
        configuration = {"configuration"}
        environment = {"PYTHONPATH": str(project.folder / "methods")}
    assert project.planned(**environment) == clusterings((name,)) | configuration | END
    project.run(**environment)
    from hypercut.results import read_rows

    table = read_rows(project.results / "table.parquet")
    assert set(table.loc[table["algorithm"] == name, "status"]) == {"ok"}
    assert name in (project.results / "report" / "index.html").read_text(encoding="utf-8")
    assert Path(project.results / "tracking.json").exists()


def test_another_benchmark_on_the_same_data_makes_nothing_stale(project: Project) -> None:
    other = project.folder / "other.yaml"
    tiny = (project.folder / "workflow/presets/tiny.yaml").read_text()
    other.write_text(tiny.replace("results/tiny", "results/other").replace("subset: 60", "subset: 50"))
    features = [f"results/other/features/{dataset}.npz" for dataset in CELLS]
    Project(project.folder, "other.yaml").run("--", *features)
    assert project.planned() == set()
