"""Approximate neighbours, and the fallback where their library is missing."""

import logging
import sys

import numpy as np
import pytest

from hypercut import HypergraphClustering
from hypercut.core import approximate, neighbors
from hypercut.core.neighbors import ExactSearch, nearest_neighbors


@pytest.fixture(autouse=True)
def few_samples(monkeypatch):
    monkeypatch.setattr(neighbors, "APPROXIMATE_SAMPLES", 1000)


@pytest.fixture
def faiss():
    return pytest.importorskip("faiss", reason="faiss is not installed: pip install 'hypercut[approximate]'")


def blobs(n, features, seed=0):
    rng = np.random.default_rng(seed)
    classes = rng.integers(5, size=n)
    return rng.standard_normal((n, features)) + 4 * rng.standard_normal((5, features))[classes], classes


def recall_of(found, X):
    exact = ExactSearch(X, 7).find(np.arange(len(X)))[0]
    return np.mean([np.isin(one, other).mean() for one, other in zip(exact, found.indices, strict=True)])


@pytest.mark.parametrize("features", [20, 100])
def test_most_neighbours_are_found(faiss, features):
    X, _ = blobs(3000, features)
    found = nearest_neighbors(X, 7)
    recall = recall_of(found, X)
    assert found.library.startswith("faiss")
    assert recall > 0.8
    assert found.recall == pytest.approx(recall, abs=0.05)
    assert (found.indices != np.arange(len(X))[:, None]).all()
    differences = X[:, None] - X[found.indices]
    np.testing.assert_allclose(found.distances, np.linalg.norm(differences, axis=2), rtol=1e-9)
    assert (np.diff(found.distances, axis=1) >= 0).all()


def test_recall_counts_the_neighbours_that_are_missing(faiss, monkeypatch):
    """With a single cell for each sample and few candidates, many neighbours are in cells that are not searched."""
    X, _ = blobs(3000, 20)
    monkeypatch.setattr(approximate, "PROBES", 1)
    found = nearest_neighbors(X, 7)
    recall = recall_of(found, X)
    assert recall < 0.9
    assert found.recall == pytest.approx(recall, abs=0.1)


def test_samples_with_too_few_candidates_are_searched_exactly(faiss, monkeypatch):
    X, _ = blobs(1500, 20)
    monkeypatch.setattr(approximate, "CELLS", 20)
    monkeypatch.setattr(approximate, "CELL_ROWS", 2)
    monkeypatch.setattr(approximate, "PROBES", 1)
    found = nearest_neighbors(X, 7)
    assert np.isfinite(found.distances).all()
    assert (found.indices >= 0).all()


def test_the_clustering_reports_library_and_recall(faiss):
    X, classes = blobs(3000, 20)
    model = HypergraphClustering(5, random_state=0).fit(X)
    assert model.solver_["neighbors"].startswith("approximate, faiss")
    assert 0.9 < model.solver_["recall"] <= 1
    assert len(np.unique(np.column_stack([model.labels_, classes]), axis=0)) == 5


def test_without_the_library_the_search_is_exact(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "faiss", None)
    X, _ = blobs(3000, 20)
    with caplog.at_level(logging.WARNING):
        model = HypergraphClustering(5, random_state=0).fit(X)
    assert model.solver_["neighbors"] == "exact"
    assert "recall" not in model.solver_
    assert "pip install 'hypercut[approximate]'" in caplog.text


def test_few_features_are_searched_by_a_tree(monkeypatch, caplog):
    X, _ = blobs(3000, 3)
    expected = ExactSearch(X, 7).find(np.arange(len(X)))
    monkeypatch.setattr(neighbors, "TREE_SAMPLES", 1000)
    found = nearest_neighbors(X, 7)
    assert found.library is None
    assert not caplog.text
    np.testing.assert_array_equal(found.indices, expected[0])
    np.testing.assert_allclose(found.distances, expected[1])
