from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from hypercut import PKONC, algorithms
from hypercut.core.samples import Samples
from hypercut.metrics import nmi
from hypercut.selection import SIGMA_FACTORS, neighbor_information, select_sigma

SCALED = [algorithm for algorithm in algorithms.registry().values() if algorithm.has_sigma]


def line(*positions):
    return Samples.from_features(np.array(positions, dtype=float)[:, None])


def test_neighbor_information_by_hand():
    """Four samples: one neighbour each, and the pairs are 0 1 and 2 3."""
    samples = line(0, 1, 10, 11)
    halves, mixed, one = [0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 0]
    # Of mixed, the ends of the four edges are 0 1, 1 0, 1 1, 1 1.
    some = 0.5 * np.log(0.25 / (0.25 * 0.75)) + 0.5 * np.log(0.5 / 0.75**2)
    scores = neighbor_information(samples, [np.array(labels) for labels in (halves, mixed, one)])
    assert scores == pytest.approx([np.log(2), some, 0])


def test_isolated_outliers_do_not_win():
    """A normalised cut favours this: every edge is within a cluster, but the labels carry almost no information."""
    X, y = make_blobs(120, 2, centers=3, random_state=0)
    X = np.vstack([X, [[500.0, 0.0], [0.0, 500.0]]])
    samples = Samples.from_features(X)
    clusters, outliers = np.append(y, [0, 0]), np.append(np.zeros(120, dtype=int), [1, 2])
    for scales_that_isolate in (1, 5):
        labelings = [outliers] * scales_that_isolate + [clusters]
        assert int(np.argmax(neighbor_information(samples, labelings))) == scales_that_isolate


def test_clusters_that_are_cut_through_tell_less():
    X, y = make_blobs(200, 2, centers=[[0, 0], [20, 0], [0, 20], [20, 20]], random_state=0)
    samples = Samples.from_features(X)
    # More and more of the first cluster goes to the second.
    labelings = [np.where((y == 0) & (X[:, 0] > edge), 1, y) for edge in (3.0, 1.0, 0.0, -1.0)]
    scores = neighbor_information(samples, labelings)
    assert all(more > less for more, less in pairwise(scores))


def test_copies_tell_nothing_of_a_labeling():
    """The nearest neighbours of fifty copies are copies. They must not become a cluster for which others are joined."""
    X, y = make_blobs([40, 20, 20], 2, centers=[[0, 0], [5, 0], [0, 5]], random_state=0)
    X, y = np.vstack([X, np.repeat(X[:1], 49, axis=0)]), np.append(y, np.repeat(y[:1], 49))
    copies = np.append(np.arange(80) == 0, np.ones(49, dtype=bool))
    apart = np.where(copies, 0, np.where(y == 0, 1, 2))
    scores = neighbor_information(Samples.from_features(X), [y, apart])
    assert scores[0] > scores[1]


def test_the_scale_whose_labels_neighbours_share_wins():
    X, y = make_blobs(40, 2, centers=2, random_state=0)
    samples = Samples.from_features(X)
    noise = np.random.default_rng(1).integers(2, size=40)

    def cluster(hypergraphs):
        factor = round(hypergraphs.sigma / samples.mean_distance, 6)
        return SimpleNamespace(labels=y if factor in (2.0, 4.0) else noise, sigma_factor=factor)

    selected = select_sigma(cluster, samples, [1.0, 2.0, 3.0, 4.0, 5.0])  # the wrong labels agree at most scales
    assert selected.sigma_factor == selected.result.sigma_factor == 2.0  # the smaller of two equals
    assert selected.scores[2.0] == selected.scores[4.0] > selected.scores[1.0]


def gaussians(seed, n, dimension, centers):
    """Four unit Gaussians, the nearest two of them six standard deviations apart."""
    rng = np.random.default_rng(seed)
    if centers == "square":
        means = np.zeros((4, dimension))
        means[:, :2] = [[0, 0], [0, 6], [6, 0], [6, 6]]
    else:
        means = rng.standard_normal((4, dimension))
        means *= 6 / min(np.linalg.norm(a - b) for i, a in enumerate(means) for b in means[:i])
    y = rng.permutation(np.arange(n) % 4)
    return means[y] + rng.standard_normal((n, dimension)), y


@pytest.mark.parametrize("algorithm", SCALED, ids=lambda algorithm: algorithm.name)
@pytest.mark.parametrize(
    ("seed", "n", "dimension", "centers"),
    [(3, 100, 2, "random"), (32, 200, 20, "random"), (2, 100, 2, "square")],
)
def test_what_any_scale_gets_right_is_found(algorithm, seed, n, dimension, centers):
    """On easy data the chosen σ is as good as the best, even if most values of σ agree on wrong labels."""
    X, y = gaussians(seed, n, dimension, centers)
    samples = Samples.from_features(X)
    found = []

    def cluster(hypergraphs):
        clustering = algorithm(4).cluster(hypergraphs, seed)
        found.append(nmi(y, clustering.labels))
        return clustering

    chosen = select_sigma(cluster, samples).result
    assert nmi(y, chosen.labels) >= max(found) - 0.03


def test_auto_is_one_of_the_grid():
    assert PKONC(4, random_state=0).fit(gaussians(0, 60, 2, "square")[0]).sigma_factor_ in SIGMA_FACTORS
