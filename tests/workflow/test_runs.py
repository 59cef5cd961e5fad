"""The real Snakefile: complete and killed runs, failing algorithms, an unreachable tracking server."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from mlflow import MlflowClient

from hypercut.benchmark.rows import FAILURES, read_rows
from tests.workflow.project import SECONDS, Project, assert_same_outcome, processes

pytestmark = [pytest.mark.workflow, pytest.mark.timeout(2 * SECONDS)]


def test_a_complete_run_has_every_output(finished: Project) -> None:
    table = read_rows(finished.results / "table.parquet")
    assert len(table.groupby(["dataset", "setting", "algorithm"])) == 3 * 11
    assert set(table["variation"]) == {"", "weights", "neighbors", "communities", "balance-degree"}
    cells = table[table["variation"] == ""]
    # 2 repeats × 2 scales, or × 1 where there is no scale.
    assert cells.groupby("algorithm").size().to_dict() == {
        **dict.fromkeys(("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC", "CSC", "NRSC", "RWDSM"), 3 * 4),
        **dict.fromkeys(("STSC", "AK+NC", "KMeans", "true labels"), 3 * 2),
    }
    assert not set(table["status"]) & FAILURES
    assert (cells.loc[cells["algorithm"] == "true labels", ["nmi", "purity", "ari"]] == 1).all().all()
    assert (finished.results / "report" / "index.html").stat().st_size > 10_000
    assert (finished.results / "tracking.json").exists()


def test_the_report_of_snakemake_contains_the_page_and_the_figures(project: Project) -> None:
    project.run("--report", "report.zip")
    with ZipFile(project.folder / "report.zip") as archive:
        names = {Path(name).name for name in archive.namelist()}
        captions = archive.read("report/report.html").decode()
    figures = {path.name for path in project.results.glob("report/figures/*.svg")}
    assert figures
    assert {"index.html", *figures} <= names
    assert "Whether the paper's claims hold" in captions
    assert f"The figure <strong>{Path(min(figures)).stem}</strong>" in captions


def test_the_plan_of_a_complete_run_has_nothing_left_but_what_is_deleted(project: Project) -> None:
    """Its past rows, on the same processor, correct the forecast."""
    project.run("--forcerun", "plan", "--", "plan", cores=3)
    text = (project.results / "plan.txt").read_text(encoding="utf-8")
    assert "jobs         0: 0 corrupt, 0 overcluster, 0 cluster, 0 vary" in text
    assert "hours on 3 cores" in text
    assert "done         46 jobs" in text  # 3 problems, their over-clusterings, 33 cells, 3 sweeps and 4 of a reading
    table = read_rows(project.results / "table.parquet")
    assert f"corrected by {(table['variation'] == '').sum()} clusterings" in text
    (project.results / "clusters" / "iris" / "clean" / "CSC.parquet").unlink()
    project.run("--forcerun", "plan", "--", "plan")
    text = (project.results / "plan.txt").read_text(encoding="utf-8")
    assert "jobs         1: 0 corrupt, 0 overcluster, 1 cluster, 0 vary" in text


def tracked(project: Project) -> dict[str, str]:
    """Return the runs in MLflow: experiment and name → id."""
    client = MlflowClient(f"sqlite:///{project.results}/mlflow.db")
    experiments = {experiment.experiment_id: experiment.name for experiment in client.search_experiments()}
    runs = client.search_runs(list(experiments), max_results=10_000)
    named = {f"{experiments[run.info.experiment_id]} {run.info.run_name}": run.info.run_id for run in runs}
    assert len(named) == len(runs)
    return named


def test_mlflow_has_each_result_once_and_a_changed_one_is_replaced(project: Project) -> None:
    before = tracked(project)
    assert len([name for name in before if name.startswith("hypercut/tiny/iris")]) == 2 * 11 + 3 + 4
    project.run("--forcerun", "track")
    assert tracked(project) == before
    project.run("--forcerun", "results/tiny/clusters/iris/clean/CSC.parquet")
    after = tracked(project)
    assert after.keys() == before.keys()
    changed = {name for name in before if after[name] != before[name]}
    assert "hypercut/tiny/iris CSC · clean" in changed
    assert not [name for name in changed if "CSC" not in name and "report" not in name]


def test_a_killed_run_is_resumed_with_the_same_outcome(finished: Project, fresh: Callable[[], Project]) -> None:
    """SIGKILL Snakemake and a process of a job, then run on one core. The finished run had four, and no server."""
    project = fresh()
    project.kill("clusters/*/*/*.parquet", 3)
    assert unlock(project).returncode == 0
    assert not [command for _, command in processes(project.folder) if "hypercut" in command]
    for path in project.results.glob("clusters/*/*/*.parquet"):
        if set(read_rows(path)["status"]) & {"crashed"}:  # its worker was killed, and the job finished
            path.unlink()
    project.run(cores=1)
    assert_same_outcome(finished, project)


STUCK = """
import time
from pathlib import Path

from sklearn.base import BaseEstimator, ClusterMixin


class Stuck(ClusterMixin, BaseEstimator):
    name = "Stuck"

    def fit(self, X, y=None):
        Path("under way").touch()
        time.sleep(1000)
"""


@pytest.mark.parametrize("reached", [os.killpg, os.kill])
def test_no_process_survives_an_interrupt(fresh: Callable[[], Project], reached) -> None:
    """Ctrl-C reaches all jobs; ``kill -INT`` only Snakemake, which then ends without waiting for them."""
    project = fresh()
    (project.folder / "stuck.py").write_text(STUCK)
    project.edit("workflow/presets/tiny.yaml", "time_limit: 10", "time_limit: 1000")
    project.append("workflow/presets/tiny.yaml", "\nalgorithms: {Stuck: {module: stuck.py}}\n")
    target = "results/tiny/clusters/iris/clean/Stuck.parquet"
    run = subprocess.Popen(
        project.command(target),
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + SECONDS
    while not (project.folder / "under way").exists():
        assert run.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    at_work = [pid for pid, command in processes(project.folder) if "hypercut.steps" in command]
    assert at_work
    while run.poll() is None:
        assert time.monotonic() < deadline
        with contextlib.suppress(ProcessLookupError):
            reached(run.pid, signal.SIGINT)
        time.sleep(0.5)
    while processes(project.folder):
        assert time.monotonic() < deadline, processes(project.folder)
        time.sleep(0.1)
    project.edit("stuck.py", "time.sleep(1000)", "self.labels_ = [0, 1] * 30\n        return self")
    project.run(target)
    assert set(read_rows(project.folder / target)["status"]) == {"ok"}


TELLS = """
import os
import time
from pathlib import Path

from sklearn.base import BaseEstimator, ClusterMixin


class Tells(ClusterMixin, BaseEstimator):
    name = "Tells"

    def fit(self, X, y=None):
        while "HYPERCUT_SERVER" in os.environ and not Path(os.environ["HYPERCUT_SERVER"]).exists():
            time.sleep(0.1)
        with open("told", "a") as told:
            print(Path("/proc/self/cmdline").read_text(), file=told)
        self.labels_ = [0, 1] * 30
        return self
"""


def test_jobs_are_forked_by_the_server_of_the_run(fresh: Callable[[], Project]) -> None:
    """Of two jobs on one core, the first may be a program: it waits until the server has started."""
    project = fresh()
    (project.folder / "tells.py").write_text(TELLS)
    project.edit("workflow/presets/tiny.yaml", "time_limit: 10", "time_limit: 1000")
    project.append("workflow/presets/tiny.yaml", "\nalgorithms: {Tells: {module: tells.py}}\n")
    targets = [f"results/tiny/clusters/iris/{setting}/Tells.parquet" for setting in ("clean", "noise-L5")]
    for variables, forked in (({}, True), ({"HYPERCUT_WARM": "0"}, False)):
        project.run("--forcerun", "cluster", "--", *targets, cores=1, **variables)
        last = (project.folder / "told").read_text().splitlines()[-1]
        assert ("hypercut.steps._server" in last) == forked
        assert not processes(project.folder)


def test_partial_files_of_killed_jobs_are_deleted(project: Project) -> None:
    with subprocess.Popen(["true"]) as dead:
        pass
    halves = [
        project.results / f".report.{dead.pid}.part" / "tables" / "table1.csv",
        project.results / "clusters" / "iris" / "clean" / f".CSC.parquet.{dead.pid}.part",
    ]
    under_way = project.results / f".tracking.json.{os.getpid()}.part"
    for path in (*halves, under_way):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half")
    project.run("results/tiny/config.json", "--forcerun", "configuration")
    assert list(project.results.rglob("*.part")) == [under_way]


def test_a_lock_is_removed_only_if_its_owner_is_gone(project: Project, tmp_path: Path) -> None:
    lock = project.folder / ".snakemake" / "locks" / "0.input.lock"
    lock.parent.mkdir(exist_ok=True)
    lock.write_text("results\n")
    program = tmp_path / "snakemake"
    program.write_text("import time\nprint('here', flush=True)\ntime.sleep(100)\n")
    owner = subprocess.Popen([sys.executable, program], cwd=project.folder, stdout=subprocess.PIPE)
    with owner:
        owner.stdout.readline()
        refused = unlock(project)
        owner.kill()
    assert refused.returncode == 1
    assert f"process {owner.pid}" in refused.stderr
    assert lock.exists()
    assert unlock(project).returncode == 0
    assert not lock.exists()


def unlock(project: Project) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "workflow/scripts/clear_stale_lock.py"],
        cwd=project.folder,
        env=project.environment(),
        capture_output=True,
        text=True,
    )


BAD = """
import time

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin


class Base(ClusterMixin, BaseEstimator):
    def __init__(self, n_clusters=8):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        self.labels_ = self.answer(len(X))
        return self


class Raises(Base):
    name = "Raises"

    def answer(self, n):
        raise ArithmeticError("no such luck")


class NeverEnds(Base):
    name = "Never ends"

    def answer(self, n):
        while True:
            time.sleep(1)


class Dies(Base):
    name = "Dies"

    def answer(self, n):
        import os

        os.kill(os.getpid(), 9)


class TooShort(Base):
    name = "Too short"

    def answer(self, n):
        return np.zeros(n - 1)


class NotNumbers(Base):
    name = "NaN"

    def answer(self, n):
        return np.full(n, np.nan)


class OneCluster(Base):
    name = "One cluster"

    def answer(self, n):
        return np.zeros(n, dtype=int)
"""
EXPECTED = {
    "Raises": ("failed", "ArithmeticError: no such luck"),
    "Never ends": ("timeout", "no result after"),
    "Dies": ("crashed", "SIGKILL"),
    "Too short": ("invalid", r"expected 60 labels, found an array of shape \(59,\)"),
    "NaN": ("invalid", "expected integer labels, found float64"),
    "One cluster": ("invalid", "expected at least two clusters, found one"),
    "Does not load": ("failed", "ModuleNotFoundError: No module named 'nowhere'"),
}


def test_failing_algorithms_have_rows(project: Project) -> None:
    (project.folder / "bad.py").write_text(BAD)
    (project.folder / "worse.py").write_text("import nowhere\nclass Worse:\n    name = 'Does not load'\n")
    entries = "\n".join(
        f"  {name}: {{module: {'worse.py' if name == 'Does not load' else 'bad.py'}}}" for name in EXPECTED
    )
    preset = project.folder / "workflow/presets/tiny.yaml"
    text = re.sub(r"  digits: .*\n", "", preset.read_text()).replace("subset: 60}", "subset: 60, corruptions: []}")
    preset.write_text(f"{text}\nalgorithms:\n{entries}\n")
    output = project.run()
    assert re.search(r"^iris · clean · Raises: 2 of 2 clusterings failed \(failed: Arithm", output, flags=re.MULTILINE)
    assert re.search(r"^Done: (\d+) of \1 jobs with \d+ clusterings in ", output, flags=re.MULTILINE)
    assert re.search(r"^Failed clusterings: .* and 2 more\. hypercut status results/tiny", output, flags=re.MULTILINE)
    table = read_rows(project.results / "table.parquet")
    for name, (status, message) in EXPECTED.items():
        rows = table[table["algorithm"] == name]
        assert set(rows["status"]) == {status}, name
        assert rows["message"].str.contains(message).all(), name
        assert rows["nmi"].isna().all()
    assert set(table.loc[~table["algorithm"].isin(EXPECTED), "status"]) <= {"ok", "degenerate", "not_converged"}
    page = (project.results / "report" / "index.html").read_text(encoding="utf-8")
    assert "timeout" in page
    assert "Never ends" in page


def test_an_unreachable_tracking_server(project: Project) -> None:
    """All other jobs complete, the message says what to do, and a later run syncs."""
    (project.results / "tracking.json").unlink()
    (project.results / "report" / "index.html").unlink()
    output = project.run(status=1, MLFLOW_TRACKING_URI="http://127.0.0.1:9")
    assert re.search(r"^\S+  1/\d  .*report +", output, flags=re.MULTILINE)
    assert "\nFailed: track.\n" in output
    assert "\nReport: results/tiny/report/index.html\n" in output
    assert "FAILED with status 2: results/tiny/tracking.json" in output
    assert "http://127.0.0.1:9: the MLflow server failed or did not answer" in output
    assert "To retry it alone: snakemake --cores 1 --config preset=tiny -- 'results/tiny/tracking.json'" in output
    assert (project.results / "report" / "index.html").exists()
    assert not (project.results / "tracking.json").exists()
    assert project.planned() == {"track", "all"}
    project.run()
    assert (project.results / "tracking.json").exists()


def test_the_full_benchmark_can_be_planned(fresh: Callable[[], Project]) -> None:
    project = fresh()
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--dry-run", "--quiet", "rules"]
    full = subprocess.run(
        command,
        cwd=project.folder,
        env=project.environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=SECONDS,
    )
    summary = re.search(r"^[\d,]+ jobs: (.*)$", full.stdout, flags=re.MULTILINE)[1]
    counts = {rule: int(count) for count, rule in map(str.split, summary.split(", "))}
    settings = 10 * 14
    algorithms = 14
    assert counts["cluster"] == settings * algorithms
    assert f"iris · clean, {', '.join(f'noise-L{level}' for level in range(1, 11))}, outlier-L1" in full.stdout
    changed = 7 * 6  # three readings of the features and three of the noise, on seven datasets
    assert counts["overcluster"] == counts["corrupt"] == settings + changed
    assert counts["best_scale"] == 7
    assert counts["vary"] > 30


def test_presets_run_own_datasets_and_algorithms_unless_they_leave_them_out(fresh: Callable[[], Project]) -> None:
    """At most as many samples as a preset asks for, and no more than there are."""
    project = fresh()
    (project.folder / "mine.csv").write_text("a,b,kind\n" + "1,2,x\n2,1,y\n" * 10)
    (project.folder / "mine.py").write_text("class Mine:\n    name = 'Mine'\n")
    project.edit("config.yaml", "datasets:\n", "datasets:\n  mine: {path: mine.csv, label_column: kind}\n")
    project.edit("config.yaml", "algorithms: {}", "algorithms: {Mine: {module: mine.py}}")
    assert not [job for job in project.planned() if "mine" in job.lower()]
    project.edit("workflow/presets/tiny.yaml", "own: false", "own: {subset: 400, corruptions: []}")
    output = project.run("--dry-run")
    assert "datasets.mine: all 20 samples are used, since there are no more (subset: 400)." in output
    assert re.search(r"^cluster +mine · clean: AK\+NC, .*Mine", output, flags=re.MULTILINE)


def test_an_input_error_is_not_retried(fresh: Callable[[], Project]) -> None:
    """Downloads are, by the step itself."""
    project = fresh()
    (project.folder / "mine.csv").write_text("a,b,kind\n1,2,x\n3,4,y\n")
    project.edit("config.yaml", "datasets:\n", "datasets:\n  mine: {path: mine.csv, label_column: kinds}\n")
    project.edit("workflow/presets/tiny.yaml", "own: false", "own: {corruptions: []}")
    # A profile for a cluster retries failed jobs.
    output = project.run("--retries", "1", "--", "data/mine/manifest.json", status=1)
    assert "Trying again" not in output
    assert output.count("expected a column 'kinds' with the labels") == 1
    assert "Did you mean 'kind'?" in output


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("repeat: 3", "unknown key 'repeat'; allowed: .* Did you mean 'repeats'"),
        ("repeats: 0", "repeats = 0: expected a whole number of at least 1"),
        ("leave_out: [XYZ]", "leave_out: unknown name 'XYZ'; available: AK"),
        ("algorithms: {Mine: {module: nowhere.py}}", "nowhere.py: no such Python module"),
        ("datasets: {mine: {}}", "datasets: unknown name 'mine'; available: corel"),
        ("datasets: {iris: {weights: [0.8, 0.4]}}", r"datasets.iris.weights = \[0.8, 0.4\]: expected α \+ β ≤ 1"),
    ],
)
def test_errors_in_the_configuration(fresh: Callable[[], Project], change: str, message: str) -> None:
    project = fresh()
    project.preset = "bad.yaml"
    (project.folder / "bad.yaml").write_text(change + "\nsweeps: {datasets: []}\n")
    output = project.run("--dry-run", status=1)
    assert re.search(message, output), output[-2000:]


def test_the_password_of_a_mirror_is_neither_written_nor_printed(fresh: Callable[[], Project]) -> None:
    project = fresh()
    mirror = "http://me:s3cret/word@127.0.0.1:9/data"  # connection refused, so that Snakemake prints the failed job
    project.edit(
        "workflow/presets/tiny.yaml", "mirror: null\n  on_missing: standin", f'mirror: "{mirror}"\n  on_missing: fail'
    )
    project.edit("workflow/presets/tiny.yaml", "datasets:\n", "datasets:\n  orl: {subset: 40}\n")
    targets = ["data/orl/manifest.json", "results/tiny/config.json"]
    output = project.run("--", *targets, status=1)
    assert "s3cret" not in output
    found = [path for path in project.folder.rglob("*") if path.is_file() and b"s3cret" in path.read_bytes()]
    assert [path.name for path in found] == ["tiny.yaml"]
