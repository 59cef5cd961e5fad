"""Views, the balanced graph, and what chooses between them, against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs, make_circles, make_moons

from hypercut import HypergraphClustering
from hypercut.algorithms.ak_nc.graph import SIZES, bridged_knn, multiscale_knn
from hypercut.algorithms.ak_nc.number import Candidate, Search, choose, gaussian_null, principal_deviations
from hypercut.algorithms.ak_nc.views import (
    View,
    all_views,
    denoised,
    equalized,
    marchenko_pastur_quantiles,
    noise_level,
    shrinkage,
    standardized,
)
from hypercut.core.eigen import Spectrum
from hypercut.core.information import edge_ends
from hypercut.core.neighbors import nearest_neighbors
from hypercut.core.similarity import Dense
from hypercut.metrics import nmi
from tests import reference


def graph_of(X):
    return multiscale_knn(nearest_neighbors(X, max(SIZES)))


def blocks(sizes, within=1.0, between=0.0):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return Dense(np.where(labels[:, None] == labels, within, between)), labels


@given(st.integers(9, 25), st.integers(0, 1000))
def test_the_graph_is_the_mean_of_balanced_hypergraphs(n, seed):
    X = np.random.default_rng(seed).standard_normal((n, 3))
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    order = np.argsort(distances + np.diag(np.full(n, np.inf)), axis=1)
    scales = np.array([distances[i, order[i, 6]] for i in range(n)])
    affinity = np.exp(-(distances**2) / np.outer(scales, scales))
    total = np.zeros((n, n))
    for size in range(2, 8):
        similarity = literal_knn(affinity, order[:, :size])
        total += similarity / similarity.sum(axis=1).mean()
    graph = graph_of(X)
    np.testing.assert_allclose(graph.similarity.dense(), total / 6, atol=1e-9)
    np.testing.assert_allclose(graph.scales, scales)
    assert graph.similarity.degrees.mean() == pytest.approx(1)


def literal_knn(affinity, nearest):
    """B from the equations, element by element."""
    n = len(affinity)
    edges = [[i, *nearest[i]] for i in range(n)]
    delta = [np.mean([1.0 if m == i else affinity[i, m] for m in edge]) for i, edge in enumerate(edges)]
    x = np.zeros((n, n))
    for i, edge in enumerate(edges):
        for m in edge:
            x[m, i] = (1.0 if m == i else affinity[i, m]) * np.sqrt(delta[i])
    lengths = np.linalg.norm(x, axis=1)
    return x @ x.T / np.outer(lengths, lengths)


def test_the_literal_form_is_that_of_the_reference():
    """The paper's own B, which has a global scale, comes out of the same equations."""
    X = np.random.default_rng(0).standard_normal((12, 2))
    d2 = reference.squared_distances(X)
    affinity = np.exp(-d2 / 2)
    order = np.argsort(d2 + np.diag(np.full(12, np.inf)), axis=1, kind="stable")[:, :3]
    expected = reference.knn(affinity, reference.hyperedges(d2, 3))
    np.testing.assert_allclose(literal_knn(affinity, order), expected, atol=1e-12)


def test_copies_keep_together_and_apart():
    X = np.vstack([np.zeros((10, 2)), np.ones((10, 2)), [[9.0, 9.0]]])
    similarity = graph_of(X).similarity.dense()
    assert np.isfinite(similarity).all()
    assert similarity[:10, 10:20].max() == 0


def test_separate_equal_clusters_tell_everything():
    similarity, labels = blocks([5, 5, 5])
    assert edge_ends(similarity, labels).information == pytest.approx(1)
    assert edge_ends(similarity, np.zeros(15, dtype=int)).information == 0


def test_labels_that_ignore_the_graph_tell_nothing():
    similarity, _ = blocks([20, 20])
    assert edge_ends(similarity, np.arange(40) % 2).information == pytest.approx(0, abs=1e-12)


def test_information_by_hand():
    """Two clusters with 3 of 4 units of weight inside: log 2 minus the entropy of (3/4, 1/4)."""
    similarity = Dense(np.array([[3.0, 1.0], [1.0, 3.0]]))
    entropy = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))
    assert edge_ends(similarity, np.array([0, 1])).information == pytest.approx((np.log(2) - entropy) / np.log(2))


def test_a_handful_split_off_tells_less_than_halves():
    similarity, labels = blocks([50, 50], between=0.02)
    handful = np.zeros(100, dtype=int)
    handful[:3] = 1
    assert edge_ends(similarity, labels).information > 3 * edge_ends(similarity, handful).information


@pytest.mark.parametrize("k", [2, 5, 9, 30])
def test_the_number_of_blocks_is_found(k):
    similarity, _ = blocks([12] * k, between=0.005)
    assert Search(Spectrum(similarity), seed=0).best() == k


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_moons, make_circles])
@pytest.mark.parametrize("n", [700, 3900])
def test_curves_are_not_cut_into_pieces(make, n):
    """A piece of a curve of many samples is nearly separate from the next one, wherever it ends."""
    X, y = make(n, noise=0.02, random_state=0, **({"factor": 0.5} if make is make_circles else {}))
    model = HypergraphClustering(random_state=0).fit(X)
    assert model.n_clusters_ == 2
    assert nmi(y, model.labels_) == pytest.approx(1)


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


def test_null_samples_depend_neither_on_the_order_nor_on_the_axes():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3)) @ rng.standard_normal((3, 3))
    turned = X[::-1] @ np.linalg.qr(rng.standard_normal((3, 3)))[0] + 5
    np.testing.assert_allclose(principal_deviations(turned), principal_deviations(X), rtol=1e-9)


def test_what_a_cloud_would_tell_is_taken_off():
    """A sheet of noise can be cut at little cost, and is no view of clusters that are seen in many dimensions."""
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


def test_marchenko_pastur_against_simulation():
    values = np.linalg.eigvalsh(np.cov(np.random.default_rng(0).standard_normal((400, 2000))))
    quantiles = np.array([0.1, 0.25, 0.5])
    np.testing.assert_allclose(marchenko_pastur_quantiles(0.2, quantiles), np.quantile(values, quantiles), rtol=0.02)


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


def test_standardizing_drops_what_never_varies():
    X = np.random.default_rng(0).standard_normal((40, 3)) * [1, 100, 0] + 5
    standard = standardized(X)
    np.testing.assert_allclose(standard.samples.std(axis=0), 1)
    np.testing.assert_allclose(standard.samples * standard.maps[0].scale, (X - X.mean(axis=0))[:, :2])


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
