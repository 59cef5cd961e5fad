"""The columns of one clustering's row, computed in this process."""

from pathlib import Path

import numpy as np
import pytest

from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.results.rows import DIAGNOSTICS
from hypercut.run.clustering import Clusterer
from hypercut.run.problems import load_problem
from hypercut.run.tasks import Task
from tests.run import blobs


def row_of(saved: Path, name: str, sigma_factor: float | None = 0.4) -> dict:
    return Clusterer(blobs.job(saved, name))(Task(1, sigma_factor, {}))


@pytest.mark.parametrize("name", ["PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC", "RWDSM"])
def test_diagnostics_by_dense_formulas(saved: Path, name: str) -> None:
    found, problem = row_of(saved, name), load_problem(saved)
    clusterer = Clusterer(blobs.job(saved, name))
    samples = Samples.from_features(problem.draw(1))
    estimator = clusterer.load_method()(3)
    hypergraphs = Hypergraphs(samples, 0.4 * samples.mean_distance)
    s = estimator.similarity(hypergraphs, problem.seed(1)).dense()
    p = np.linalg.svd(estimator.cluster(hypergraphs, problem.seed(1)).embedding, full_matrices=False)[0]
    q = np.diag(s.sum(axis=1)) - s
    assert found["trace_ratio"] == pytest.approx(np.trace(p.T @ s @ p) / np.trace(p.T @ q @ p))
    for column, partition in (("criterion", np.array(found["labels"])), ("criterion_truth", problem.classes(1))):
        x = np.equal.outer(partition, np.unique(partition)).astype(float)
        assert found[column] == pytest.approx(np.mean(np.diag(x.T @ s @ x) / np.diag(x.T @ q @ x)))
    low = np.argsort(s.sum(axis=1))[:2]  # 5 % of 45
    assert found["low_degree_mass"] == pytest.approx(np.sum(p[low] ** 2) / 3)
    if name != "PKO+NC":
        assert found["trace_ratio"] >= found["criterion_truth"] * (
            1 - 1e-9
        )  # of classes of one size, near a trace ratio


@pytest.mark.parametrize(("name", "sigma_factor"), [("CSC", 0.4), ("STSC", None), ("KMeans", None)])
def test_other_methods_have_the_smallest_cluster_alone(saved: Path, name: str, sigma_factor: float | None) -> None:
    found = row_of(saved, name, sigma_factor)
    assert found.keys() & set(DIAGNOSTICS) == {"smallest_cluster"}
    assert found["smallest_cluster"] == min(np.unique(found["labels"], return_counts=True)[1])


def test_copies_that_are_their_own_clusters_have_no_diagnostics(tmp_path: Path) -> None:
    features = blobs.Features(np.repeat(np.eye(3), 5, axis=0), np.repeat(np.arange(3), 5), blobs.PROVENANCE)
    problem = blobs.make_problem("blobs", features, setting="clean", level=0.0, draws=2)
    found = row_of(blobs.saved(tmp_path / "p.npz", problem), "PKO+HSC")
    assert found["status"] == "degenerate"
    assert found["smallest_cluster"] == 5
    assert "criterion" not in found
