import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from hypercut.algorithms.pko_hsc import context_similarity
from hypercut.core.eigen import davidson, solve
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.core.similarity import Dense
from hypercut.core.trace_ratio import maximize_trace_ratio
from tests import reference
from tests.strategies import sample_sets


def similarity_of(x, factor=0.6):
    samples = Samples.from_features(x)
    return context_similarity(Hypergraphs(samples, factor * samples.mean_distance), 0.4, 0.4, n_overclusters=4, seed=0)


def block_graph(sizes, seed=0):
    """A similarity with one component per size."""
    rng = np.random.default_rng(seed)
    blocks = []
    for size in sizes:
        block = rng.uniform(0.5, 1, (size, size))
        blocks.append((block + block.T) / 2)
    return Dense(scipy.linalg.block_diag(*blocks))


@given(sample_sets(min_size=6), st.integers(2, 4), st.sampled_from([0.2, 0.6, 2.0]))
def test_the_ratio_rises_to_its_optimum(x, k, factor):
    similarity = similarity_of(x, factor)
    found = maximize_trace_ratio(similarity, k, np.random.default_rng(0))
    if found.status == "degenerate":
        return
    assert found.status == "ok"
    dense = similarity.dense()
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(k), atol=1e-9)
    # tr(PᵀQP) is a difference: of a ratio ρ, log10 ρ of the sixteen digits are lost.
    rounding = max(1e-9, 1e-14 * found.ratios[-1])
    assert (np.diff(found.ratios) >= -rounding * found.ratios[-1]).all()
    assert found.ratios[-1] == pytest.approx(reference.trace_ratio(dense, found.vectors), rel=max(1e-6, rounding))
    # The certificate of the global maximum: the K largest eigenvalues of S − ρQ sum to zero.
    laplacian = np.diag(dense.sum(axis=1)) - dense
    values = np.linalg.eigvalsh(dense - found.ratios[-1] * laplacian)
    assert abs(values[-k:].sum()) <= 1e-6 * np.abs(values[-k:]).max() + 1e-13 * np.abs(values).max()


@given(sample_sets(min_size=8), st.integers(2, 4), st.integers(0, 1000))
def test_the_optimum_does_not_depend_on_the_start(x, k, seed):
    similarity = similarity_of(x)
    usual = maximize_trace_ratio(similarity, k, np.random.default_rng(0))
    start = np.random.default_rng(seed).standard_normal((len(x), k))
    other = maximize_trace_ratio(similarity, k, np.random.default_rng(0), start=start)
    assert other.ratios[-1] == pytest.approx(usual.ratios[-1], rel=1e-7)


def test_large_sets_take_the_iteration_and_agree_with_the_dense_solver(monkeypatch):
    rng = np.random.default_rng(0)
    x = np.vstack([rng.standard_normal((250, 5)) + shift for shift in (0, 2, 4)])
    similarity = similarity_of(x, 0.4)
    iterated = maximize_trace_ratio(similarity, 3, np.random.default_rng(0))
    assert iterated.eigenpairs.path == "davidson"
    monkeypatch.setattr(solve, "DENSE_SAMPLES", 10_000)
    dense = maximize_trace_ratio(similarity, 3, np.random.default_rng(0))
    assert dense.eigenpairs.path == "dense"
    assert iterated.ratios[-1] == pytest.approx(dense.ratios[-1], rel=1e-7)
    assert np.linalg.svd(iterated.vectors.T @ dense.vectors)[1].min() > 1 - 1e-6
    assert (np.diff(iterated.ratios) >= -1e-9 * iterated.ratios[-1]).all()


@pytest.mark.parametrize(
    ("sizes", "clusters"), [((4, 5), (5, 4)), ((300, 350, 40), (350, 300, 40)), ((6, 5, 2, 1, 1), (6, 5, 4))]
)
def test_components_are_the_clusters_of_a_disconnected_graph(sizes, clusters):
    found = maximize_trace_ratio(block_graph(sizes), len(clusters), np.random.default_rng(0))
    assert found.status == "degenerate"
    assert found.ratios[-1] == np.inf
    np.testing.assert_array_equal((found.vectors > 0).sum(axis=0), clusters)
    fewer = maximize_trace_ratio(block_graph(sizes), len(sizes) + 1, np.random.default_rng(0))
    assert fewer.status == "ok"  # an ordinary problem
    assert np.isfinite(fewer.ratios[-1])


@pytest.mark.parametrize(
    ("usual", "limits"),
    [
        ({"DENSE_SAMPLES": 0, "LARGEST_DENSE": 0}, {"MAX_PRODUCTS": 2}),  # beyond the N at which the matrix is formed
        ({"DENSE_SAMPLES": 10_000}, {"MAX_NEWTON_STEPS": 2}),
        ({"DENSE_SAMPLES": 0, "MAX_PRODUCTS": 2}, {"MAX_NEWTON_STEPS": 2}),  # formed after the iteration has failed
    ],
)
def test_what_does_not_converge_is_reported(monkeypatch, usual, limits):
    similarity = similarity_of(np.random.default_rng(0).normal(size=(200, 3)), 0.2)
    for values, status in ((usual, "ok"), (limits, "not_converged")):
        for name, value in values.items():
            monkeypatch.setattr(davidson if name == "MAX_PRODUCTS" else solve, name, value)
        assert maximize_trace_ratio(similarity, 4, np.random.default_rng(0)).status == status
