"""The real Snakefile: complete and killed runs, failing algorithms, an unreachable tracking server."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from mlflow import MlflowClient

from hypercut.results.rows import read_rows
from hypercut.run.failures import FAILURES
from tests import golden
from tests.workflow.project import SECONDS, TINY, Project, assert_same_outcome, methods, processes, wait_for

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


def test_its_rows_are_the_recorded_ones(finished: Project) -> None:
    assert golden.rows(finished.results) == golden.expected("rows")


def test_the_report_of_snakemake_contains_the_page_and_the_figures(project: Project) -> None:
    project.run("--report", "report.zip")
    with ZipFile(project.folder / "report.zip") as archive:
        names = {Path(name).name for name in archive.namelist()}
        captions = archive.read("report/report.html").decode()
    figures = {path.name for path in project.results.glob("report/figures/*.svg")}
    assert figures
    assert {"index.html", "appendix.html", *figures} <= names
    assert "Whether the paper's claims hold" in captions
    assert f"The figure <strong>{Path(min(figures)).stem}</strong>" in captions


def test_the_plan_is_written(project: Project) -> None:
    project.run("--", "plan")
    assert (project.results / "plan.txt").stat().st_size


def test_mlflow_has_each_result_once(finished: Project) -> None:
    client = MlflowClient(f"sqlite:///{finished.results}/mlflow.db")
    experiments = {found.experiment_id: found.name for found in client.search_experiments()}
    runs = client.search_runs(list(experiments), max_results=10_000)
    names = [(experiments[run.info.experiment_id], run.info.run_name) for run in runs]
    assert len({*names}) == len(names)
    assert sum(experiment == "hypercut/tiny/iris" for experiment, _ in names) == 2 * 11 + 3 + 4


def test_a_killed_run_is_resumed_with_the_same_outcome(finished: Project, fresh: Callable[[], Project]) -> None:
    """SIGKILL Snakemake and a process of a job, then run on one core. The finished run had four."""
    project = fresh()
    project.kill("clusters/*/*/*.parquet", 3)
    wait_for(lambda: unlock(project) == 0)
    assert not [command for _, command in processes(project.folder) if "hypercut" in command]
    for path in project.results.glob("clusters/*/*/*.parquet"):
        if set(read_rows(path)["status"]) & {"crashed"}:  # its worker was killed, and the job finished
            path.unlink()
    project.run(cores=1)
    assert_same_outcome(finished, project)


@pytest.mark.parametrize("reached", [os.killpg, os.kill])
def test_no_process_survives_an_interrupt(fresh: Callable[[], Project], reached) -> None:
    """Ctrl-C reaches all jobs; ``kill -INT`` only Snakemake, which then ends without waiting for them."""
    project = fresh()
    project.edit(TINY, "time_limit: 10", "time_limit: 1000")
    project.add_methods(Stuck="Path('under way').touch()\nsleep(1000)")
    target = "results/tiny/clusters/iris/clean/Stuck.parquet"
    run = project.start(target, start_new_session=True)
    wait_for(lambda: (project.folder / "under way").exists() or run.poll() is not None)
    assert any("hypercut.steps" in command for _, command in processes(project.folder))
    while run.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            reached(run.pid, signal.SIGINT)
        time.sleep(0.5)
    wait_for(lambda: not processes(project.folder))
    project.edit("methods.py", "sleep(1000)", "")
    project.run(target)
    assert set(read_rows(project.folder / target)["status"]) == {"ok"}


TELLS = """
while "HYPERCUT_SERVER" in os.environ and not Path(os.environ["HYPERCUT_SERVER"]).exists():
    sleep(0.1)
with open("told", "a") as told:
    print(Path("/proc/self/cmdline").read_text(), file=told)
"""


def test_jobs_are_forked_by_the_server_of_the_run(fresh: Callable[[], Project]) -> None:
    """Of two jobs on one core, the first may be a program: it waits until the server has started."""
    project = fresh()
    project.edit(TINY, "time_limit: 10", "time_limit: 1000")
    project.add_methods(Tells=TELLS)
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


def test_a_lock_is_removed_only_if_its_owner_is_gone(project: Project) -> None:
    def locks() -> list[Path]:
        return list((project.folder / ".snakemake" / "locks").glob("*"))

    with project.start("--forcerun", "cluster") as owner:
        wait_for(lambda: locks() or owner.poll() is not None)
        assert unlock(project) == 1
        assert owner.poll() is None
        assert locks()
        owner.kill()
    wait_for(lambda: unlock(project) == 0)
    assert not locks()


def unlock(project: Project) -> int:
    command = [sys.executable, "workflow/scripts/unlock.py"]
    return subprocess.run(command, cwd=project.folder, env=project.environment(), check=False).returncode


def test_failing_algorithms_have_rows(project: Project) -> None:
    project.add_methods(raises="raise ArithmeticError('no such luck')", dies="os.kill(os.getpid(), 9)")
    (project.folder / "worse.py").write_text("import nowhere\nclass Worse:\n    name = 'worse'\n")
    project.edit(TINY, "algorithms: {", "algorithms: {worse: {module: worse.py}, ")
    output = project.run()
    assert "Failed jobs: none" in output
    assert re.search("Failed clusterings: .*6 of raises", output)
    table = read_rows(project.results / "table.parquet").set_index("algorithm")
    for name, status in {"raises": "failed", "dies": "crashed", "worse": "failed"}.items():
        assert set(table.loc[name, "status"]) == {status}, name
        assert table.loc[name, "nmi"].isna().all()
    assert table.loc["raises", "message"].str.contains("no such luck").all()
    assert set(table["status"]) <= {"ok", "degenerate", "not_converged", "failed", "crashed"}
    assert "no such luck" in (project.results / "report" / "appendix.html").read_text(encoding="utf-8")


def test_an_unreachable_tracking_server(project: Project) -> None:
    """All other jobs complete, the message says what to do, and a later run syncs."""
    (project.results / "tracking.json").unlink()
    (project.results / "report" / "index.html").unlink()
    output = project.run(status=1, MLFLOW_TRACKING_URI="http://127.0.0.1:9")
    for line in ("Failed jobs: track", "Report: results/tiny/report/index.html", "http://127.0.0.1:9"):
        assert line in output
    assert "To retry it alone: snakemake --cores 1 --config preset=tiny -- 'results/tiny/tracking.json'" in output
    assert (project.results / "report" / "index.html").exists()
    assert not (project.results / "tracking.json").exists()
    assert project.planned() == {"track", "all"}
    project.run()
    assert (project.results / "tracking.json").exists()


def test_the_full_benchmark_can_be_planned(fresh: Callable[[], Project]) -> None:
    project = fresh()
    project.preset = ""
    jobs = Counter((job.partition(" ")[0], job.count("/")) for job in project.planned())
    settings, algorithms = 13 * 14, 14
    # Readings of features at three settings of seven datasets, one of them for two datasets; of noise at one setting.
    changed = 3 * 3 * 7 + 3 * 2 + 3 * 7
    assert jobs["cluster", 2] == settings * algorithms
    assert jobs["overcluster", 1] == jobs["corrupt", 1] == settings + changed
    assert jobs["cluster", 3] > 30  # sweeps and readings


def test_presets_run_own_datasets_and_algorithms_unless_they_leave_them_out(fresh: Callable[[], Project]) -> None:
    project = fresh()
    (project.folder / "mine.csv").write_text("a,b,kind\n" + "1,2,x\n2,1,y\n" * 10)
    (project.folder / "mine.py").write_text(methods(Mine=""))
    project.edit("config.yaml", "datasets:\n", "datasets:\n  mine: {path: mine.csv, label_column: kind}\n")
    project.edit("config.yaml", "algorithms: {}", "algorithms: {Mine: {module: mine.py}}")
    assert not [job for job in project.planned() if "mine" in job.lower()]
    project.edit(TINY, "own: false", "own: {subset: 400, corruptions: []}")
    assert "cluster mine/clean/Mine" in project.planned()


def test_an_input_error_is_not_retried(fresh: Callable[[], Project]) -> None:
    """Snakemake does not retry this job, since the step retries downloads."""
    project = fresh()
    (project.folder / "mine.csv").write_text("a,b,kind\n1,2,x\n3,4,y\n")
    project.edit("config.yaml", "datasets:\n", "datasets:\n  mine: {path: mine.csv, label_column: kinds}\n")
    project.edit(TINY, "own: false", "own: {corruptions: []}")
    # A profile for a cluster retries failed jobs.
    output = project.run("--retries", "1", "--", "data/mine/manifest.json", status=1)
    assert "Trying to restart" not in output
    assert output.count("expected a column 'kinds' with the labels") == 1
    assert "Did you mean 'kind'?" in output


def test_an_error_in_the_configuration(fresh: Callable[[], Project]) -> None:
    project = fresh()
    project.edit(TINY, "time_limit: 10", "time_limits: 10")
    assert "unknown key 'time_limits'" in project.run("--dry-run", status=1)


def test_the_password_of_a_mirror_is_neither_written_nor_printed(fresh: Callable[[], Project]) -> None:
    project = fresh()
    mirror = "http://me:s3cret/word@127.0.0.1:9/data"  # connection refused, so that Snakemake prints the failed job
    project.edit(TINY, "mirror: null\n  on_missing: standin", f'mirror: "{mirror}"\n  on_missing: fail')
    project.edit(TINY, "datasets:\n", "datasets:\n  orl: {subset: 40}\n")
    targets = ["data/orl/manifest.json", "results/tiny/config.json"]
    output = project.run("--", *targets, status=1)
    assert "s3cret" not in output
    found = [path for path in project.folder.rglob("*") if path.is_file() and b"s3cret" in path.read_bytes()]
    assert [path.name for path in found] == ["tiny.yaml"]
