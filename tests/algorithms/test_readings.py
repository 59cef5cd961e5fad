"""Every reading of the paper runs; readings that change a formula are compared with loops."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercut import algorithms
from hypercut.algorithms.nrsc import without_noise_cluster
from hypercut.algorithms.pko_hsc import BALANCES, DIAGONALS, context_similarity
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.core.trace_ratio import maximize_trace_ratio
from hypercut.errors import InputError
from hypercut.metrics import ari
from hypercut.paper import published, readings
from tests import reference
from tests.strategies import sample_sets

SWITCHED = [reading for reading in readings.readings().values() if reading.parameters]
CASES = [
    pytest.param(reading, name, id=f"{reading.name} {name}") for reading in SWITCHED for name in reading.algorithms
]


def blobs(seed: int = 0, n: int = 30) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0, 0], [6, 0, 0], [0, 6, 0]])
    y = np.arange(n) % 3
    return centers[y] + rng.standard_normal((n, 3)), y


@pytest.mark.parametrize(("reading", "name"), CASES)
def test_a_reading_runs_and_finds_separated_clusters(reading, name):
    x, y = blobs()
    estimator = algorithms.get(name)(3, random_state=0, **reading.parameters)
    assert ari(y, estimator.fit_predict(x)) > 0.9
    assert estimator.status_ == "ok"
    default = algorithms.get(name)().get_params()
    assert all(default[parameter] != value for parameter, value in reading.parameters.items())


def test_the_readings_of_a_decision_name_its_algorithms():
    for reading in readings.readings().values():
        assert re.fullmatch("[a-z]+-[a-z]+", reading.name)  # as the workflow expects in the names of files
        assert set(reading.algorithms) <= set(algorithms.names())
        assert set(reading.datasets) <= set(published.DATASETS)
        assert sum(map(bool, (reading.parameters, reading.data, reading.grid, reading.sigma_of, reading.select))) == 1


def literal(a, d2, labelings, diagonal, center, balance):
    edges = reference.hyperedges(d2, 3)
    if not center:
        edges = [edge - {e} for e, edge in enumerate(edges)]
    pairwise = a
    if diagonal == "degrees":
        pairwise = reference.literal_pairwise(a)
    terms = [pairwise, reference.knn(a, edges), reference.overclustering(a, d2, labelings)]
    if diagonal == "zero":
        terms = [reference.hollow(term) for term in terms]
    return [reference.balanced(term, balance) for term in terms]


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("diagonal", DIAGONALS)
@settings(max_examples=10)  # of each of twelve
@given(
    x=sample_sets(min_size=6),
    factor=st.sampled_from([0.6, 2.0]),
    weights=st.sampled_from([(0.5, 0.3), (0.4, 0.4), (0.2, 0.0), (0.0, 0.2), (0.6, 0.4)]),
    center=st.booleans(),
    name=st.sampled_from(["PKO+HSC", "PKO+NC", "PK+HSC", "PO+HSC"]),
)
def test_constructions_of_the_similarity(diagonal, balance, x, factor, weights, center, name):
    samples = Samples.from_features(x)
    sigma = factor * samples.mean_distance
    hypergraphs = Hypergraphs(samples, sigma)
    alpha, beta = weights
    gamma = 1 - alpha - beta
    estimator = algorithms.get(name)(2, alpha=alpha, beta=beta, diagonal=diagonal, balance=balance)
    if "center" in estimator.get_params():
        estimator.set_params(center=center)
    d2 = reference.squared_distances(x)
    a = reference.kernel(d2, sigma)
    pairwise, knn, over = literal(a, d2, hypergraphs.overclusterings(4, 0), diagonal, center, balance)
    expected = {
        "PK+HSC": (alpha * pairwise + beta * knn) / (alpha + beta),
        "PO+HSC": (alpha * pairwise + gamma * over) / (alpha + gamma),
    }.get(name, alpha * pairwise + beta * knn + gamma * over)
    similarity = estimator.similarity(hypergraphs, 0)
    np.testing.assert_allclose(similarity.dense(), expected, atol=1e-6)
    np.testing.assert_allclose(similarity.apply(np.eye(len(x))), expected, atol=1e-6)
    np.testing.assert_allclose(similarity.degrees, expected.sum(axis=1), atol=1e-6)


@settings(max_examples=20)
@given(x=sample_sets(min_size=6), k=st.integers(1, 4), diagonal=st.sampled_from(DIAGONALS))
def test_pairwise_similarity_on_the_edges_to_nearest_neighbours(x, k, diagonal):
    samples = Samples.from_features(x)
    estimator = algorithms.get("PK+HSC")(2, alpha=1, beta=0, pairwise_neighbors=k, diagonal=diagonal)
    similarity = estimator.similarity(Hypergraphs(samples, samples.mean_distance), 0)
    d2 = reference.squared_distances(x)
    near = [edge - {i} for i, edge in enumerate(reference.hyperedges(d2, k))]
    expected = reference.kernel(d2, samples.mean_distance)
    for i, row in enumerate(expected):
        for j in range(len(row)):
            if i != j and i not in near[j] and j not in near[i]:
                row[j] = 0
    if diagonal == "zero":
        expected = reference.hollow(expected)
    elif diagonal == "degrees":
        expected = reference.literal_pairwise(expected)
    np.testing.assert_allclose(similarity.dense(), expected, atol=1e-6)
    np.testing.assert_allclose(similarity.degrees, expected.sum(axis=1), atol=1e-6)


@pytest.mark.parametrize("name", ["PKO+HSC", "PO+HSC", "PKO+NC"])
def test_over_clustering_by_kmeans(name):
    x, _ = blobs(3, 40)
    hypergraphs = Hypergraphs(Samples.from_features(x), 2.0)
    labels = hypergraphs.kmeans_overclustering(6, 0)
    assert Hypergraphs(hypergraphs.samples, 9.0).kmeans_overclustering(6, 0) is labels  # found once for all σ
    assert set(labels) == set(range(6))
    means = [
        np.mean([row for row, label in zip(x, labels, strict=True) if label == community], 0) for community in range(6)
    ]
    # Lloyd's iteration has ended: each sample is in the community with the nearest mean.
    assert [int(np.argmin([np.linalg.norm(row - mean) for mean in means])) for row in x] == labels.tolist()
    d2 = reference.squared_distances(x)
    expected = reference.overclustering(reference.kernel(d2, 2.0), d2, [labels])
    similarity = algorithms.get(name)(3, alpha=0, beta=0, overcluster_by="kmeans").similarity(hypergraphs, 0)
    np.testing.assert_allclose(similarity.dense(), expected, atol=1e-9)


def test_over_clustering_by_kmeans_needs_features():
    distances = np.sqrt(reference.squared_distances(blobs()[0]))
    estimator = algorithms.get("PO+HSC")(3, affinity="precomputed_distances", overcluster_by="kmeans", sigma_factor=1.0)
    with pytest.raises(InputError, match="needs features"):
        estimator.fit(distances)


@pytest.mark.parametrize("name", ["PKO+HSC", "PK+HSC", "PO+HSC", "RWDSM"])
def test_trace_ratio_of_the_normalized_similarity(name):
    x, _ = blobs(2, 60)
    hypergraphs, rng = Hypergraphs(Samples.from_features(x), 1.5), np.random.default_rng(0)
    estimator = algorithms.get(name)(3, rescaled=True)
    similarity = estimator.similarity(hypergraphs, 0)
    found = estimator.partition(similarity, rng)
    s, degrees = similarity.dense(), similarity.dense().sum(axis=1)
    normalized = np.array([[s[i][j] / np.sqrt(degrees[i] * degrees[j]) for j in range(60)] for i in range(60)])
    projector, ratio = newton(normalized, 3, 12)
    np.testing.assert_allclose(found.embedding @ found.embedding.T, projector, atol=1e-4)
    assert found.solver["trace_ratio"] == pytest.approx(ratio, rel=1e-6)


def test_weight_zero_makes_nothing():
    hypergraphs = Hypergraphs(Samples.from_features(blobs(0, 10)[0]), 1.0)
    assert len(context_similarity(hypergraphs, 0.6, 0.4).terms) == 2  # 1 − 0.6 − 0.4 is not exactly zero
    assert not hypergraphs._overclusterings


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_steps_of_the_walk(steps):
    x, _ = blobs(1, 15)
    samples = Samples.from_features(x)
    similarity = algorithms.get("RWDSM")(2, walk_steps=steps).similarity(Hypergraphs(samples, 2.0), 0)
    a = reference.kernel(reference.squared_distances(x), 2.0)
    walk = np.linalg.matrix_power(a / a.sum(axis=1, keepdims=True), steps)
    expected = walk @ a @ walk.T
    np.testing.assert_allclose(similarity.dense(), expected, atol=1e-12)
    np.testing.assert_allclose(similarity.apply(np.eye(len(x))), expected, atol=1e-12)
    np.testing.assert_allclose(similarity.degrees, expected.sum(axis=1), atol=1e-12)


def newton(s, k, steps):
    """Return the projector on P after steps of Newton's method from the normalised-cut vectors, by LAPACK."""
    d = s.sum(axis=1)
    q = np.diag(d) - s
    values, vectors = np.linalg.eigh(s / np.sqrt(np.outer(d, d)))
    p = np.linalg.qr(vectors[:, np.argsort(-values)[:k]] / np.sqrt(d)[:, None])[0]
    for _ in range(steps):
        ratio = np.trace(p.T @ s @ p) / np.trace(p.T @ q @ p)
        values, vectors = np.linalg.eigh(s - ratio * q)
        p = vectors[:, np.argsort(-values)[:k]]
    return p @ p.T, np.trace(p.T @ s @ p) / np.trace(p.T @ q @ p)


@pytest.mark.parametrize("steps", [0, 1, 2])
@pytest.mark.parametrize("n", [60, 700])  # by LAPACK, and by Davidson
def test_newton_steps_from_the_normalized_cut(steps, n):
    x, _ = blobs(2, n)
    samples = Samples.from_features(x)
    similarity = context_similarity(Hypergraphs(samples, 1.5), 0.5, 0.5, seed=0)
    found = maximize_trace_ratio(similarity, 3, np.random.default_rng(0), newton_steps=steps)
    projector, ratio = newton(similarity.dense(), 3, steps)
    np.testing.assert_allclose(found.vectors @ found.vectors.T, projector, atol=1e-4)
    assert found.ratios[-1] == pytest.approx(ratio, rel=1e-6)
    assert found.n_iter == steps
    assert found.status == "ok"


def test_newton_steps_on_components_are_degenerate():
    x = np.repeat(np.eye(3) * 1e4, 10, axis=0) + np.random.default_rng(0).standard_normal((30, 3))
    found = algorithms.get("PK+HSC")(3, newton_steps=1, sigma_factor=0.01, random_state=0).fit(x)
    assert found.status_ == "degenerate"
    assert ari(np.repeat(np.arange(3), 10), found.labels_) == 1


def test_overclusterings_at_another_sigma():
    x, _ = blobs(4, 40)
    samples = Samples.from_features(x)
    rho = samples.mean_distance
    other = Hypergraphs(samples, 2 * rho).overclusterings(6, 0)
    hypergraphs = Hypergraphs(samples, 0.3 * rho)
    assert any(ari(a, b) < 1 for a, b in zip(other, hypergraphs.overclusterings(6, 0), strict=True))
    similarity = algorithms.get("PO+HSC")(3, alpha=0, beta=0, overclustering_sigma_factor=2.0).similarity(
        hypergraphs, 0
    )
    d2 = reference.squared_distances(x)
    expected = reference.overclustering(reference.kernel(d2, 0.3 * rho), d2, other)
    np.testing.assert_allclose(similarity.dense(), expected, atol=1e-9)


def test_provided_overclusterings_at_another_sigma_are_used():
    samples = Samples.from_features(blobs(5, 20)[0])
    hypergraphs = Hypergraphs(samples, 1.0)
    provided = (np.arange(20) % 4, np.arange(20) % 5)
    hypergraphs.provide_overclusterings(6, 0, provided, sigma_factor=2.0)
    assert hypergraphs.overclusterings(6, 0, sigma_factor=2.0) is provided
    assert hypergraphs.overclusterings(6, 0) is not provided


def test_the_noise_cluster_goes_to_the_nearest_others():
    rng = np.random.default_rng(0)
    vectors = np.vstack([rng.standard_normal((5, 2)) * 0.1 + at for at in ([3, 0], [0.1, 0.1], [0, 3])])
    labels = np.repeat([7, 3, 5], 5)
    found = without_noise_cluster(labels, vectors)
    centers = {0: vectors[10:].mean(axis=0), 1: vectors[:5].mean(axis=0)}  # labels 5 and 7 become 0 and 1
    nearest = [min(centers, key=lambda c: np.linalg.norm(v - centers[c])) for v in vectors[5:10]]
    assert found.tolist() == [1] * 5 + nearest + [0] * 5


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("PKO+HSC", {"diagonal": "two"}),
        ("PKO+NC", {"balance": "degrees"}),
        ("PK+HSC", {"center": "no"}),
        ("PO+HSC", {"overclustering_sigma_factor": 0}),
        ("PKO+HSC", {"newton_steps": -1}),
        ("PKO+HSC", {"rescaled": "yes"}),
        ("PK+HSC", {"pairwise_neighbors": 0}),
        ("PKO+NC", {"overcluster_by": "ward"}),
        ("PKO+NC", {"n_starts": 0}),
        ("PKO+NC", {"assign_labels": "rotate"}),
        ("STSC", {"assign_labels": "discretize"}),
        ("RWDSM", {"walk_steps": 0}),
        ("RWDSM", {"cut": "ratio"}),
        ("NRSC", {"noise_cluster": "yes"}),
    ],
)
def test_bad_parameters_are_errors(name, parameters):
    with pytest.raises(InputError, match=f"Expected {next(iter(parameters))} "):
        algorithms.get(name)(2, **parameters).fit(blobs()[0])
