"""AK+NC beyond labels: new samples, soft membership, outliers, single precision."""

import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, make_blobs, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise_distances, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hypercut import HypergraphClustering
from hypercut.algorithms import ak_nc
from hypercut.algorithms.ak_nc import prediction
from hypercut.algorithms.ak_nc.graph import Graph
from hypercut.algorithms.ak_nc.membership import memberships, outlier_scores
from hypercut.algorithms.ak_nc.views import all_views
from hypercut.core.copies import Distinct
from hypercut.core.similarity import Dense
from hypercut.metrics import ari

VIEWS = ("given", "standardized", "denoised", "equalized")


def clusters(n=300, k=4, d=10, std=1.0, seed=0):
    return make_blobs(n, d, centers=k, cluster_std=std, random_state=seed)


def fitted(X, k=4, **parameters):
    return HypergraphClustering(k, random_state=0, **parameters).fit(X)


def only(monkeypatch, view):
    """Make AK+NC choose one view."""
    monkeypatch.setattr(ak_nc, "all_views", lambda X: {view: all_views(X)[view]})


def mixture(n, d, k, separation, seed):
    """Return samples of k unit Gaussians and the posterior of their classes."""
    rng = np.random.default_rng(seed)
    centers = separation / np.sqrt(d) * rng.standard_normal((k, d))
    X = centers[rng.integers(k, size=n)] + rng.standard_normal((n, d))
    squared = ((X[:, None] - centers) ** 2).sum(axis=2)
    odds = np.exp((squared.min(axis=1, keepdims=True) - squared) / 2)
    return X, odds / odds.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("shape", [(80, 12), (30, 50)])
@pytest.mark.parametrize("view", VIEWS)
def test_maps_take_the_training_samples_to_the_view(shape, view):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((shape[0], 5)) @ rng.standard_normal((5, shape[1])) + 0.3 * rng.standard_normal(shape)
    X = np.hstack([X * np.linspace(1, 50, shape[1]) + 7, np.ones((shape[0], 1))])
    found = all_views(X)[view]()
    mapped = X
    for step in found.maps:
        mapped = step(mapped)
    np.testing.assert_allclose(mapped, found.samples, atol=1e-7 * np.abs(found.samples).max())


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("shape", [(240, 10), (60, 90)])
def test_separated_clusters_are_predicted_in_every_view(view, shape, monkeypatch):
    only(monkeypatch, view)
    X, y = clusters(2 * shape[0], 3, shape[1], std=1.5)
    model = fitted(X[::2], 3)
    assert model.view_ == view
    assert ari(y[::2], model.labels_) == 1
    cluster_of = dict(zip(y[::2], model.labels_, strict=True))
    assert model.predict(X[1::2]).tolist() == [cluster_of[label] for label in y[1::2]]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("offset", [0, 1000])
def test_copies_of_training_samples_have_their_labels(dtype, view, offset, monkeypatch):
    """This holds in overlapping clusters too, where a vote would outvote many copies."""
    only(monkeypatch, view)
    X = (clusters(std=6.0)[0] + offset).astype(dtype)
    model = fitted(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.predict_proba(X), model.probabilities_)
    votes = model._voters._votes(X, model._voters._index)[0] @ model._voters.membership.vote
    assert (votes.toarray().argmax(axis=1) != model.labels_).any()


def test_the_vote_by_hand():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    model = fitted(X, 2)
    new = 6.5
    distances = np.abs(X[:, 0] - new)
    weights = np.exp(-(distances**2) / (distances.max() * model.affinity_scale_))
    expected = weights @ model._voters.membership.vote.toarray() / weights.sum()
    np.testing.assert_allclose(model.predict_proba([[new]])[0], expected, rtol=1e-6)
    assert model.predict([[new]])[0] == expected.argmax() == model.labels_[3]


def test_repeated_rows_count_more():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    once, often = fitted(X, 2), fitted(np.repeat(X, [1, 1, 1, 9, 9, 9], axis=0), 2)
    of_right = [model.predict_proba([[6.0]])[0, model.predict([[12.0]])[0]] for model in (once, often)]
    assert of_right[1] > of_right[0] + 0.2


OVERLAPPING = fitted(clusters(80, std=4.0, seed=3)[0])


@given(st.integers(0, 1000))
def test_each_sample_is_predicted_by_itself(seed):
    """Predictions do not depend on the order and number of the new samples."""
    rng = np.random.default_rng(seed)
    new = rng.uniform(-15, 15, size=(40, 10))
    order = rng.permutation(40)
    labels, probabilities = OVERLAPPING.predict(new), OVERLAPPING.predict_proba(new)
    np.testing.assert_array_equal(OVERLAPPING.predict(new[order]), labels[order])
    np.testing.assert_allclose(OVERLAPPING.predict_proba(new[order]), probabilities[order], atol=1e-6)
    np.testing.assert_array_equal(OVERLAPPING.predict(new[:1]), labels[:1])
    np.testing.assert_array_equal(labels, probabilities.argmax(axis=1))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)


def test_blocks_and_threads_do_not_matter(monkeypatch):
    X, _ = clusters(900, std=5.0)
    model = fitted(X[:300])
    labels, probabilities = model.predict(X), model.predict_proba(X)
    monkeypatch.setattr(prediction, "BLOCK_ROWS", 7)
    np.testing.assert_array_equal(model.predict(X), labels)
    np.testing.assert_allclose(model.predict_proba(X), probabilities, atol=1e-6)


@pytest.mark.parametrize("features", [3, 20])
def test_the_order_of_the_training_samples_does_not_matter(features):
    X, _ = clusters(400, d=features, std=4.0)
    order = np.random.default_rng(0).permutation(200)
    labels = [fitted(samples).predict(X[200:]) for samples in (X[:200], X[order])]
    assert ari(*labels) == 1


def test_curves_are_continued():
    X, y = make_moons(1200, noise=0.05, random_state=0)
    model = fitted(X[:400], 2)
    assert ari(y[400:], model.predict(X[400:])) > 0.99


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_units_and_distance_do_not_matter(unit):
    X, _ = clusters()
    model = fitted(unit * X[::2])
    np.testing.assert_array_equal(model.predict(unit * X[1::2]), fitted(X[::2]).predict(X[1::2]))
    far = np.array([np.full(10, 1e300), np.full(10, -1e300), np.full(10, unit * 1e9)])
    probabilities = model.predict_proba(far)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.filterwarnings("ignore:.* fewer than n_clusters:sklearn.exceptions.ConvergenceWarning")
def test_as_many_clusters_as_samples_or_one(k):
    X = np.array([[0.0], [0.0], [1.0], [5.0]])
    model = fitted(X, min(k, 4))
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.probabilities_.shape == (4, model.n_clusters_)
    np.testing.assert_allclose(model.probabilities_.sum(axis=1), 1)


def test_distances_leave_nothing_to_predict_from():
    X, _ = clusters(60)
    model = HypergraphClustering(4, affinity="precomputed_distances", random_state=0).fit(pairwise_distances(X))
    for predict in (model.predict, model.predict_proba):
        with pytest.raises(NotFittedError, match="fitted to distances"):
            predict(X)
    assert model.probabilities_.shape == (60, 4)
    np.testing.assert_allclose(model.outlier_scores_, fitted(X).outlier_scores_)


def test_in_a_pipeline_and_after_pickling():
    X, y = clusters(std=2.0)
    pipeline = make_pipeline(StandardScaler(), HypergraphClustering(4, random_state=0)).fit(X[::2])
    labels = pipeline.predict(X[1::2])
    assert ari(y[1::2], labels) == 1
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(pipeline)).predict(X[1::2]), labels)
    with pytest.raises(NotFittedError):
        _ = HypergraphClustering().probabilities_


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_pickle_has_one_copy_of_the_samples(dtype):
    X = clusters(2000, d=100)[0].astype(dtype)
    model = fitted(X)
    size = len(pickle.dumps(model))
    model.predict(X[:10])  # builds an index, which is not kept
    assert len(pickle.dumps(model)) == size
    assert X.nbytes < size < X.nbytes + 2000 * 8 * (1 + 4 + 5 + 20)  # labels, embedding, scales, scores, memberships


def peak(call, *arguments):
    """Return the memory that a call takes, in bytes."""
    tracemalloc.start()
    try:
        call(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_number_of_new_samples():
    model = fitted(clusters(d=16)[0])
    new = np.random.default_rng(0).standard_normal((60_000, 16))
    few, many = peak(model.predict, new[:20_000]), peak(model.predict, new)
    assert many - few < 4 * 8 * 40_000  # labels, twice while blocks are joined, and the check of the input


def graph_of(matrix):
    n = len(matrix)
    return Graph(Dense(np.array(matrix, dtype=float)), np.ones(n), np.zeros((n, 1), dtype=int))


def test_memberships_by_hand():
    """The walk leaves its sample, by the weights 3 and 1 to the others; the weight on the diagonal has no effect."""
    weights = [[5.0, 3, 1], [3, 5, 0], [1, 0, 5]]
    alone = Distinct(np.arange(3), np.arange(3))
    found = memberships(graph_of(weights), alone, np.array([0, 0, 1]), 2)
    np.testing.assert_allclose(found.vote.toarray(), [[0.875, 0.125], [1, 0], [0.5, 0.5]])
    np.testing.assert_allclose(found.walk.toarray(), [[1, 0], [0.75, 0.25], [0.75, 0.25]])
    assert found.walk.dtype == found.vote.dtype == np.float32
    # A copy is another sample: of the weight 5 of two copies with themselves, half is between them.
    copies = Distinct(np.array([0, 2]), np.array([0, 0, 1]))
    found = memberships(graph_of([[5.0, 1], [1, 1]]), copies, np.array([0, 1]), 2)
    np.testing.assert_allclose(found.vote.toarray(), [[6 / 7, 1 / 7], [0.5, 0.5]], rtol=1e-6)


@given(st.integers(0, 1000), st.sampled_from([1, 3, 8, 9, 20]))
def test_memberships_sum_to_one(seed, k):
    rng = np.random.default_rng(seed)
    matrix = sp.random_array((30, 30), density=0.1, rng=rng).toarray()
    found = memberships(
        graph_of(matrix + matrix.T), Distinct(np.arange(30), np.arange(30)), rng.integers(k, size=30), k
    )
    for steps in (found.vote, found.walk):
        assert steps.shape == (30, k)
        assert steps.data.min() >= 0
        np.testing.assert_allclose(steps.sum(axis=1), 1, rtol=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_memberships_are_nearer_to_the_posterior_than_labels(seed):
    X, posterior = mixture(2000, 5, 4, 5.0, seed)
    model = fitted(X[:1500])
    mean = np.array([posterior[:1500][model.labels_ == cluster].mean(axis=0) for cluster in range(4)])
    posterior = posterior[:, mean.argmax(axis=1)]

    def error(found, expected):
        return ((found - expected) ** 2).sum(axis=1).mean()

    assert error(model.probabilities_, posterior[:1500]) < 0.6 * error(np.eye(4)[model.labels_], posterior[:1500])
    labels, soft = model.predict(X[1500:]), model.predict_proba(X[1500:])
    assert error(soft, posterior[1500:]) < 0.6 * error(np.eye(4)[labels], posterior[1500:])


@pytest.mark.parametrize("features", [4, 40])
def test_planted_outliers_have_the_largest_scores(features):
    """Outliers near a dense cluster are found, although their neighbours are as close as those in a loose cluster."""
    rng = np.random.default_rng(0)
    spread = np.array([0.2, 0.5, 1, 2])
    centers = 20 * spread.max() * np.sqrt(features) * np.eye(4, features)
    X, _ = make_blobs([150] * 4, features, centers=centers, cluster_std=spread, random_state=0)
    direction = rng.standard_normal((4, 6, features))
    direction /= np.linalg.norm(direction, axis=2, keepdims=True)
    planted = centers[:, None] + 6 * np.sqrt(features) * spread[:, None, None] * direction
    scores = fitted(np.vstack([X, *planted])).outlier_scores_
    assert roc_auc_score(np.repeat([False, True], [600, 24]), scores) > 0.99
    assert np.median(scores[:600]) == pytest.approx(1, abs=0.2)


def test_outlier_scores_by_hand_and_of_copies():
    neighbors = np.array([[1], [2], [0], [0]])
    assert outlier_scores(Graph(Dense(np.eye(4)), np.array([1.0, 1, 1, 8]), neighbors)) == pytest.approx([1, 1, 1, 8])
    X, _ = clusters(80)
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(80), 3))
    np.testing.assert_allclose(fitted(X[rows]).outlier_scores_, fitted(X).outlier_scores_[rows])


@pytest.mark.parametrize("view", ["given", "equalized"])
@pytest.mark.parametrize("many", [False, True])
def test_single_precision_gives_the_labels_of_double(view, many, monkeypatch):
    """Few samples are computed in double precision, many are not."""
    only(monkeypatch, view)
    monkeypatch.setattr(ak_nc, "DOUBLE_PRECISION_SAMPLES", 500 if many else 5000)
    X = load_digits().data[:900]
    X = (X + np.random.default_rng(0).standard_normal(X.shape)).astype(np.float32)
    single, double = fitted(X, 10), fitted(X.astype(np.float64), 10)
    assert single._voters.samples.dtype == np.float32
    assert double._voters.samples.dtype == np.float64
    np.testing.assert_allclose(single.affinity_scale_, double.affinity_scale_, rtol=1e-5)
    np.testing.assert_array_equal(single.labels_, double.labels_)
    new = X[:100] + np.float32(0.5)
    np.testing.assert_array_equal(single.predict(new), double.predict(new))


def test_single_precision_takes_less_memory(monkeypatch):
    only(monkeypatch, "given")
    monkeypatch.setattr(ak_nc, "CHOICE_SAMPLES", 200)
    monkeypatch.setattr(ak_nc, "DOUBLE_PRECISION_SAMPLES", 500)
    X = clusters(1500, 4, 2000)[0].astype(np.float32)
    assert peak(fitted, X) < 0.7 * peak(fitted, X.astype(np.float64))
