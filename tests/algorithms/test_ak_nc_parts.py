"""Separate parts in the graph of AK+NC are found for any shape and size, and only if there are some."""

from dataclasses import replace

import numpy as np
import pytest

from hypercut import HypergraphClustering
from hypercut.algorithms.ak_nc.graph import bridged_knn, multiscale_knn
from hypercut.algorithms.ak_nc.parts import gaps, joined_to, separate_parts
from hypercut.core.components import connected_components
from hypercut.core.eigen import Spectrum
from hypercut.core.neighbors import nearest_neighbors
from hypercut.metrics import ari


def ring(n: int, radius: float, width: float, rng: np.random.Generator) -> np.ndarray:
    angles = rng.uniform(0, 2 * np.pi, n)
    return (radius + width * rng.standard_normal(n))[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])


def labelled(*groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate(groups), np.repeat(np.arange(len(groups)), [len(group) for group in groups])


def n_parts(X: np.ndarray) -> int:
    return int(separate_parts(bridged_knn(X), 0).max()) + 1


@pytest.mark.parametrize("seed", range(3))
def test_shapes_of_unequal_size_are_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = labelled(
        ring(500, 5, 0.1, rng), rng.normal(0, 0.3, (60, 2)), rng.normal(9, 0.4, (100, 2)), rng.uniform(-9, -7, (300, 2))
    )
    found = HypergraphClustering(random_state=0).fit(X)
    assert found.n_clusters_ == 4
    assert ari(y, found.labels_) == 1


def test_parts_of_parts_are_found() -> None:
    rng = np.random.default_rng(0)
    centers = np.array([[0, 0], [3, 0], [0, 3], [100, 0], [103, 0], [100, 3]])
    X, y = labelled(*(center + 0.4 * rng.standard_normal((80, 2)) for center in centers))
    found = HypergraphClustering(random_state=0).fit(X)
    assert found.n_clusters_ == 6
    assert ari(y, found.labels_) == 1


@pytest.mark.parametrize("seed", range(5))
def test_a_curve_a_ring_and_a_cloud_are_not_divided(seed: int) -> None:
    rng = np.random.default_rng(seed)
    line = np.column_stack([rng.uniform(0, 30, 600), 0.2 * rng.standard_normal(600)])
    assert n_parts(line) == n_parts(ring(600, 5, 0.1, rng)) == 1
    assert n_parts(rng.standard_normal((600, 2))) == n_parts(rng.standard_normal((600, 8))) == 1


def test_pieces_of_a_curve_are_joined_by_bridges() -> None:
    """Gaps of 12 steps, which 7 neighbours do not span."""
    place = np.concatenate([start + np.linspace(0, 1, 60) for start in (0, 1.2, 2.4)])
    X, y = labelled(np.column_stack([place, np.zeros(180)]), np.column_stack([place, np.full(180, 5.0)]))
    apart = multiscale_knn(nearest_neighbors(X, 7))
    assert connected_components(apart.similarity).max() + 1 == 6
    graph = bridged_knn(X)
    assert ari(y, connected_components(graph.similarity)) == 1
    assert len(graph.bridges) == 5
    assert (graph.exponents >= 16).sum() == 1
    assert ari(y, HypergraphClustering(2, random_state=0).fit_predict(X)) == 1


def test_outliers_are_no_clusters() -> None:
    rng = np.random.default_rng(0)
    X, y = labelled(ring(500, 5, 0.1, rng), rng.normal(0, 0.3, (500, 2)), rng.uniform(20, 60, (6, 2)))
    for n_clusters in (None, 2):
        labels = HypergraphClustering(n_clusters, random_state=0).fit_predict(X)
        assert len(np.unique(labels)) == 2
        assert ari(y[:1000], labels[:1000]) == 1


def test_more_parts_than_asked_for_are_joined_to_the_nearest() -> None:
    rng = np.random.default_rng(0)
    X, y = labelled(*(center + rng.normal(0, 0.1, (100, 2)) for center in ([0, 0], [2, 0], [20, 0], [40, 0], [45, 0])))
    graph = bridged_knn(X)
    parts = separate_parts(graph, 0)
    assert ari(y, parts) == 1
    for k, expected in {4: [0, 0, 1, 2, 3], 3: [0, 0, 1, 2, 2]}.items():
        assert ari(np.array(expected)[y], joined_to(graph, parts, k)) == 1


def test_gaps_of_known_rates() -> None:
    np.testing.assert_allclose(gaps(1 - np.array([0.0, 1e-3, 5e-2, 1e-1])), [1e-3 / np.exp(-16), 50, 2])


def test_rates_that_have_not_converged_are_no_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (150, 2)), rng.normal(6, 1, (150, 2))])
    assert n_parts(X) == 2
    leading = Spectrum.leading
    monkeypatch.setattr(
        Spectrum, "leading", lambda *args, **options: replace(leading(*args, **options), converged=False)
    )
    assert n_parts(X) == 1
    assert HypergraphClustering(2, random_state=0).fit(X).status_ == "not_converged"
