"""Jobs: every clustering becomes a row, whether it succeeds, fails, hangs or crashes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hypercut import PKOHSC
from hypercut.benchmark.code import clustering_code, overclustering_code
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.metrics import evaluate
from hypercut.results.rows import METRICS, read_result, read_rows, write_rows
from hypercut.run.failures import Status
from hypercut.run.overclustering import load_overclusterings
from hypercut.run.problems import load_problem, make_problem
from hypercut.run.worker import LOG_BYTES
from hypercut.selection import neighbor_information
from tests.rows import ORIGIN
from tests.run import blobs
from tests.run.blobs import MADE, Features, limits, method, rows_of

pytestmark = pytest.mark.slow


def test_rows_agree_with_the_estimator(saved: Path) -> None:
    parameters = {"alpha": 0.6, "beta": 0.2}
    problem = load_problem(saved)
    rows = rows_of(saved, "PKO+HSC", parameters=[parameters])
    assert [(row["repeat"], row["sigma_factor"]) for row in rows] == [(0, 0.4), (0, 1.0), (1, 0.4), (1, 1.0)]
    for row in rows:
        samples = Samples.from_features(problem.draw(row["repeat"]))
        sigma = row["sigma_factor"] * samples.mean_distance
        expected = PKOHSC(3, **parameters).cluster(Hypergraphs(samples, sigma), problem.seed(row["repeat"]))
        np.testing.assert_array_equal(row["labels"], expected.labels)
        assert row["sigma"] == pytest.approx(sigma)
        assert {name: row[name] for name in METRICS} == pytest.approx(evaluate(problem.y, expected.labels))
        assert (row["dataset"], row["setting"], row["corruption"], row["level"]) == ("blobs", "noise-L2", "noise", 0.4)
        assert json.loads(row["parameters"]) == parameters
        assert row["wall_seconds"] > 0
        assert row["peak_bytes"] > 10_000_000
    for repeat in (0, 1):
        pair = [row for row in rows if row["repeat"] == repeat]
        samples = Samples.from_features(problem.draw(repeat))
        scores = neighbor_information(samples, [np.array(row["labels"]) for row in pair])
        assert [row["neighbor_information"] for row in pair] == pytest.approx(scores)


def test_scores_compare_with_the_classes_of_the_repeat(tmp_path: Path) -> None:
    problem = make_problem("blobs", blobs.resampled(), setting="noise-L2", level=0.4, draws=3)
    path = blobs.saved(tmp_path / "p.npz", problem)
    assert not np.array_equal(problem.classes(0), problem.classes(1))
    assert [row["nmi"] for row in rows_of(path, "true labels", repeats=3)] == pytest.approx([1, 1, 1])
    for row in rows_of(path, "PKO+HSC", sigma_factors=[1.0], repeats=3):
        assert (row["n_samples"], row["n_clusters"], len(row["labels"])) == (45, 3, 45)
        assert row["nmi"] == pytest.approx(evaluate(problem.classes(row["repeat"]), np.array(row["labels"]))["nmi"])


def run_step(step: str, recipe: dict, arguments: list, environment: dict[str, str] | None = None, log=None) -> None:
    """Run a step as a program."""
    command = [sys.executable, "-m", f"hypercut.steps.{step}", json.dumps(recipe), *arguments]
    command += ["--limits", json.dumps(limits(250))]
    subprocess.run(command, env=environment, check=True, stdout=log, stderr=log)


def test_results_do_not_depend_on_the_number_of_threads(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    y = np.arange(700) % 3  # several blocks of rows, see hypercut.core.blocks
    features = Features(rng.normal(size=(700, 60)) + 1.5 * np.eye(3, 60)[y], y, blobs.PROVENANCE)
    path = blobs.saved(tmp_path / "p.npz", make_problem("blobs", features, setting="clean", level=0.0, draws=1))
    grid = {"repeats": 1, "sigma_factors": [0.4]}
    step = blobs.job(path, "PKO+HSC", **grid).recipe["cluster"]
    recipe = {**MADE, "overcluster": {**grid, "code": overclustering_code()}}
    whole = {**recipe, "cluster": {**step, "parameters": [{}], "code": clustering_code(step["module"])}}
    outcomes = []
    for threads in ("1", "2"):
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        shared, out = tmp_path / f"o{threads}.npz", tmp_path / f"{threads}.parquet"
        run_step("overcluster", recipe, ["--problem", path, "--out", shared], environment)
        run_step("cluster", whole, ["--problem", path, "--overclustering", shared, "--out", out], environment)
        rows, origin = read_result(out, labels=True)
        assert origin["recipe"] == {**json.loads(json.dumps(whole)), "data": {"kind": "own", "identity": "da7a"}}
        labels = load_overclusterings(shared).labels.tolist(), rows["labels"][0].tolist()
        outcomes.append((*labels, json.loads(rows["solver"][0])))
    assert outcomes[0] == outcomes[1]


def test_an_algorithm_without_sigma_runs_once_per_repeat(saved: Path) -> None:
    rows = rows_of(saved, "STSC")
    assert [(row["repeat"], row["sigma_factor"]) for row in rows] == [(0, None), (1, None)]
    assert all("neighbor_information" not in row for row in rows)


def test_roles_of_methods_and_only_controls_receive_the_true_classes(saved: Path) -> None:
    (truth, _) = rows_of(saved, "true labels")
    assert (truth["nmi"], truth["role"]) == (1.0, "control")
    (kmeans, _) = rows_of(saved, "KMeans")
    assert (kmeans["role"], kmeans["status"]) == ("baseline", "ok")
    (beyond, _) = rows_of(saved, "AK+NC without K")
    assert (beyond["role"], beyond["n_iter"] >= 1) == ("beyond", True)
    assert json.loads(beyond["solver"])["view"]


def test_a_sweep_runs_every_combination_and_invalid_ones_fail(saved: Path) -> None:
    combinations = [{"n_neighbors": 3}, {"n_neighbors": 5}, {"alpha": 2}, {"gamma": 1}]
    rows = rows_of(saved, "PKO+HSC", parameters=combinations, repeats=1, variation="neighbors")
    assert {row["variation"] for row in rows} == {"neighbors"}
    assert [json.loads(row["parameters"]) for row in rows] == combinations * 2
    assert [row["status"] for row in rows] == [Status.OK, Status.OK, Status.FAILED, Status.FAILED] * 2
    assert re.match("InputError: .*alpha.*found 2", rows[2]["message"])
    assert re.match("TypeError: .*gamma", rows[3]["message"])


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("raise SystemExit(3)", "failed", "SystemExit: 3"),
        ("import os; os._exit(3)", "crashed", "while loading its module: the process ended with exit status 3"),
        ("import time; time.sleep(1000)", "timeout", "while loading its module: no result after"),
        ("import nowhere", "failed", "ModuleNotFoundError: No module named 'nowhere'"),
    ],
)
def test_a_module_that_cannot_be_loaded_is_a_failure(
    saved: Path, tmp_path: Path, line: str, status: str, message: str
) -> None:
    (tmp_path / "bad.py").write_text(f"{line}\nclass Bad:\n    name = 'Bad'\n")
    rows = rows_of(saved, "Bad", str(tmp_path / "bad.py"), limits=limits(5))
    assert [row["status"] for row in rows] == [status] * 2
    assert all(message in row["message"] for row in rows)


MEMORY_ERROR = """
used = 4096 * int(open('/proc/self/statm').read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, -1))
kept = []
while True: kept.append(bytearray(2**24))
"""
#: What a method does → status and message.
OUTCOMES = {
    "raise ValueError(os.fsdecode(b'caf\\xe9'))": ("failed", r"ValueError: caf\\udce9"),
    "sys.exit('bye')": ("failed", "SystemExit: bye"),
    "raise KeyboardInterrupt('kb')": ("failed", "KeyboardInterrupt: kb"),
    "class E(Exception):\n    def __str__(self): raise ValueError\nraise E": ("failed", "E"),
    "raise ArithmeticError('no ' * 9999 + '\\nluck')": ("failed", "ArithmeticError: no no.*"),
    "self.n_iter_ = 10**30": ("ok", ""),
    "self.solver_ = {1: 2, 'a': object()}": ("ok", ""),
    "self.status_ = 'fine'": ("ok", ""),
    "ctypes.string_at(0)": ("crashed", ".*SIGSEGV.*"),
    MEMORY_ERROR: ("memory", "MemoryError"),
}


def test_odd_errors_and_attributes_still_give_rows(saved: Path, tmp_path: Path) -> None:
    """The row has a message of one line and the end of the traceback."""
    module = method(tmp_path, "exec(self.code)", head="    def __init__(self, code=''): self.code = code\n")
    rows = rows_of(saved, "Mine", module, parameters=[{"code": code} for code in OUTCOMES], repeats=1)
    write_rows(tmp_path / "rows.parquet", rows, ORIGIN)
    for row, (status, message) in zip(
        read_rows(tmp_path / "rows.parquet").itertuples(), OUTCOMES.values(), strict=True
    ):
        assert row.status == status
        assert re.fullmatch(message, row.message)
        if status == "ok":
            assert pd.isna(row.traceback)
        else:
            assert re.search(r"mine\.py.* line \d+,? in fit", row.traceback)
            assert len(row.message) + len(row.traceback) < 5000


def test_labels_beyond_32_bits_are_invalid(saved: Path, tmp_path: Path) -> None:
    body = "self.labels_ = np.arange(len(X)) + np.iinfo(np.int64).min\nreturn self"
    assert {row["status"] for row in rows_of(saved, "Mine", method(tmp_path, body))} == {"invalid"}


@pytest.mark.parametrize("score", ["float('nan')", "7.0", "None"])
def test_scores_that_cannot_be_are_invalid(saved: Path, tmp_path: Path, score: str) -> None:
    """The method has changed the metrics."""
    body = (
        "import hypercut.metrics, hypercut.run.clustering as clustering\n"
        f"evaluate = lambda *_: {{**hypercut.metrics.evaluate([0, 1], [0, 1]), 'nmi': {score}}}\n"
        "clustering.evaluate = evaluate\n"
        "self.labels_ = np.arange(len(X)) % 3\nreturn self"
    )
    for row in rows_of(saved, "Mine", method(tmp_path, body)):
        assert row["status"] == Status.INVALID
        assert "expected nmi from 0 to 1" in row["message"]
        assert not {*METRICS, "labels"} & row.keys()


@pytest.mark.parametrize(
    "failure", ["1 / 0", "__import__('os').abort()", "__import__('time').sleep(1000)", "[float('inf')]"]
)
def test_a_clustering_without_a_score_is_kept(saved: Path, tmp_path: Path, failure: str) -> None:
    (tmp_path / "mine.py").write_text(
        "from hypercut import CSC\n"
        "class Mine(CSC):\n"
        "    name = 'Mine'\n"
        "    @classmethod\n"
        "    def runs(cls, *arguments):\n"
        "        runs = super().runs(*arguments)\n"
        f"        runs.scores = lambda repeat, labelings: {failure}\n"
        "        return runs\n"
    )
    for row in rows_of(saved, "Mine", str(tmp_path / "mine.py"), repeats=1, limits=limits(10)):
        assert row["status"] == Status.OK
        assert row["labels"] is not None
        assert row["neighbor_information"] is None


def test_attributes_that_the_workflow_reads_must_be_right(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "heir.py").write_text("from hypercut import PKOHSC\nclass Mine(PKOHSC):\n    name = 'Mine'\n")
    (row, _) = rows_of(saved, "Mine", str(tmp_path / "heir.py"))
    assert row["status"] == Status.FAILED
    assert "uses = ('weights', 'overclustering')" in row["message"]
    (row, _) = rows_of(saved, "Mine", method(tmp_path, "pass", head="    has_sigma = True\n"))
    assert row["status"] == Status.FAILED
    assert "has_sigma" in row["message"]


def test_after_consecutive_timeouts_the_rest_is_skipped(saved: Path, tmp_path: Path) -> None:
    slow = method(tmp_path, "time.sleep(100)")
    rows = rows_of(saved, "Mine", slow, repeats=4, limits=limits(0.2, in_a_row=2))
    assert [row["status"] for row in rows] == [Status.TIMEOUT] * 2 + [Status.SKIPPED] * 2


def test_the_time_limit_covers_the_preparation(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "stuck.py").write_text(
        "import time\n"
        "from hypercut import CSC\n"
        "class Stuck(CSC):\n"
        "    name = 'Stuck'\n"
        "    def validated(self):\n"
        "        time.sleep(1000)\n"
    )
    rows = rows_of(saved, "Stuck", str(tmp_path / "stuck.py"), limits=limits(5, in_a_row=1))
    assert [row["status"] for row in rows] == [Status.TIMEOUT, *[Status.SKIPPED] * 3]


def test_endless_output_is_truncated_in_the_log(saved: Path, tmp_path: Path) -> None:
    module = method(tmp_path, "for _ in range(100):\n    os.write(1, bytes(2**20))\n    os.write(2, bytes(2**20))")
    step = blobs.job(saved, "Mine", module).recipe["cluster"]
    recipe = {**MADE, "cluster": {**step, "parameters": [{}], "code": clustering_code(module)}}
    out, log = tmp_path / "rows.parquet", tmp_path / "log"
    with log.open("wb") as file:
        run_step("cluster", recipe, ["--problem", saved, "--out", out], log=file)
    assert set(read_rows(out)["status"]) == {Status.OK}
    assert LOG_BYTES < log.stat().st_size < 2 * LOG_BYTES
    assert "output truncated after" in log.read_text(errors="replace")


def test_a_step_refuses_code_that_was_edited_after_the_workflow_had_started(saved: Path, tmp_path: Path) -> None:
    step = blobs.job(saved, "CSC").recipe["cluster"]
    recipe = {**MADE, "cluster": {**step, "parameters": [{}], "code": "other"}}
    with (tmp_path / "log").open("wb") as log, pytest.raises(subprocess.CalledProcessError):
        run_step("cluster", recipe, ["--problem", saved, "--out", tmp_path / "rows.parquet"], log=log)
    assert "was edited" in (tmp_path / "log").read_text()
    assert not (tmp_path / "rows.parquet").exists()
