"""After a change, the jobs that depend on it run again, and no others."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml

from hypercut.benchmark.provenance import COLUMNS
from hypercut.benchmark.rows import FAILURES, METRICS, read_origin, read_rows, write_rows
from tests.data.originals import write_mirror
from tests.workflow.project import SECONDS, Project

pytestmark = [pytest.mark.workflow, pytest.mark.timeout(2 * SECONDS)]

CELLS = {"iris": ("clean", "noise-L5"), "digits": ("clean",)}
SCALED = ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC", "CSC", "NRSC", "RWDSM")
ALL = (*SCALED, "STSC", "AK+NC", "KMeans", "true labels")
SHARING = ("PKO+HSC", "PO+HSC", "PKO+NC")
CORE = (*SCALED, "STSC", "AK+NC")
END = {"aggregate", "report", "track", "all"}
SWEEPS = {f"vary iris/clean/{sweep}/PKO+HSC" for sweep in ("weights", "neighbors", "communities")}
BALANCED = {f"vary iris/clean/balance-degree/{algorithm}" for algorithm in ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC")}
VARIATIONS = SWEEPS | BALANCED


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

    (project.folder / ".gitignore").write_text("/results\n/data\n/.snakemake\n")
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


def test_a_module_of_one_algorithm(project: Project) -> None:
    project.append("src/hypercut/core/rotation.py", "\nCHANGED = True\n")
    assert project.planned() == clusterings(("STSC",)) | END


KERNEL = "src/hypercut/core/samples.py"


def test_a_comment_in_the_kernel(project: Project) -> None:
    project.append(KERNEL, "\n# Another comment.\n")
    project.edit(KERNEL, '"""', '"""Another docstring. ')
    assert project.planned() == set()


def test_a_constant_in_the_kernel(project: Project) -> None:
    project.append(KERNEL, "\nCHANGED = True\n")
    assert project.planned() == clusterings(CORE) | overclusterings() | VARIATIONS | END


def test_a_module_of_every_clustering(project: Project) -> None:
    project.append("src/hypercut/metrics.py", "\nCHANGED = True\n")
    assert project.planned() == clusterings(ALL) | VARIATIONS | END


def test_files_that_change_no_result(project: Project) -> None:
    (project.folder / "README.md").write_text("Not part of the code.")
    for file in (
        "README.md",
        "src/hypercut/__init__.py",
        "src/hypercut/cli/cluster.py",
        "src/hypercut/data/download.py",
        "src/hypercut/data/acquisition.py",
        "src/hypercut/errors.py",
    ):
        project.append(file, "\nCHANGED = True\n")
    assert project.planned() == set()


@pytest.mark.parametrize(
    "file", ["report/sections/gains.py", "report/render/template/page.html", "paper/published.toml"]
)
def test_the_report_alone(project: Project, file: str) -> None:
    addition = {".py": "\nCHANGED = True\n", ".html": "<!-- changed -->\n", ".toml": "\nchanged = true\n"}
    project.append(f"src/hypercut/{file}", addition[Path(file).suffix])
    assert project.planned() == {"report", "track", "all"}


def test_the_mlflow_sync_alone(project: Project) -> None:
    project.append("src/hypercut/tracking/sync.py", "\nCHANGED = True\n")
    assert project.planned() == {"track", "all"}


def test_another_version_of_a_library_reruns_nothing(project: Project, tmp_path: Path) -> None:
    metadata = tmp_path / "libraries" / "numpy-9.9.9.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 9.9.9\n")
    other = {"PYTHONPATH": str(metadata.parent)}
    assert project.planned(**other) == set()
    output = project.hypercut("status", str(project.results), **other)
    count = len(clusterings(ALL) | VARIATIONS)
    assert f"numpy: {np.__version__} in {count} files; installed: 9.9.9" in output
    assert "hypercut discard" in output


def test_the_order_of_the_configuration_has_no_effect(project: Project) -> None:
    tiny = project.folder / "workflow/presets/tiny.yaml"
    config = yaml.safe_load(tiny.read_text())

    def reversed_lists(value: object, key: str = "") -> object:
        if isinstance(value, dict):
            return {name: reversed_lists(value[name], name) for name in reversed(value)}
        pair = key == "weights" and isinstance(value[0], float) if isinstance(value, list) and value else False
        return value[::-1] if isinstance(value, list) and not pair else value

    tiny.write_text(yaml.safe_dump(reversed_lists(config), sort_keys=False))
    assert yaml.safe_load(tiny.read_text())["sigma_factors"] == [1.0, 0.4]
    assert project.planned() == set()


@pytest.mark.parametrize(
    ("missing", "computed"),
    [
        ("table.parquet", END),
        ("run.json", END),
        ("headline.json", {"report", "track", "all"}),
        ("report/index.html", {"report", "track", "all"}),
        ("tracking.json", {"track", "all"}),
        ("config.json", {"configuration"} | END),
        ("clusters/iris/clean/CSC.parquet", {"cluster iris/clean/CSC"} | END),
        ("variations/iris/clean/weights/PKO+HSC.parquet", {"vary iris/clean/weights/PKO+HSC"} | END),
    ],
)
def test_missing_files_are_computed_again(project: Project, missing: str, computed: set[str]) -> None:
    (project.results / missing).unlink()
    assert project.planned() == computed


def test_results_are_checked_if_the_records_of_snakemake_are_lost(project: Project) -> None:
    shutil.rmtree(project.folder / ".snakemake")
    project.run()  # same code: all results are current
    project.append("src/hypercut/core/rotation.py", "\nCHANGED = True\n")
    output = project.run(status=1)
    assert "3 of 40 result files are stale" in output
    assert "STSC.parquet: computed by other code (cluster)" in output
    project.hypercut("discard", str(project.results), "--stale")
    assert project.planned() == clusterings(("STSC",)) | END


def test_a_changed_configuration_is_noticed_if_the_records_of_snakemake_are_lost(project: Project) -> None:
    shutil.rmtree(project.folder / ".snakemake")
    project.edit("workflow/presets/tiny.yaml", "levels: {L5: 1.0}", "levels: {L5: 2.0}")
    output = project.run(status=1)
    assert "11 of 40 result files are stale" in output
    assert "level was 1.0, is 2.0" in output
    project.hypercut("discard", str(project.results), "--stale")
    noisy = {f"cluster iris/noise-L5/{algorithm}" for algorithm in ALL}
    assert project.planned() == {"corrupt iris/noise-L5", "overcluster iris/noise-L5"} | noisy | END


def test_a_partial_report_does_not_mix_code(project: Project) -> None:
    project.append(KERNEL, "\nCHANGED = True\n")
    cell = (project.results / "clusters/iris/clean/CSC.parquet").relative_to(project.folder)
    project.run("--", str(cell))
    output = project.hypercut("report", str(project.results))
    stale = (clusterings(CORE) | VARIATIONS) - {"cluster iris/clean/CSC"}
    assert f"Not used: {len(stale)} results of other code" in output
    page = (project.results / "report/index.html").read_text(encoding="utf-8")
    assert f"{len(stale)} of them stale" in page


def test_only_failed_cells_are_computed_again(project: Project) -> None:
    cell = project.results / "clusters/iris/clean/CSC.parquet"
    rows = read_rows(cell, labels=True).drop(columns=list(COLUMNS)).replace({np.nan: None}).to_dict("records")
    rows[0] |= {"status": "timeout", "labels": None, **dict.fromkeys(METRICS)}
    write_rows(cell, rows, read_origin(cell))
    assert "CSC.parquet: 1 timeout" in project.hypercut("status", str(project.results))
    assert "1 file would be deleted" in project.hypercut("discard", str(project.results), "--failed", "--dry-run")
    assert cell.exists()
    project.hypercut("discard", str(project.results), "--failed")
    assert project.planned() == {"cluster iris/clean/CSC"} | END


def test_a_dataset(project: Project) -> None:
    project.append("src/hypercut/data/datasets/digits.py", "\nCHANGED = True\n")
    assert project.planned() == {
        "acquire digits",
        "featurize digits",
        "corrupt digits/clean",
        "overcluster digits/clean",
        *clusterings(ALL, ("digits",)),
        *END,
    }


def test_gist_concerns_only_corel_from_its_features_on(project: Project, tmp_path: Path) -> None:
    mirror = write_mirror(tmp_path / "mirror", "corel")
    project.edit("workflow/presets/tiny.yaml", "datasets:\n", "datasets:\n  corel: {subset: 20, corruptions: []}\n")
    project.edit("workflow/presets/tiny.yaml", "on_missing: standin", "on_missing: standin\n  on_mismatch: own")
    features = str((project.results / "features" / "corel.npz").relative_to(project.folder))
    project.run("--", features, HYPERCUT_DATA_MIRROR=str(mirror))
    project.append("src/hypercut/data/features/gist.py", "\nCHANGED = True\n")
    planned = {job for job in project.planned() if not job.startswith("cluster")} - END
    assert planned == {"configuration", "featurize corel", "corrupt corel/clean", "overcluster corel/clean"}


def test_the_weights_of_one_dataset(project: Project) -> None:
    project.edit("workflow/presets/tiny.yaml", "digits: {weights: [0.6, 0.2]", "digits: {weights: [0.5, 0.3]")
    weighted = ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC")
    assert project.planned() == clusterings(weighted, ("digits",)) | {"configuration"} | END


def test_an_additional_level(project: Project) -> None:
    project.edit("workflow/presets/tiny.yaml", "levels: {L5: 1.0}", "levels: {L5: 1.0, L11: 2.2}")
    assert project.planned() == {
        "configuration",
        "corrupt iris/noise-L11",
        "overcluster iris/noise-L11",
        *(f"cluster iris/noise-L11/{algorithm}" for algorithm in ALL),
        *END,
    }


def test_an_additional_scale_concerns_every_clustering(project: Project) -> None:
    project.edit("workflow/presets/tiny.yaml", "sigma_factors: [0.4, 1.0]", "sigma_factors: [0.4, 1.0, 2.0]")
    expected = clusterings(ALL) | overclusterings() | VARIATIONS | {"configuration"} | END
    assert project.planned() == expected


@pytest.mark.parametrize(
    ("dataset", "repeats", "jobs"),
    [
        (
            "iris",
            "{noise: 3}",
            {
                "corrupt iris/noise-L5",
                "overcluster iris/noise-L5",
                *(f"cluster iris/noise-L5/{algorithm}" for algorithm in ALL),
            },
        ),
        ("digits", "{clean: 3}", {"overcluster digits/clean", *clusterings(ALL, ("digits",))}),
        ("iris", "{sweeps: 2}", SWEEPS),
        ("iris", "{readings: 2}", BALANCED),
    ],
)
def test_additional_repeats_of_one_dataset(project: Project, dataset: str, repeats: str, jobs: set[str]) -> None:
    project.edit("workflow/presets/tiny.yaml", f"{dataset}: {{", f"{dataset}: {{repeats: {repeats}, ")
    assert project.planned() == jobs | {"configuration"} | END


READINGS = "readings:\n  names: [balance-degree"


def test_an_additional_reading(project: Project) -> None:
    project.edit("workflow/presets/tiny.yaml", READINGS, f"{READINGS}, ratio-step")
    algorithms = ("PKO+HSC", "PK+HSC", "PO+HSC", "RWDSM")
    added = {f"vary iris/clean/ratio-step/{algorithm}" for algorithm in algorithms}
    assert project.planned() == added | {"configuration"} | END


def test_additional_readings_of_the_data_and_of_the_scale_of_communities(project: Project) -> None:
    """They run on a problem of their own, with over-clusterings of its own; a second time, nothing is to be done."""
    names = f"{READINGS}, features-range, communities-csc"
    project.edit("workflow/presets/tiny.yaml", READINGS, names)
    project.append("workflow/presets/tiny.yaml", "  pairs: [iris]\n")
    balanced = ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC")
    paper = (*SCALED, "STSC")
    assert project.planned() == {
        "configuration",
        "corrupt iris/clean~features-range",
        "overcluster iris/clean~features-range",
        "best_scale iris/clean/CSC",
        *(f"vary iris/clean/features-range/{algorithm}" for algorithm in paper),
        *(f"vary iris/clean/features-range+balance-degree/{algorithm}" for algorithm in balanced),
        *(f"vary iris/clean/communities-csc/{algorithm}" for algorithm in SHARING),
        *END,
    }
    project.run()
    assert project.planned() == set()
    table = read_rows(project.results / "table.parquet")
    assert set(table["setting"]) == {"clean", "noise-L5"}
    assert not set(table["status"]) & FAILURES
    table = table[(table["dataset"] == "iris") & (table["setting"] == "clean")].dropna(subset="sigma_factor")
    by_name = {
        name: rows.set_index(["algorithm", "repeat", "sigma_factor"]) for name, rows in table.groupby("variation")
    }
    scaled, cells = by_name["features-range"], by_name[""]
    # ρ is the mean distance of the scaled features.
    assert (scaled["sigma"] != cells.loc[scaled.index, "sigma"]).all()
    best = cells.loc["CSC"].groupby("sigma_factor")["nmi"].mean().idxmax()
    found = [json.loads(text)["community_factor"] for text in by_name["communities-csc"]["parameters"]]
    assert set(found) == {best}
    # The best scale of CSC follows from its cell.
    project.edit("src/hypercut/algorithms/csc.py", 'name = "CSC"', 'name = "CSC"\n    changed = True')
    of_csc = {f"vary iris/clean/communities-csc/{algorithm}" for algorithm in SHARING}
    assert project.planned() == clusterings(("CSC",)) | {
        "vary iris/clean/features-range/CSC",
        "best_scale iris/clean/CSC",
        *of_csc,
        *END,
    }


def test_repeats_by_size_rerun_only_the_sizes_whose_number_changes(project: Project) -> None:
    project.edit("workflow/presets/tiny.yaml", "digits: {weights: [0.6, 0.2], subset: 60", "digits: {subset: 70")
    table = "repeats: {clean: {up to 60: 2, beyond: 3}, noise: {beyond: 2}, outlier: 1}"
    project.edit("workflow/presets/tiny.yaml", "repeats: 2", table)
    planned = project.planned()
    assert "cluster digits/clean/CSC" in planned
    assert not any("iris" in job for job in planned)


def test_a_dataset_that_uses_the_files_of_another(fresh: Callable[[], Project]) -> None:
    project = fresh()
    project.edit("workflow/presets/tiny.yaml", "digits: {weights: [0.6, 0.2], subset: 60", "usps465: {subset: 60")
    planned = project.planned()
    assert {job for job in planned if "usps" in job and "cluster" not in job} == {
        "acquire usps",
        "featurize usps465",
        "corrupt usps465/clean",
    }
    assert "cluster usps465/clean/CSC" in planned


METHOD = '''
"""A user's method: split at the median of the sum of features."""

from helper import above_median
from sklearn.base import BaseEstimator, ClusterMixin


class Mine(ClusterMixin, BaseEstimator):
    name = "Mine"

    def __init__(self, n_clusters=8):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        self.labels_ = above_median(X.sum(axis=1))
        return self
'''

HELPER = """
import numpy as np


def above_median(values):
    return (values > np.median(values)).astype(int)
"""

DROPPED = '''
"""The normalised cut of the kernel."""

from hypercut.algorithms._base import normalized_cut
from hypercut.algorithms._spectral import KernelEstimator


class Dropped(KernelEstimator):
    """Normalised cut of the kernel."""

    name = "Dropped"

    def similarity(self, hypergraphs, seed):
        return hypergraphs.pairwise

    def partition(self, similarity, rng):
        return normalized_cut(similarity, self.n_clusters, rng)
'''


@pytest.mark.parametrize(
    "way", ["a file in the folder", "a file in the configuration", "a module in the configuration"]
)
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
        (project.folder / "methods" / "helper.py").write_text(HELPER)
        module = "methods/mine.py" if way == "a file in the configuration" else "mine"
        project.append("workflow/presets/tiny.yaml", f"\nalgorithms: {{Mine: {{module: {module}}}}}\n")
        configuration = {"configuration"}
        environment = {"PYTHONPATH": str(project.folder / "methods")} if module == "mine" else {}
    assert project.planned(**environment) == clusterings((name,)) | configuration | END
    project.run(**environment)
    table = read_rows(project.results / "table.parquet")
    assert set(table.loc[table["algorithm"] == name, "status"]) == {"ok"}
    assert name in (project.results / "report" / "index.html").read_text(encoding="utf-8")
    assert Path(project.results / "tracking.json").exists()
    if name == "Mine":
        project.edit("methods/helper.py", "values >", "values >=")
        assert project.planned(**environment) == clusterings((name,)) | END


def test_another_benchmark_on_the_same_data_reruns_nothing(project: Project) -> None:
    other = project.folder / "other.yaml"
    tiny = (project.folder / "workflow/presets/tiny.yaml").read_text()
    other.write_text(tiny.replace("results/tiny", "results/other").replace("subset: 60", "subset: 50"))
    features = [f"results/other/features/{dataset}.npz" for dataset in CELLS]
    Project(project.folder, "other.yaml").run("--", *features)
    assert project.planned() == set()
