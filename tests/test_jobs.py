"""Clusterings in a process of their own: rows whatever happens."""

import json
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hypercut.communities import empty_communities, load_communities, save_communities
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.errors import InputError
from hypercut.jobs import Job, run_job
from hypercut.metrics import evaluate
from hypercut.problems import Problem, load_problem, make_problem, save_problem
from hypercut.results import Status
from hypercut.selection import neighbor_information
from hypercut.worker import Died, Limits, TimedOut, Worker

SHARED = ("weights", "communities")
PROVENANCE = {"kind": "own", "complete": True}


@pytest.fixture
def problem() -> Problem:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 15)
    X = rng.normal(size=(45, 4)) + 6 * np.eye(3, 4)[y]
    return make_problem("blobs", X, y, PROVENANCE, setting="noise-L2", level=0.4, repeats=2)


@pytest.fixture
def saved(problem: Problem, tmp_path: Path) -> Path:
    save_problem(tmp_path / "problem.npz", problem)
    return tmp_path / "problem.npz"


def rows_of(job: Job, parameters=({},), factors=(0.4, 1.0), repeats=2, limits=None, sweep=""):
    limits = limits or Limits(60)
    return run_job(job, factors=factors, repeats=repeats, combinations=list(parameters), limits=limits, sweep=sweep)


def test_a_problem_survives_its_file(problem: Problem, saved: Path) -> None:
    loaded = load_problem(saved)
    np.testing.assert_array_equal(loaded.draws, problem.draws)
    assert (loaded.dataset, loaded.setting, loaded.level, loaded.provenance) == ("blobs", "noise-L2", 0.4, PROVENANCE)
    assert loaded.seed(0) == problem.seed(0) != problem.seed(1)
    assert not np.array_equal(loaded.draw(0), loaded.draw(1))


def test_a_clean_problem_keeps_one_draw_for_all_repeats(problem: Problem) -> None:
    clean = make_problem("blobs", problem.draw(0), problem.y, PROVENANCE, setting="clean", level=0.0, repeats=7)
    assert clean.draws.shape[0] == 1
    assert clean.draw(6) is not None
    assert clean.seed(0) != clean.seed(6)


def test_a_damaged_problem(tmp_path: Path) -> None:
    (tmp_path / "p.npz").write_bytes(b"PK\x03\x04 nonsense")
    with pytest.raises(InputError, match=r"p\.npz: expected a problem that hypercut wrote"):
        load_problem(tmp_path / "p.npz")


def test_rows_are_what_the_estimator_gives(problem: Problem, saved: Path) -> None:
    from hypercut import PKOHSC

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


def test_communities_found_before_are_used(problem: Problem, saved: Path, tmp_path: Path) -> None:
    """Rows are the same with communities from a file as without; other communities give other rows."""
    job = Job(saved, "hypercut.algorithms.po_hsc", "PO+HSC", uses=SHARED)
    alone = rows_of(job)
    found = empty_communities(2, [0.4, 1.0], 45, 6)
    for repeat in range(2):
        samples = Samples.from_features(problem.draw(repeat))
        for scale, factor in enumerate((0.4, 1.0)):
            hypergraphs = Hypergraphs(samples, factor * samples.mean_distance)
            found.labels[repeat, scale] = hypergraphs.communities(6, problem.seed(repeat))
            found.seconds[repeat, scale] = 7.0
    save_communities(tmp_path / "communities.npz", found)
    given = rows_of(replace(job, communities=tmp_path / "communities.npz"))
    assert [row["labels"] for row in given] == [row["labels"] for row in alone]
    assert {row["shared_seconds"] for row in given} == {7.0}
    assert {row["shared_seconds"] for row in alone} == {0.0}
    found.labels[:] = np.arange(45) % 6
    save_communities(tmp_path / "communities.npz", found)
    other = rows_of(replace(job, communities=tmp_path / "communities.npz"))
    assert [row["solver"] for row in other] != [row["solver"] for row in alone]


def test_communities_that_were_not_found(tmp_path: Path) -> None:
    save_communities(tmp_path / "c.npz", empty_communities(1, [0.4], 5, 2))
    loaded = load_communities(tmp_path / "c.npz")
    assert loaded.find(0, 0.4) is None
    assert loaded.find(0, 0.5) is None
    assert loaded.find(3, 0.4) is None


def test_an_algorithm_without_a_scale_is_run_once_a_repeat(saved: Path) -> None:
    rows = rows_of(Job(saved, "hypercut.algorithms.stsc", "STSC"))
    assert [(row["repeat"], row["sigma_factor"]) for row in rows] == [(0, None), (1, None)]
    assert all("neighbor_information" not in row for row in rows)


def test_how_a_clustering_without_k_went_is_told(saved: Path) -> None:
    for row in rows_of(Job(saved, "hypercut.unknown_number", "AK+NC without K")):
        assert json.loads(row["solver"])["view"]
        assert row["n_iter"] >= 1
        assert row["role"] == "beyond"


def test_controls_alone_see_the_truth(saved: Path) -> None:
    (truth, _) = rows_of(Job(saved, "hypercut.references", "true labels"))
    assert (truth["nmi"], truth["role"]) == (1.0, "control")
    (kmeans, _) = rows_of(Job(saved, "hypercut.references", "KMeans"))
    assert (kmeans["role"], kmeans["status"]) == ("reference", "ok")


def test_a_sweep_goes_through_every_combination(saved: Path) -> None:
    combinations = [{"n_neighbors": 3}, {"n_neighbors": 5}]
    rows = rows_of(
        Job(saved, "hypercut.algorithms.pko_hsc", "PKO+HSC", uses=SHARED), combinations, repeats=1, sweep="neighbors"
    )
    assert len(rows) == 4
    assert {row["sweep"] for row in rows} == {"neighbors"}
    assert len({row["parameters"] for row in rows}) == 2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"alpha": 2}, "InputError: Expected alpha between 0 and 1, found 2"), ({"gamma": 1}, "TypeError: .*gamma")],
)
def test_parameters_that_make_no_sense(saved: Path, parameters, message) -> None:
    (row,) = rows_of(
        Job(saved, "hypercut.algorithms.pko_hsc", "PKO+HSC", uses=SHARED), [parameters], factors=[1.0], repeats=1
    )
    assert row["status"] == Status.FAILED
    assert re.match(message, row["message"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("raise SystemExit(3)", "while its module was loaded: the process ended with exit status 3"),
        ("import time; time.sleep(100)", "while its module was loaded: not done after"),
        ("import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
    ],
)
def test_a_module_that_cannot_be_loaded(saved: Path, tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "bad.py").write_text(f"{line}\nclass Bad:\n    name = 'Bad'\n")
    rows = rows_of(Job(saved, str(tmp_path / "bad.py"), "Bad"), limits=Limits(5))
    assert [row["status"] for row in rows] == [Status.FAILED] * 2
    assert all(message in row["message"] for row in rows)


def test_what_a_class_uses_must_stand_in_the_class(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from hypercut import PKOHSC\nclass Mine(PKOHSC):\n    name = 'Mine'\n")
    (row, _) = rows_of(Job(saved, str(tmp_path / "mine.py"), "Mine", uses=()))
    assert row["status"] == Status.FAILED
    assert "Write it out in the class: uses = ('weights', 'communities')" in row["message"]


def test_after_some_timeouts_the_rest_is_skipped(saved: Path, tmp_path: Path) -> None:
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
    assert rows[-1]["message"] == "not tried: 2 in a row timed out before it"


class Echo:
    def __call__(self, task, started):
        started()
        if task == "sleep":
            time.sleep(100)
        if task == "die":
            raise SystemExit(3)
        return task


def test_a_worker_answers_again_after_it_was_killed() -> None:
    with Worker(Echo) as worker:
        assert worker.ask("hello") == "hello"
        assert isinstance(worker.ask("sleep", 0.2), TimedOut)
        assert worker.ask("hello") == "hello"
        assert worker.ask("die") == Died(3)
        assert worker.ask("hello") == "hello"
