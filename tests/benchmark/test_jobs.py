"""Jobs: every clustering becomes a row, whether it succeeds, fails, hangs or crashes."""

import argparse
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from hypercut import PKOHSC
from hypercut.benchmark import code
from hypercut.benchmark.communities import empty_communities, load_communities, save_communities
from hypercut.benchmark.failures import Failure
from hypercut.benchmark.jobs import Job, run_job
from hypercut.benchmark.overclustering import CommunityFinder
from hypercut.benchmark.problems import Problem, load_problem, make_problem, save_problem
from hypercut.benchmark.rows import Status, read_rows, write_rows
from hypercut.benchmark.worker import LOG_BYTES, Limits
from hypercut.core.blocks import blas_threads
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.data.corruption import corrupt
from hypercut.data.features.file import Features
from hypercut.errors import InputError
from hypercut.metrics import evaluate
from hypercut.selection import neighbor_information
from hypercut.steps.overcluster import run
from tests.rows import ORIGIN

pytestmark = pytest.mark.slow

SHARED = ("weights", "communities")
PROVENANCE = {"kind": "own", "complete": True}


@pytest.fixture
def problem() -> Problem:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 15)
    X = rng.normal(size=(45, 4)) + 6 * np.eye(3, 4)[y]
    return make_problem("blobs", Features(X, y, PROVENANCE), setting="noise-L2", level=0.4, draws=2)


@pytest.fixture
def saved(problem: Problem, tmp_path: Path) -> Path:
    save_problem(tmp_path / "problem.npz", problem, ORIGIN)
    return tmp_path / "problem.npz"


def rows_of(job: Job, parameters=({},), factors=(0.4, 1.0), repeats=2, limits=None, variation=""):
    limits = limits or Limits(60)
    return run_job(
        job, factors=factors, repeats=repeats, combinations=list(parameters), limits=limits, variation=variation
    )


def test_a_problem_is_the_same_after_saving_and_loading(problem: Problem, saved: Path) -> None:
    loaded = load_problem(saved)
    np.testing.assert_array_equal(loaded.draws, problem.draws)
    assert (loaded.dataset, loaded.setting, loaded.level, loaded.provenance) == ("blobs", "noise-L2", 0.4, PROVENANCE)
    assert loaded.seed(0) == problem.seed(0) != problem.seed(1)
    assert not np.array_equal(loaded.draw(0), loaded.draw(1))


def test_a_clean_problem_has_one_draw_for_all_repeats(problem: Problem) -> None:
    features = Features(problem.draw(0), problem.y, PROVENANCE)
    clean = make_problem("blobs", features, setting="clean", level=0.0, draws=1)
    assert clean.draws.shape[0] == 1
    np.testing.assert_array_equal(clean.draw(6), clean.draw(0))
    assert clean.seed(0) != clean.seed(6)


@pytest.fixture
def resampled() -> Features:
    """Each repeat has 45 of these 90 samples."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [20, 30, 40])
    X = rng.normal(size=(90, 4)) + 6 * np.eye(3, 4)[y]
    options = {"subset": 45, "seed": 0, "resample": True}
    return Features(X, y, {**PROVENANCE, "dataset": "blobs", "options": options})


def test_the_subset_of_a_repeat_is_corrupted_as_if_it_were_the_dataset(resampled: Features) -> None:
    problem = make_problem("blobs", resampled, setting="noise-L2", level=0.4, draws=3)
    clean = make_problem("blobs", resampled, setting="clean", level=0.0, draws=3)
    for repeat in range(3):
        X, y = resampled.draw(repeat)
        np.testing.assert_array_equal(clean.draw(repeat), X)
        np.testing.assert_array_equal(problem.draw(repeat), corrupt(X, "noise-L2", dataset="blobs", repeat=repeat))
        np.testing.assert_array_equal(problem.classes(repeat), y)


def test_scores_compare_with_the_classes_of_the_repeat(resampled: Features, tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    save_problem(path, make_problem("blobs", resampled, setting="noise-L2", level=0.4, draws=3), ORIGIN)
    problem = load_problem(path)
    assert not np.array_equal(problem.classes(0), problem.classes(1))
    true = rows_of(Job(path, "hypercut.algorithms.references.baselines", "true labels"), repeats=3)
    assert [row["nmi"] for row in true] == pytest.approx([1, 1, 1])
    rows = rows_of(Job(path, "hypercut.algorithms.pko_hsc", "PKO+HSC", uses=SHARED), factors=[1.0], repeats=3)
    for row in rows:
        assert (row["n_samples"], row["n_clusters"], len(row["labels"])) == (45, 3, 45)
        assert row["nmi"] == pytest.approx(evaluate(problem.classes(row["repeat"]), np.array(row["labels"]))["nmi"])


def test_an_error_for_a_damaged_problem(tmp_path: Path) -> None:
    (tmp_path / "p.npz").write_bytes(b"PK\x03\x04 nonsense")
    with pytest.raises(InputError, match=r"p\.npz: not a readable problem file"):
        load_problem(tmp_path / "p.npz")


def test_rows_agree_with_the_estimator(problem: Problem, saved: Path) -> None:
    parameters = {"alpha": 0.6, "beta": 0.2}
    rows = rows_of(Job(saved, "hypercut.algorithms.pko_hsc", "PKO+HSC", uses=SHARED), [parameters])
    assert [(row["repeat"], row["sigma_factor"]) for row in rows] == [(0, 0.4), (0, 1.0), (1, 0.4), (1, 1.0)]
    for row in rows:
        samples = Samples.from_features(problem.draw(row["repeat"]))
        sigma = row["sigma_factor"] * samples.mean_distance
        expected = PKOHSC(3, **parameters).cluster(Hypergraphs(samples, sigma), problem.seed(row["repeat"]))
        np.testing.assert_array_equal(row["labels"], expected.labels)
        assert row["sigma"] == pytest.approx(sigma)
        assert {name: row[name] for name in ("nmi", "purity", "matched_accuracy", "ari")} == pytest.approx(
            evaluate(problem.y, expected.labels)
        )
        assert (row["dataset"], row["setting"], row["corruption"], row["level"]) == ("blobs", "noise-L2", "noise", 0.4)
        assert row["parameters"] == '{"alpha": 0.6, "beta": 0.2}'
        assert row["wall_seconds"] > 0
        assert row["peak_bytes"] > 10_000_000
    for repeat in (0, 1):
        pair = [row for row in rows if row["repeat"] == repeat]
        samples = Samples.from_features(problem.draw(repeat))
        scores = neighbor_information(samples, [np.array(row["labels"]) for row in pair])
        assert [row["neighbor_information"] for row in pair] == pytest.approx(scores)


def test_communities_from_a_file_are_used(problem: Problem, saved: Path, tmp_path: Path) -> None:
    """Rows are the same with communities from a file as without; other communities give other rows."""
    job = Job(saved, "hypercut.algorithms.po_hsc", "PO+HSC", uses=SHARED)
    alone = rows_of(job)
    found = empty_communities(2, [0.4, 1.0], 45, 6)
    for repeat in range(2):
        samples = Samples.from_features(problem.draw(repeat))
        for scale, factor in enumerate((0.4, 1.0)):
            hypergraphs = Hypergraphs(samples, factor * samples.mean_distance)
            found.record(repeat, scale, (hypergraphs.communities(6, problem.seed(repeat)), 7.0))
    save_communities(tmp_path / "communities.npz", found, ORIGIN)
    given = rows_of(replace(job, communities=tmp_path / "communities.npz"))
    assert [row["labels"] for row in given] == [row["labels"] for row in alone]
    assert {row["shared_seconds"] for row in given} == {7.0}
    assert {row["shared_seconds"] for row in alone} == {0.0}
    found.labels[:] = np.arange(45) % 6
    save_communities(tmp_path / "communities.npz", found, ORIGIN)
    other = rows_of(replace(job, communities=tmp_path / "communities.npz"))
    assert [row["solver"] for row in other] != [row["solver"] for row in alone]


def test_failed_over_clusterings_are_recorded(tmp_path: Path) -> None:
    found = empty_communities(1, [0.4, 1.0], 5, 2)
    failure = Failure(Status.MEMORY, "MemoryError", "the end\nof a traceback")
    found.record(0, 0, failure)
    save_communities(tmp_path / "c.npz", found, ORIGIN)
    loaded = load_communities(tmp_path / "c.npz")
    assert loaded.find(0, 0.4).failure == failure.of("over-clustering")
    assert loaded.find(0, 1.0).failure == Failure(Status.SKIPPED, "over-clustering: not run")
    assert loaded.find(0, 0.5) is None
    assert loaded.find(3, 0.4) is None


def overcluster(problem: Path, out: Path, limits: Limits) -> None:
    run(
        argparse.Namespace(
            problem=problem,
            out=out,
            factors=[0.4, 1.0],
            repeats=2,
            time_limit=limits.seconds,
            give_up_after=limits.in_a_row,
        )
    )


def test_clusterings_fail_with_the_timeout_of_their_over_clustering(saved: Path, tmp_path: Path) -> None:
    """They do not compute the communities again. Clusterings with other communities, or none, are run."""
    overcluster(saved, tmp_path / "c.npz", Limits(1e-4, in_a_row=3))
    job = Job(saved, "hypercut.algorithms.pko_hsc", "PKO+HSC", tmp_path / "c.npz", uses=SHARED)
    rows = rows_of(job)
    assert [row["status"] for row in rows] == [*[Status.TIMEOUT] * 3, Status.SKIPPED]
    assert all(row["message"].startswith("over-clustering: no result after") for row in rows[:3])
    assert rows[3]["message"] == "over-clustering: skipped after 3 consecutive timeouts"
    assert not [row for row in rows if "labels" in row or "wall_seconds" in row]
    others = rows_of(job, [{"communities_per_cluster": 3}, {"alpha": 0.5, "beta": 0.5}], repeats=1)
    assert {row["status"] for row in others} == {Status.OK}


def test_clusterings_fail_with_the_error_of_their_over_clustering(saved: Path, tmp_path: Path, monkeypatch) -> None:
    def fails(*_):
        raise ArithmeticError("no such luck\nat all")

    monkeypatch.setattr(Hypergraphs, "communities", fails)
    failure = CommunityFinder(saved)((0, 0.4))
    assert (failure.status, failure.message) == (Status.FAILED, "ArithmeticError: no such luck")
    assert 'raise ArithmeticError("no such luck' in failure.traceback
    found = empty_communities(1, [0.4], 45, 6)
    found.record(0, 0, failure)
    save_communities(tmp_path / "c.npz", found, ORIGIN)
    job = Job(saved, "hypercut.algorithms.po_hsc", "PO+HSC", tmp_path / "c.npz", uses=SHARED)
    (row,) = rows_of(job, factors=[0.4], repeats=1)
    assert (row["status"], row["message"]) == (Status.FAILED, "over-clustering: ArithmeticError: no such luck")
    assert row["traceback"] == failure.traceback


@pytest.fixture(scope="module")
def larger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A problem with several blocks of rows, see hypercut.core.blocks."""
    rng = np.random.default_rng(1)
    y = np.arange(700) % 3
    X = rng.normal(size=(700, 60)) + 1.5 * np.eye(3, 60)[y]
    path = tmp_path_factory.mktemp("larger") / "problem.npz"
    save_problem(path, make_problem("blobs", Features(X, y, PROVENANCE), setting="clean", level=0.0, draws=1), ORIGIN)
    return path


def test_results_do_not_depend_on_the_number_of_threads(larger: Path, tmp_path: Path) -> None:
    outcomes = []
    for threads in ("1", "2"):
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        out = tmp_path / threads
        grid = [larger, "--factors", "0.4", "--repeats", "1", "--time-limit", "250"]
        method = ["--module=hypercut.algorithms.pko_hsc", "--name=PKO+HSC", "--uses", *SHARED]
        for step, arguments in (
            ("overcluster", ["--out", out / "c.npz"]),
            ("cluster", [*method, "--communities", out / "c.npz", "--out", out / "rows.parquet"]),
        ):
            command = [sys.executable, "-m", f"hypercut.steps.{step}", *grid, *arguments]
            subprocess.run(command, env=environment, check=True, capture_output=True)
        rows = read_rows(out / "rows.parquet", labels=True)
        solver = json.loads(rows["solver"][0])
        outcomes.append((load_communities(out / "c.npz").labels.tolist(), rows["labels"][0].tolist(), solver))
    assert outcomes[0] == outcomes[1]


def test_distances_use_one_thread_of_blas(larger: Path, monkeypatch) -> None:
    """The results of BLAS may depend on the number of its threads, see hypercut.core.blocks."""
    seen = []
    from_features = Samples.from_features

    def watched(X):
        seen.append(blas_threads(ThreadpoolController()))
        return from_features(X)

    monkeypatch.setattr(Samples, "from_features", watched)
    with threadpool_limits(2):
        CommunityFinder(larger)((0, 0.4))
        PKOHSC.runs(load_problem(larger), None).prepare(0, 0.4, {})
    assert seen == [1, 1]


def test_an_algorithm_without_a_scale_runs_once_per_repeat(saved: Path) -> None:
    rows = rows_of(Job(saved, "hypercut.algorithms.stsc", "STSC"))
    assert [(row["repeat"], row["sigma_factor"]) for row in rows] == [(0, None), (1, None)]
    assert all("neighbor_information" not in row for row in rows)


def test_a_clustering_with_k_estimated_records_its_solver(saved: Path) -> None:
    for row in rows_of(Job(saved, "hypercut.algorithms.references.ak_nc_without_k", "AK+NC without K")):
        assert json.loads(row["solver"])["view"]
        assert row["n_iter"] >= 1
        assert row["role"] == "beyond"


def test_methods_of_scikit_learn_do_not_depend_on_the_core() -> None:
    """An edit of the eigensolver must not rerun k-means, nor the controls."""
    modules = code.closure(["hypercut.steps.cluster", "hypercut.algorithms.references.baselines"])
    assert "hypercut.benchmark.clustering" in modules
    core = {name for name in modules if name.startswith("hypercut.core.")}
    assert core == {"hypercut.core.threads"}
    assert {name for name in modules if name.startswith("hypercut.algorithms.")} == {
        "hypercut.algorithms.references",
        "hypercut.algorithms.references.baselines",
    }
    assert "hypercut.selection" not in modules
    spectral = code.closure(["hypercut.algorithms.csc"]).keys()
    assert {"hypercut.core.hypergraphs", "hypercut.selection"} <= spectral


def test_only_controls_receive_the_true_classes(saved: Path) -> None:
    (truth, _) = rows_of(Job(saved, "hypercut.algorithms.references.baselines", "true labels"))
    assert (truth["nmi"], truth["role"]) == (1.0, "control")
    (kmeans, _) = rows_of(Job(saved, "hypercut.algorithms.references.baselines", "KMeans"))
    assert (kmeans["role"], kmeans["status"]) == ("reference", "ok")


def test_a_sweep_runs_every_combination(saved: Path) -> None:
    combinations = [{"n_neighbors": 3}, {"n_neighbors": 5}]
    rows = rows_of(
        Job(saved, "hypercut.algorithms.pko_hsc", "PKO+HSC", uses=SHARED),
        combinations,
        repeats=1,
        variation="neighbors",
    )
    assert len(rows) == 4
    assert {row["variation"] for row in rows} == {"neighbors"}
    assert len({row["parameters"] for row in rows}) == 2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"alpha": 2}, "InputError: Expected alpha between 0 and 1, found 2"), ({"gamma": 1}, "TypeError: .*gamma")],
)
def test_invalid_parameters_are_failures(saved: Path, parameters, message) -> None:
    (row,) = rows_of(
        Job(saved, "hypercut.algorithms.pko_hsc", "PKO+HSC", uses=SHARED), [parameters], factors=[1.0], repeats=1
    )
    assert row["status"] == Status.FAILED
    assert re.match(message, row["message"])


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("raise SystemExit(3)", "failed", "SystemExit: 3"),
        ("import os; os._exit(3)", "crashed", "while loading its module: the process ended with exit status 3"),
        (
            "import ctypes; ctypes.string_at(0)",
            "crashed",
            "while loading its module: the process was killed by SIGSEGV",
        ),
        ("import time; time.sleep(1000)", "timeout", "while loading its module: no result after"),
        ("import nowhere", "failed", "ModuleNotFoundError: No module named 'nowhere'"),
    ],
)
def test_a_module_that_cannot_be_loaded_is_a_failure(
    saved: Path, tmp_path: Path, line: str, status: str, message: str
) -> None:
    (tmp_path / "bad.py").write_text(f"{line}\nclass Bad:\n    name = 'Bad'\n")
    rows = rows_of(Job(saved, str(tmp_path / "bad.py"), "Bad"), limits=Limits(5))
    assert [row["status"] for row in rows] == [status] * 2
    assert all(message in row["message"] for row in rows)
    write_rows(tmp_path / "rows.parquet", rows, ORIGIN)
    assert set(read_rows(tmp_path / "rows.parquet")["status"]) == {status}


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ("raise ValueError(os.fsdecode(b'caf\\xe9'))", "failed", "ValueError: caf\\udce9"),
        ("sys.exit('bye')", "failed", "SystemExit: bye"),
        ("raise KeyboardInterrupt('kb')", "failed", "KeyboardInterrupt: kb"),
        ("class E(Exception):\n    def __str__(self): raise ValueError\nraise E", "failed", "E"),
        ("self.n_iter_ = 10**30", "ok", ""),
        ("self.solver_ = {1: 2, 'a': object()}", "ok", ""),
        ("self.status_ = 'fine'", "ok", ""),
    ],
)
def test_odd_errors_and_attributes_still_give_rows(
    saved: Path, tmp_path: Path, body: str, status: str, message: str
) -> None:
    rows = rows_of(Job(saved, method(tmp_path, body), "Mine"))
    write_rows(tmp_path / "rows.parquet", rows, ORIGIN)
    table = read_rows(tmp_path / "rows.parquet")
    assert set(table["status"]) == {status}
    assert set(table["message"]) == {message}
    assert table["traceback"].notna().all() == (status == "failed")


def test_labels_beyond_32_bits_are_invalid(saved: Path, tmp_path: Path) -> None:
    body = "self.labels_ = np.arange(len(X)) + np.iinfo(np.int64).min\nreturn self"
    assert {row["status"] for row in rows_of(Job(saved, method(tmp_path, body), "Mine"))} == {"invalid"}


@pytest.mark.parametrize("failure", ["1 / 0", "__import__('os').abort()", "__import__('time').sleep(1000)"])
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
    for row in rows_of(Job(saved, str(tmp_path / "mine.py"), "Mine"), limits=Limits(10)):
        assert row["status"] == Status.OK
        assert row["labels"] is not None
        assert row["neighbor_information"] is None


def test_uses_must_be_written_in_the_body_of_the_class(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from hypercut import PKOHSC\nclass Mine(PKOHSC):\n    name = 'Mine'\n")
    (row, _) = rows_of(Job(saved, str(tmp_path / "mine.py"), "Mine", uses=()))
    assert row["status"] == Status.FAILED
    assert "Write it out in the class: uses = ('weights', 'communities')" in row["message"]


def test_after_consecutive_timeouts_the_rest_is_skipped(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import time\n"
        "from sklearn.base import BaseEstimator, ClusterMixin\n"
        "class Slow(ClusterMixin, BaseEstimator):\n"
        "    name = 'Slow'\n"
        "    def fit(self, X, y=None):\n"
        "        time.sleep(100)\n"
    )
    rows = rows_of(Job(saved, str(tmp_path / "slow.py"), "Slow"), repeats=4, limits=Limits(0.2, in_a_row=2))
    assert [row["status"] for row in rows] == [Status.TIMEOUT] * 2 + [Status.SKIPPED] * 2
    assert rows[-1]["message"] == "skipped after 2 consecutive timeouts"


def method(tmp_path: Path, body: str) -> str:
    """Write a module with a clusterer named Mine whose ``fit`` has this body; return its path."""
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    (tmp_path / "mine.py").write_text(
        "import os, resource, sys, time\n"
        "import numpy as np\n"
        "from sklearn.base import BaseEstimator, ClusterMixin\n"
        "class Mine(ClusterMixin, BaseEstimator):\n"
        "    name = 'Mine'\n"
        f"    def fit(self, X, y=None):\n{lines}"
        "        self.labels_ = np.arange(len(X)) % 2\n"
        "        return self\n"
    )
    return str(tmp_path / "mine.py")


def test_running_out_of_memory_is_a_failure(saved: Path, tmp_path: Path) -> None:
    limited = (
        "used = 4096 * int(open('/proc/self/statm').read().split()[0])\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, -1))\n"
        "kept = []\n"
        "while True: kept.append(bytearray(2**24))"
    )
    (row, _) = rows_of(Job(saved, method(tmp_path, limited), "Mine"))
    assert (row["status"], row["message"]) == (Status.MEMORY, "MemoryError")
    assert "while True: kept.append(bytearray(2**24))" in row["traceback"]


def test_a_failure_has_one_line_and_the_end_of_the_traceback(saved: Path, tmp_path: Path) -> None:
    (row, _) = rows_of(Job(saved, method(tmp_path, "raise ArithmeticError('no ' * 9999 + '\\nluck')"), "Mine"))
    assert row["status"] == Status.FAILED
    assert row["message"].startswith("ArithmeticError: no no")
    assert "\n" not in row["message"]
    assert "raise ArithmeticError" in row["traceback"]
    assert len(row["message"]) + len(row["traceback"]) < 5000


def test_a_crash_records_the_python_calls(saved: Path, tmp_path: Path) -> None:
    (row, other) = rows_of(Job(saved, method(tmp_path, "import ctypes\nctypes.string_at(0)"), "Mine"))
    assert row["status"] == other["status"] == Status.CRASHED
    assert "SIGSEGV" in row["message"]
    assert re.search(r"mine\.py.* line \d+ in fit", row["traceback"])


def test_the_time_limit_covers_the_preparation(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "stuck.py").write_text(
        "import time\n"
        "from hypercut import CSC\n"
        "class Stuck(CSC):\n"
        "    name = 'Stuck'\n"
        "    def validated(self):\n"
        "        time.sleep(1000)\n"
    )
    rows = rows_of(Job(saved, str(tmp_path / "stuck.py"), "Stuck"), factors=[0.4, 1.0], limits=Limits(5, in_a_row=1))
    assert [row["status"] for row in rows] == [Status.TIMEOUT, *[Status.SKIPPED] * 3]


def test_endless_output_is_truncated_in_the_log(saved: Path, tmp_path: Path) -> None:
    module = method(tmp_path, "for _ in range(100):\n    os.write(1, bytes(2**20))\n    os.write(2, bytes(2**20))")
    step = [sys.executable, "-m", "hypercut.steps.cluster", saved, "--module", module, "--name", "Mine"]
    step += ["--factors", "1", "--repeats", "1", "--time-limit", "250", "--out", tmp_path / "rows.parquet"]
    job = Path(__file__).parents[2] / "workflow/scripts/job.sh"
    subprocess.run(["bash", "-c", 'source "$0"; job "$@"', job, tmp_path / "log", "rows.parquet", *step], check=True)
    assert set(read_rows(tmp_path / "rows.parquet")["status"]) == {Status.OK}
    log = (tmp_path / "log").read_bytes()
    assert LOG_BYTES < len(log) < 2 * LOG_BYTES
    assert "output truncated after" in log.decode()


def test_has_scale_needs_a_spectral_estimator(saved: Path, tmp_path: Path) -> None:
    text = Path(method(tmp_path, "pass")).read_text()
    (tmp_path / "mine.py").write_text(text.replace("    name = 'Mine'\n", "    name = 'Mine'\n    has_scale = True\n"))
    (row, _) = rows_of(Job(saved, str(tmp_path / "mine.py"), "Mine"))
    assert row["status"] == Status.FAILED
    assert "only a SpectralEstimator is given a scale" in row["message"]
