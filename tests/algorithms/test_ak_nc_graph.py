"""Views, the balanced graph and the choice between views, against their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from hypercut.algorithms.ak_nc.graph import SIZES, bridged_knn, multiscale_knn
from hypercut.algorithms.ak_nc.number import Candidate, Search, choose, gaussian_null, principal_deviations
from hypercut.algorithms.ak_nc.views import (
    View,
    all_views,
    denoised,
    equalized,
    noise_level,
    shrinkage,
)
from hypercut.core.eigen import Spectrum
from hypercut.core.neighbors import nearest_neighbors
from hypercut.core.similarity import Dense
from tests import reference


def graph_of(X):
    return multiscale_knn(nearest_neighbors(X, max(SIZES)))


def blocks(sizes, within=1.0, between=0.0):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return Dense(np.where(labels[:, None] == labels, within, between)), labels


@settings(max_examples=10)
@given(st.integers(9, 15), st.integers(0, 1000))
def test_the_graph_is_the_mean_of_balanced_hypergraphs(n, seed):
    X = np.random.default_rng(seed).standard_normal((n, 3))
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    order = np.argsort(distances + np.diag(np.full(n, np.inf)), axis=1)
    scales = np.array([distances[i, order[i, 6]] for i in range(n)])
    affinity = np.exp(-(distances**2) / np.outer(scales, scales))
    total = np.zeros((n, n))
    for size in range(2, 8):
        similarity = reference.knn(affinity, [{i, *order[i, :size]} for i in range(n)])
        total += similarity / similarity.sum(axis=1).mean()
    graph = graph_of(X)
    np.testing.assert_allclose(graph.similarity.dense(), total / 6, atol=1e-9)
    np.testing.assert_allclose(graph.scales, scales)
    assert graph.similarity.degrees.mean() == pytest.approx(1)


@pytest.mark.parametrize("k", [2, 5, 9, 30])
def test_the_number_of_blocks_is_found(k):
    similarity, _ = blocks([12] * k, between=0.005)
    assert Search(Spectrum(similarity), seed=0).best() == k


def test_another_view_must_be_better_by_a_margin():
    graph = graph_of(np.random.default_rng(0).standard_normal((60, 4)))
    choice = choose({"given": Candidate(lambda: graph), "same": Candidate(lambda: graph)}, 3, seed=0)
    assert choice.view == "given"
    assert choice.information["given"] == choice.information["same"]


@pytest.mark.parametrize(("n", "features"), [(1500, 3), (40, 60)])
def test_a_null_sample_has_the_covariance_of_the_samples_in_their_principal_axes(n, features):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, features)) @ rng.standard_normal((features, features)) + 7
    expected = np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1]
    deviations = principal_deviations(X)
    assert len(deviations) == min(features, n - 1)
    np.testing.assert_allclose(deviations**2, expected[: len(deviations)], rtol=1e-6)
    drawn = gaussian_null(deviations, 20_000, rng)
    np.testing.assert_allclose(drawn.std(axis=0), deviations, rtol=0.05)


def test_what_a_cloud_would_tell_is_taken_off():
    """A noisy sheet can be cut at little cost, but must not win against a view that shows the clusters."""
    X, _ = make_blobs(300, 10, centers=3, cluster_std=3.5, random_state=0)
    sheet = np.random.default_rng(0).standard_normal((300, 1))

    def candidate(X):
        return Candidate(lambda: graph_of(X), lambda rng: graph_of(gaussian_null(principal_deviations(X), len(X), rng)))

    searches = [Search(graph_of(samples).spectrum, seed=0) for samples in (sheet, X)]
    of_sheet, of_clusters = (search.information(search.best()) for search in searches)
    assert of_sheet > of_clusters
    choice = choose({"given": candidate(sheet), "other": candidate(X)}, 3, seed=0)
    assert choice.view == "other"
    assert choice.information["given"] + 0.2 < choice.information["other"]


@pytest.mark.parametrize(("rows", "columns"), [(400, 100), (300, 300), (150, 600)])
@pytest.mark.parametrize("strength", [0.5, 3.0])
def test_the_level_of_pure_noise_is_known(rows, columns, strength):
    noise = strength * np.random.default_rng(0).standard_normal((rows, columns))
    values = np.linalg.svd(noise, compute_uv=False)
    small, large = sorted((rows, columns))
    assert noise_level(values, small, large) / np.sqrt(large) == pytest.approx(strength, rel=0.05)
    assert (shrinkage(values, small, large) > 0).mean() < 0.02


def test_denoising_brings_the_samples_back():
    rng = np.random.default_rng(0)
    clean = rng.standard_normal((300, 4)) @ rng.standard_normal((4, 120))
    noisy = clean + rng.standard_normal(clean.shape) * clean.std(axis=0)
    error = np.linalg.norm(denoised(noisy).samples - (clean - clean.mean(axis=0)))
    assert error < 0.3 * np.linalg.norm(noisy - clean)


def test_without_noise_nothing_is_taken_off():
    rng = np.random.default_rng(0)
    clean = rng.standard_normal((300, 5)) @ rng.standard_normal((5, 40))
    np.testing.assert_allclose(denoised(clean).samples, clean - clean.mean(axis=0), atol=1e-8)


@pytest.mark.parametrize("shape", [(60, 5), (20, 50)])
def test_equalizing_takes_the_root_of_every_deviation(shape):
    X = np.random.default_rng(0).standard_normal(shape) * np.linspace(1, 9, shape[1])
    before = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    after = np.linalg.svd(equalized(View(X)).samples, compute_uv=False)
    present = before > 1e-8
    np.testing.assert_allclose(after[present], np.sqrt(before[present]), rtol=1e-6)


def test_which_views_there_are(monkeypatch):
    X = np.random.default_rng(0).standard_normal((50, 20))
    assert list(all_views(X)) == ["given", "standardized", "denoised", "equalized"]
    assert list(all_views(X[:, :4])) == ["given", "standardized", "equalized"]
    assert list(all_views(X[:, :1])) == ["given"]
    monkeypatch.setattr("hypercut.algorithms.ak_nc.views.MAX_COMPONENTS", 10)
    assert list(all_views(X)) == ["given", "standardized"]


def test_a_view_of_many_separate_clusters_is_not_overlooked():
    """Their eigenvalues are all 1: an eigensolver that misses some of them would find little information."""
    rng = np.random.default_rng(0)
    together = rng.standard_normal((800, 2))
    apart = together + 200 * np.repeat(rng.standard_normal((20, 2)), 40, axis=0)
    for n_clusters in (None, 20):
        choice = choose(
            {name: Candidate(lambda X=X: bridged_knn(X)) for name, X in (("given", together), ("other", apart))},
            n_clusters,
            seed=0,
        )
        assert choice.view == "other"
        assert choice.n_clusters == 20
        assert choice.information["other"] > 0.99
