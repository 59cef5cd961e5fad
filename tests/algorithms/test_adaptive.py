"""AK+NC beyond the contract that every algorithm keeps."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import pairwise_distances
from threadpoolctl import threadpool_limits

from hypercut import HypergraphClustering
from hypercut.algorithms import ak_nc
from hypercut.algorithms.ak_nc.number import Profile
from hypercut.algorithms.ak_nc.views import standardized
from hypercut.core import blocks
from hypercut.metrics import ari, nmi


def clusters(n=240, k=4, features=10, std=1.0, seed=0):
    return make_blobs(n, features, centers=k, cluster_std=std, random_state=seed)


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 7, 20])
def test_the_number_of_clusters_is_found(k: int) -> None:
    X, y = clusters(40 * k, k)
    found = HypergraphClustering(random_state=0).fit(X)
    assert found.n_clusters_ == k
    assert ari(y, found.labels_) == 1


def drowned_in_light() -> tuple[np.ndarray, np.ndarray]:
    """Return two directions of large variance without information about the clusters, such as the light on a face."""
    X, y = clusters(400, 5, 20, std=1.0)
    rng = np.random.default_rng(0)
    return X / X.std() + 3 * rng.standard_normal((400, 2)) @ rng.standard_normal((2, 20)), y


def noisy_features() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(5), 80)
    return 0.22 * rng.standard_normal((5, 300))[y] + rng.standard_normal((400, 300)), y


@pytest.mark.parametrize(
    ("make", "views", "gain"),
    [(drowned_in_light, {"equalized"}, 0.3), (noisy_features, {"denoised", "equalized"}, 0.1)],
)
def test_a_view_brings_out_clusters_that_the_given_features_hide(make, views: set[str], gain: float) -> None:
    X, y = make()
    found = HypergraphClustering(5, random_state=0).fit(X)
    assert found.view_ in views
    as_given = HypergraphClustering(5, affinity="precomputed_distances", random_state=0).fit(pairwise_distances(X))
    assert nmi(y, found.labels_) > nmi(y, as_given.labels_) + gain


def test_more_samples_than_the_choice_is_made_on(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = clusters(900, 4)
    monkeypatch.setattr(ak_nc, "CHOICE_SAMPLES", 300)
    found = HypergraphClustering(random_state=0).fit(X)
    assert found.n_clusters_ == 4
    assert ari(y, found.labels_) == 1
    assert found.affinity_scale_.shape == (900,)
    order = np.random.default_rng(1).permutation(len(X))
    other = HypergraphClustering(random_state=0).fit(X[order])
    assert other.information_ == pytest.approx(found.information_)
    assert ari(found.labels_[order], other.labels_) == 1
    distances = HypergraphClustering(random_state=0, affinity="precomputed_distances").fit(pairwise_distances(X))
    assert ari(y, distances.labels_) == 1


@pytest.mark.slow
def test_the_number_of_threads_does_not_matter() -> None:
    X, _ = clusters(1300, 5, std=4.0)
    found = []
    for threads in (1, 3):
        token = blocks._threads.set(threads)
        with threadpool_limits(1):
            found.append(HypergraphClustering(random_state=0).fit(X))
        blocks._threads.reset(token)
    np.testing.assert_array_equal(found[0].labels_, found[1].labels_)
    np.testing.assert_array_equal(found[0].embedding_, found[1].embedding_)


def test_fewer_samples_than_neighbours() -> None:
    X = np.array([[0.0], [0.1], [5.0], [5.1]])
    assert ari([0, 0, 1, 1], HypergraphClustering(2, random_state=0).fit_predict(X)) == 1
    assert HypergraphClustering(random_state=0).fit(X).n_clusters_ == 2


def test_a_feature_in_another_unit_does_not_decide() -> None:
    X, y = clusters(300, 3, 6, std=1.5)
    X = np.hstack([X, 2000 * np.random.default_rng(0).uniform(size=(300, 2))])
    found = HypergraphClustering(3, random_state=0).fit(X)
    assert found.view_ == "standardized"
    assert nmi(y, found.labels_) > 0.9


def test_features_of_very_different_units_are_all_standardized() -> None:
    X, _ = clusters()
    units = np.logspace(-9, 9, X.shape[1])
    standard = standardized(X).samples
    np.testing.assert_allclose(standard.std(axis=0), 1)
    np.testing.assert_allclose(standardized(X * units).samples, standard)
    constant = np.column_stack([X, np.full(len(X), 1e6 / 3)])
    np.testing.assert_array_equal(standardized(constant).samples, standard)


@pytest.mark.parametrize("affinity", ["euclidean", "precomputed_distances"])
def test_copies_of_samples_are_no_neighbours(affinity: str) -> None:
    """As many copies as there are neighbours must not become a component of the graph and thus a cluster."""
    X, y = clusters(80, 4)
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(80), 10))
    many, one = (
        HypergraphClustering(random_state=0, affinity=affinity).fit(
            pairwise_distances(samples) if affinity == "precomputed_distances" else samples
        )
        for samples in (X[rows], X)
    )
    assert many.n_clusters_ == 4
    assert ari(y[rows], many.labels_) == 1
    np.testing.assert_allclose(many.affinity_scale_, one.affinity_scale_[rows])
    assert many.embedding_.shape == (800, 4)


def test_the_profile_has_the_evidence_for_every_number_tried() -> None:
    X, _ = clusters(400, 4, std=3.0)
    model = HypergraphClustering(random_state=0).fit(X)
    profile = model.k_profile_
    assert set(map(len, profile.values())) == {len(profile["n_clusters"])}
    assert (np.diff(profile["n_clusters"]) > 0).all()
    at = profile["n_clusters"].tolist().index(model.n_clusters_)
    assert profile["information"][at] >= profile["information"].max() - 0.01
    given = HypergraphClustering(6, random_state=0).fit(X)
    assert given.n_clusters_ == 6
    assert not hasattr(given, "k_profile_")


def test_the_finest_of_nearly_equal_numbers_is_chosen() -> None:
    profile = Profile({2: 0.7, 3: 0.9, 5: 0.895, 8: 0.893, 13: 0.88}, {}, 1)
    assert profile.finest(0) == 3
    assert profile.finest(0.006) == 5
    assert profile.finest(0.015) == 8
