from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from hypercut import PKONC
from hypercut.core.samples import Samples
from hypercut.metrics import nmi
from hypercut.selection import SIGMA_FACTORS, select_scale, shared_information


def test_the_papers_grid():
    assert tuple(pytest.approx(0.2 * step) for step in range(1, 16)) == SIGMA_FACTORS


def test_shared_information_by_hand():
    halves = np.array([0, 0, 1, 1])
    outlier = np.array([0, 0, 0, 1])
    scores = shared_information([halves, halves, outlier])
    with_outlier = np.log(2) + np.log(4) / 4 + 0.75 * np.log(4 / 3) - (0.5 * np.log(2) + 0.5 * np.log(4))
    # I(halves, outlier) = H(halves) + H(outlier) − H(both), with three joint cells of 1/2, 1/4, 1/4.
    assert scores == pytest.approx([(np.log(2) + with_outlier) / 2] * 2 + [with_outlier])


def test_the_labels_that_most_scales_share_win():
    samples = Samples.from_features(np.random.default_rng(0).standard_normal((40, 2)))
    pattern = np.repeat([0, 1], 20)
    noise = {1.0: np.random.default_rng(1).integers(2, size=40), 3.0: np.random.default_rng(2).integers(2, size=40)}

    def cluster(hypergraphs):
        factor = round(hypergraphs.sigma / samples.mean_distance, 6)
        return SimpleNamespace(labels=noise.get(factor, pattern), factor=factor)

    selected = select_scale(cluster, samples, [1.0, 2.0, 3.0, 4.0])
    assert selected.factor == selected.result.factor == 2.0  # the smaller of two equals
    assert selected.scores[2.0] == selected.scores[4.0] > selected.scores[1.0]


def test_auto_is_one_of_the_grid_and_near_the_best():
    X, y = make_blobs(120, 4, centers=4, cluster_std=1.5, random_state=3)
    chosen = PKONC(4, random_state=0).fit(X)
    assert chosen.sigma_factor_ in SIGMA_FACTORS
    scores = [nmi(y, PKONC(4, sigma_factor=factor, random_state=0).fit(X).labels_) for factor in SIGMA_FACTORS]
    assert nmi(y, chosen.labels_) >= np.median(scores)
