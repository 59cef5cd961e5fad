"""Over-clusterings are computed once and used by several algorithms, which fail with them."""

import argparse
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from hypercut import PKOHSC
from hypercut.benchmark.code import overclustering_code
from hypercut.core.samples import Samples
from hypercut.core.threads import blas_threads
from hypercut.errors import InputError
from hypercut.run.failures import Failure, Status
from hypercut.run.overclusterer import Overclusterer
from hypercut.run.overclustering import empty_overclusterings, load_overclusterings, save_overclusterings
from hypercut.run.problems import load_problem
from hypercut.steps.overcluster import run
from tests.run import blobs
from tests.run.blobs import FACTORS, MADE, overcluster_step, rows_of

pytestmark = pytest.mark.slow

RECIPE = {**MADE, "overcluster": overcluster_step()}


def test_over_clusterings_from_a_file_are_used(saved: Path, tmp_path: Path) -> None:
    """Rows are the same with over-clusterings from a file as without; other ones give other rows."""
    alone = rows_of(saved, "PO+HSC")
    found = empty_overclusterings(2, FACTORS, 45, 6)
    handler = Overclusterer(saved)
    for repeat in range(2):
        for index, factor in enumerate(FACTORS):
            labelings, _ = handler((repeat, factor))
            found.record(repeat, index, (labelings, 7.0))
    file = tmp_path / "o.npz"
    save_overclusterings(file, found, RECIPE)
    given = rows_of(saved, "PO+HSC", overclustering=file)
    assert [row["labels"] for row in given] == [row["labels"] for row in alone]
    assert {row["shared_seconds"] for row in given} == {7.0}
    assert {row["shared_seconds"] for row in alone} == {0.0}
    found.labels[:] = np.arange(45) % 6
    save_overclusterings(file, found, RECIPE)
    other = rows_of(saved, "PO+HSC", overclustering=file)
    assert [row["solver"] for row in other] != [row["solver"] for row in alone]


def test_failures_are_recorded_and_other_recipes_refused(tmp_path: Path) -> None:
    found = empty_overclusterings(1, FACTORS, 5, 2)
    failure = Failure(Status.MEMORY, "MemoryError", "the end\nof a traceback")
    found.record(0, 0, failure)
    file = tmp_path / "o.npz"
    save_overclusterings(file, found, RECIPE)
    loaded = load_overclusterings(file, {**RECIPE, "cluster": {}})
    assert loaded.find(0, 0.4).failure == failure.of("over-clustering")
    assert loaded.find(0, 1.0).failure == Failure(Status.SKIPPED, "over-clustering: not run")
    assert loaded.find(0, 0.5) is None
    assert loaded.find(3, 0.4) is None
    with pytest.raises(InputError, match="other code or options"):
        load_overclusterings(file, {**MADE, "overcluster": overcluster_step(repeats=3)})
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(InputError, match="not a readable file of over-clusterings"):
        load_overclusterings(file)


def overcluster(problem: Path, out: Path, recipe: dict, seconds: float = 60) -> None:
    """Run the step, whose recipe must have the code on disk."""
    recipe = {**recipe, "overcluster": {**recipe["overcluster"], "code": overclustering_code()}}
    run(argparse.Namespace(recipe=recipe, problem=problem, out=out, limits=blobs.limits(seconds)))
    save_overclusterings(out, load_overclusterings(out, recipe), RECIPE)


def test_clusterings_fail_with_the_timeout_of_their_over_clustering(saved: Path, tmp_path: Path) -> None:
    """These clusterings do not over-cluster again. Those with another number of over-clusters still run."""
    file = tmp_path / "o.npz"
    overcluster(saved, file, {**MADE, "overcluster": overcluster_step()}, seconds=1e-4)
    rows = rows_of(saved, "PKO+HSC", overclustering=file)
    assert [row["status"] for row in rows] == [*[Status.TIMEOUT] * 3, Status.SKIPPED]
    assert all(row["message"].startswith("over-clustering: ") for row in rows)
    assert not [row for row in rows if "labels" in row or "wall_seconds" in row]
    others = [{"communities_per_cluster": 3}, {"alpha": 0.5, "beta": 0.5}]
    run_ones = rows_of(saved, "PKO+HSC", parameters=others, overclustering=file, repeats=1)
    assert {row["status"] for row in run_ones} == {Status.OK}


def test_clusterings_fail_with_the_error_of_their_over_clustering(saved: Path, tmp_path: Path) -> None:
    failure = Overclusterer(saved)((99, 0.4))  # there is no such repeat
    assert failure.status == Status.FAILED
    assert failure.traceback
    found = empty_overclusterings(1, [0.4], 45, 6)
    found.record(0, 0, failure)
    save_overclusterings(tmp_path / "o.npz", found, RECIPE)
    (row,) = rows_of(saved, "PO+HSC", overclustering=tmp_path / "o.npz", sigma_factors=[0.4], repeats=1)
    assert (row["status"], row["message"]) == (Status.FAILED, f"over-clustering: {failure.message}")
    assert row["traceback"] == failure.traceback


def test_distances_use_one_thread_of_blas(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The results of BLAS may depend on the number of its threads, see hypercut.core.blocks."""
    seen = []
    from_features = Samples.from_features

    def watched(X):
        seen.append(blas_threads(ThreadpoolController()))
        return from_features(X)

    monkeypatch.setattr(Samples, "from_features", watched)
    with threadpool_limits(2):
        Overclusterer(saved)((0, 0.4))
        PKOHSC.runs(load_problem(saved), None).prepare(0, 0.4, {})
    assert seen == [1, 1]
