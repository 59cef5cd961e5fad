"""After a change, the jobs that depend on it run again, and no others."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml

from hypercut.results.rows import read_rows
from hypercut.run.failures import FAILURES
from tests.workflow.project import SECONDS, TINY, Project, methods

pytestmark = [pytest.mark.workflow, pytest.mark.timeout(2 * SECONDS)]

CELLS = {"iris": ("clean", "noise-L5"), "digits": ("clean",)}
SCALED = ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC", "CSC", "NRSC", "RWDSM")
ALL = (*SCALED, "STSC", "AK+NC", "KMeans", "true labels")
SHARING = ("PKO+HSC", "PO+HSC", "PKO+NC")
CORE = (*SCALED, "STSC", "AK+NC")
END = {"aggregate", "report", "track", "all"}
SWEEPS = {f"cluster iris/clean/{sweep}/PKO+HSC" for sweep in ("weights", "neighbors", "communities")}
BALANCED = {f"cluster iris/clean/balance-degree/{algorithm}" for algorithm in ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC")}
VARIATIONS = SWEEPS | BALANCED
CHANGED = "\nCHANGED = True\n"


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


def test_a_checkout_of_the_same_content_reruns_nothing(project: Project) -> None:
    for path in [path for ending in ("py", "smk", "yaml") for path in project.folder.rglob(f"*.{ending}")]:
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(content)
    assert project.planned() == set()


SRC = "src/hypercut"
ROTATION = f"{SRC}/core/rotation.py"
KERNEL = f"{SRC}/core/samples.py"
CSC = f"{SRC}/algorithms/csc.py"
READINGS = "readings:\n  names: [balance-degree"
SAME_RESULTS = ("__init__.py", "cli/cluster.py", "data/sources.py", "data/store.py", "errors.py", "files.py")
WEIGHTED = ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC")
NOISY = {"overcluster iris/noise-L5", *(f"cluster iris/noise-L5/{algorithm}" for algorithm in ALL)}
REPORT = {"report", "track", "all"}
CONFIGURED = {"configuration"} | END
#: What is changed → file, old text or None to append, and new text of each edit; and the jobs that run again.
CHANGES: dict[str, tuple[list[tuple[str, str | None, str]], set[str]]] = {
    "one algorithm": ([(CSC, 'name = "CSC"', 'name = "CSC"\n    changed = True')], clusterings(("CSC",)) | END),
    "a module of one algorithm": ([(ROTATION, None, CHANGED)], clusterings(("STSC",)) | END),
    "a comment in the kernel": ([(KERNEL, None, "\n# A comment.\n"), (KERNEL, '"""', '"""A docstring. ')], set()),
    "a constant in the kernel": (
        [(KERNEL, None, CHANGED)],
        clusterings(CORE) | overclusterings() | VARIATIONS | END,
    ),
    "a module of every clustering": ([(f"{SRC}/metrics.py", None, CHANGED)], clusterings(ALL) | VARIATIONS | END),
    "code that decides no result": ([(f"{SRC}/{file}", None, CHANGED) for file in SAME_RESULTS], set()),
    "a section of the report": ([(f"{SRC}/report/sections/gains.py", None, CHANGED)], REPORT),
    "the template of the report": (
        [(f"{SRC}/report/render/template/page.html", None, "<!-- changed -->\n")],
        REPORT,
    ),
    "the published numbers": (
        [(f"{SRC}/paper/published.toml", None, "\nchanged = true\n")],
        REPORT,
    ),
    "the MLflow sync": ([(f"{SRC}/tracking/sync.py", None, CHANGED)], {"track", "all"}),
    "a dataset": (
        [(f"{SRC}/data/datasets/digits.py", None, CHANGED)],
        {f"{step} digits" for step in ("acquire", "featurize")}
        | {f"{step} digits/clean" for step in ("corrupt", "overcluster")}
        | clusterings(ALL, ("digits",))
        | END,
    ),
    "the weights of one dataset": (
        [(TINY, "digits: {weights: [0.6, 0.2]", "digits: {weights: [0.5, 0.3]")],
        clusterings(WEIGHTED, ("digits",)) | CONFIGURED,
    ),
    "one more level": (
        [(TINY, "levels: {L5: 1.0}", "levels: {L5: 1.0, L11: 2.2}")],
        {job.replace("L5", "L11") for job in NOISY | {"corrupt iris/noise-L5"}} | CONFIGURED,
    ),
    "one more σ": (
        [(TINY, "sigma_factors: [0.4, 1.0]", "sigma_factors: [0.4, 1.0, 2.0]")],
        clusterings(ALL) | overclusterings() | VARIATIONS | CONFIGURED,
    ),
    "more repeats under noise": (
        [(TINY, "iris: {", "iris: {repeats: {noise: 3}, ")],
        NOISY | {"corrupt iris/noise-L5"} | CONFIGURED,
    ),
    # Clean data are the same in every repeat.
    "more repeats of clean data": (
        [(TINY, "digits: {", "digits: {repeats: {clean: 3}, ")],
        {"overcluster digits/clean"} | clusterings(ALL, ("digits",)) | CONFIGURED,
    ),
    "more repeats of sweeps": ([(TINY, "iris: {", "iris: {repeats: {sweeps: 2}, ")], SWEEPS | CONFIGURED),
    "more repeats of readings": ([(TINY, "iris: {", "iris: {repeats: {readings: 2}, ")], BALANCED | CONFIGURED),
    "one more reading": (
        [(TINY, READINGS, f"{READINGS}, ratio-step")],
        {f"cluster iris/clean/ratio-step/{name}" for name in ("PKO+HSC", "PK+HSC", "PO+HSC", "RWDSM")} | CONFIGURED,
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_reruns_what_depends_on_it(project: Project, what: str) -> None:
    edits, jobs = CHANGES[what]
    for file, old, new in edits:
        if old is None:
            project.append(file, new)
        else:
            project.edit(file, old, new)
    assert project.planned() == jobs


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
    tiny = project.folder / TINY
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
        ("headline.json", REPORT),
        ("report/index.html", REPORT),
        ("report/appendix.html", REPORT),
        ("tracking.json", {"track", "all"}),
        ("config.json", CONFIGURED),
        ("clusters/iris/clean/CSC.parquet", {"cluster iris/clean/CSC"} | END),
        ("clusters/iris/clean/weights/PKO+HSC.parquet", {"cluster iris/clean/weights/PKO+HSC"} | END),
    ],
)
def test_missing_files_are_computed_again(project: Project, missing: str, computed: set[str]) -> None:
    (project.results / missing).unlink()
    assert project.planned() == computed


@pytest.mark.parametrize(
    ("edit", "count", "why", "jobs"),
    [
        (
            (ROTATION, "import numpy", "CHANGED = 1\nimport numpy"),
            3,
            "other code",
            clusterings(("STSC",)),
        ),
        ((TINY, "L5: 1.0", "L5: 2.0"), 11, "level was 1.0, is 2.0", NOISY | {"corrupt iris/noise-L5"}),
    ],
)
def test_results_are_checked_if_the_records_of_snakemake_are_lost(
    project: Project, edit: tuple[str, str, str], count: int, why: str, jobs: set[str]
) -> None:
    shutil.rmtree(project.folder / ".snakemake")
    if count == 3:
        project.run()  # same code: all results are current
    project.edit(*edit)
    output = project.run(status=1)
    assert f"{count} of 40 result files are stale" in output
    assert why in output
    project.hypercut("discard", str(project.results), "--stale")
    assert project.planned() == jobs | END


def test_a_partial_report_does_not_mix_code(project: Project) -> None:
    project.append(KERNEL, "\nCHANGED = True\n")
    cell = (project.results / "clusters/iris/clean/CSC.parquet").relative_to(project.folder)
    project.run("--", str(cell))
    output = project.hypercut("report", str(project.results))
    stale = (clusterings(CORE) | VARIATIONS) - {"cluster iris/clean/CSC"}
    assert f"Not used: {len(stale)} results of other code" in output
    page = (project.results / "report/index.html").read_text(encoding="utf-8")
    assert f"{len(stale)} of them stale" in page


def test_additional_readings_of_the_data_and_of_the_scale_of_communities(project: Project) -> None:
    """They run on a problem of their own, with over-clusterings of its own; a second time, nothing is to be done."""
    project.edit(TINY, READINGS, f"{READINGS}, features-range, communities-csc")
    of_csc = {f"cluster iris/clean/communities-csc/{algorithm}" for algorithm in SHARING}
    changed = {f"{step} iris/clean~features-range" for step in ("corrupt", "overcluster")}
    changed |= {f"cluster iris/clean/features-range/{algorithm}" for algorithm in (*SCALED, "STSC")}
    assert project.planned() == changed | of_csc | CONFIGURED
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
    found = [json.loads(text)["overclustering_sigma_factor"] for text in by_name["communities-csc"]["parameters"]]
    assert set(found) == {best}
    # The best σ of CSC follows from its cell.
    project.edit(CSC, 'name = "CSC"', 'name = "CSC"\n    changed = True')
    assert project.planned() == clusterings(("CSC",)) | {"cluster iris/clean/features-range/CSC"} | of_csc | END


def test_repeats_by_size_rerun_only_the_sizes_whose_number_changes(project: Project) -> None:
    project.edit(TINY, "digits: {weights: [0.6, 0.2], subset: 60", "digits: {subset: 70")
    table = "repeats: {clean: {up to 60: 2, beyond: 3}, noise: {beyond: 2}, outlier: 1}"
    project.edit(TINY, "repeats: 2", table)
    planned = project.planned()
    assert "cluster digits/clean/CSC" in planned
    assert not any("iris" in job for job in planned)


def test_a_part_uses_the_files_of_the_whole(fresh: Callable[[], Project]) -> None:
    project = fresh()
    project.edit(TINY, "digits: {weights: [0.6, 0.2], subset: 60", "few: {part_of: usps, subset: 60")
    planned = project.planned()
    assert {"acquire usps", "featurize few", "corrupt few/clean", "cluster few/clean/CSC"} <= planned
    assert "acquire few" not in planned


MINE = "self.labels_ = (X.sum(axis=1) > np.median(X.sum(axis=1))).astype(int)"
WITH_HELPER = "from helper import above\nself.labels_ = above(X.sum(axis=1))"
HELPER = "import numpy as np\n\ndef above(values):\n    return (values > np.median(values)).astype(int)\n"


@pytest.mark.parametrize("way", ["in the folder", "methods/mine.py", "mine"])
def test_adding_an_algorithm_runs_it_and_nothing_else(project: Project, way: str) -> None:
    """A method is added by a file in the folder of algorithms, or by a file or module in the configuration."""
    configuration, environment = END, {}
    if way == "in the folder":
        (project.folder / SRC / "algorithms/mine.py").write_text(methods(Mine=MINE))
    else:
        (project.folder / "methods").mkdir()
        (project.folder / "methods/mine.py").write_text(methods(Mine=WITH_HELPER))
        (project.folder / "methods/helper.py").write_text(HELPER)
        project.append(TINY, f"\nalgorithms: {{Mine: {{module: {way}}}}}\n")
        configuration = CONFIGURED
        environment = {"PYTHONPATH": str(project.folder / "methods")} if way == "mine" else {}
    assert project.planned(**environment) == clusterings(("Mine",)) | configuration
    project.run(**environment)
    table = read_rows(project.results / "table.parquet")
    assert set(table.loc[table["algorithm"] == "Mine", "status"]) == {"ok"}
    assert "Mine" in (project.results / "report" / "index.html").read_text(encoding="utf-8")
    if way != "in the folder":
        project.edit("methods/helper.py", "values >", "values >=")
        assert project.planned(**environment) == clusterings(("Mine",)) | END


def test_another_benchmark_on_the_same_data_reruns_nothing(project: Project) -> None:
    other = project.folder / "other.yaml"
    tiny = (project.folder / TINY).read_text()
    other.write_text(tiny.replace("results/tiny", "results/other").replace("subset: 60", "subset: 50"))
    features = [f"results/other/features/{dataset}.npz" for dataset in CELLS]
    Project(project.folder, "other.yaml").run("--", *features)
    assert project.planned() == set()


def test_fetching_identical_data_again_reruns_nothing(project: Project) -> None:
    shutil.rmtree(project.folder / "data")
    project.hypercut("data", "get", *CELLS)
    assert project.planned() == set()


def test_a_longer_limit_reruns_what_it_cut_short(project: Project) -> None:
    """Clusterings that ended within the limit are kept."""
    project.edit(TINY, "time_limit: 10", "time_limit: 0.5")
    project.add_methods(Slow="sleep(2)")
    project.run()
    assert set(read_rows(project.results / "clusters/iris/clean/Slow.parquet")["status"]) == {"timeout"}
    project.edit(TINY, "time_limit: 0.5", "time_limit: 60")
    assert project.planned() == CONFIGURED
    assert "3 of 43 result files are stale" in project.run(status=1)
    project.hypercut("discard", str(project.results), "--stale")
    assert project.planned() == clusterings(("Slow",)) | END
