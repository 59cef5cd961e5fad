import numpy as np
from scipy.stats import ortho_group

from hypercut.core.kmeans import _orthogonal_centers, orthogonal_kmeans
from hypercut.core.normalized_cut import unit_rows
from hypercut.metrics import ari


def blobs(seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(4), 30)
    return labels, np.eye(4)[labels] + 0.15 * rng.standard_normal((120, 4))


def test_centres_are_as_orthogonal_as_rows_allow():
    rows = unit_rows(np.array([[1.0, 0.1], [1.0, 0.0], [0.0, 1.0], [0.7, 0.7], [0.0, 0.0]]))
    assert list(_orthogonal_centers(rows, 2, 1)) == [1, 2]
    assert list(_orthogonal_centers(rows, 3, 1)) == [1, 2, 3]  # then the one farthest from both; never the zero row


def test_clusters_are_found_in_any_order_and_basis():
    labels, rows = blobs()
    found = orthogonal_kmeans(rows, 4, np.random.default_rng(0))
    assert ari(labels, found.labels) == 1
    order = np.random.default_rng(1).permutation(len(rows))
    turned = orthogonal_kmeans(rows[order] @ ortho_group.rvs(4, random_state=0), 4, np.random.default_rng(0))
    assert ari(labels[order], turned.labels) == 1
    np.testing.assert_allclose(turned.inertia, found.inertia)


def test_fewer_distinct_rows_than_clusters():
    rows = np.repeat(np.eye(2), 5, axis=0)
    assert len(set(orthogonal_kmeans(rows, 3, np.random.default_rng(0)).labels)) == 2
