"""Which samples are identical, and eigenvectors that do not tell them apart."""

import numpy as np
import pytest
import scipy.linalg
from sklearn.metrics import pairwise_distances

from hypercut.core.copies import distinct_rows
from hypercut.core.eigen import DegreeShifted, Normalized, top_eigenpairs
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.core.similarity import EqualOnCopies


def with_copies(n_distinct, seed=0, dimension=3):
    rng = np.random.default_rng(seed)
    which = rng.permutation(np.repeat(np.arange(n_distinct), rng.integers(1, 6, n_distinct)))
    return rng.standard_normal((n_distinct, dimension))[which] + 100, which


def test_zero_of_either_sign_is_zero():
    found = distinct_rows(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -0.0]]))
    assert found.of.tolist() == [0, 1, 0]
    assert found.first.tolist() == [0, 1]
    assert found.counts.tolist() == [2, 1]


@pytest.mark.parametrize(
    "distinct",
    [
        pytest.param(distinct_rows, id="rows"),
        pytest.param(lambda X: Samples.from_features(X).distinct, id="features"),
        pytest.param(lambda X: Samples.from_features(X, dtype=np.float32).distinct, id="single precision"),
        # Products leave some 1e-6 between these copies, not zero.
        pytest.param(lambda X: Samples.from_distances(pairwise_distances(X - 100)).distinct, id="distances"),
    ],
)
def test_copies_are_found(distinct):
    X, which = with_copies(300)
    found = distinct(X)
    assert len(found) == 300
    np.testing.assert_array_equal(X[found.first][found.of], X)
    assert len(set(zip(which, found.of, strict=True))) == 300


def test_near_is_not_identical():
    """Two clouds whose distance is 10⁹ times their extent: nothing in them is a copy of anything."""
    X = np.random.default_rng(0).standard_normal((40, 2))
    X[20:] += 1e9
    assert not Samples.from_features(X).distinct.has_copies


@pytest.mark.parametrize("n_distinct", [40, 700])
@pytest.mark.parametrize("operator_of", [Normalized, lambda S: DegreeShifted(S, 0.9)], ids=["normalized", "shifted"])
def test_the_largest_eigenvectors_that_are_constant_on_copies(n_distinct, operator_of):
    samples = Samples.from_features(with_copies(n_distinct)[0])
    hypergraphs = Hypergraphs(samples, 0.3 * samples.mean_distance)
    # Of more than three copies, the first are in more hyperedges than the others.
    similarity = hypergraphs.equal_on_copies(hypergraphs.combined(0.5, 0.5, k=3, n_communities=0, seed=0))
    assert isinstance(similarity, EqualOnCopies)
    operator = operator_of(similarity)
    found = top_eigenpairs(operator, 8, np.random.default_rng(0))
    assert found.path == ("dense" if n_distinct <= 600 else "davidson")
    of = samples.distinct.of
    np.testing.assert_array_equal(found.vectors, found.vectors[samples.distinct.first][of])
    indicators = (of[:, None] == np.arange(n_distinct)) / np.sqrt(samples.distinct.counts)
    expected = scipy.linalg.eigvalsh(indicators.T @ operator.dense() @ indicators)[::-1][:8]
    np.testing.assert_allclose(found.values, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(operator.apply(found.vectors), found.vectors * found.values, atol=1e-5)


def test_copies_have_the_same_similarities():
    samples = Samples.from_features(with_copies(30)[0])
    hypergraphs = Hypergraphs(samples, 0.3 * samples.mean_distance)
    plain = hypergraphs.knn(3)
    equal = hypergraphs.equal_on_copies(plain)
    formed = equal.dense()
    first, of = samples.distinct.first, samples.distinct.of
    np.testing.assert_allclose(formed, formed[first][of])
    np.testing.assert_allclose(formed, formed.T)
    np.testing.assert_allclose(equal.apply(np.eye(equal.n)), formed, atol=1e-12)
    np.testing.assert_allclose(equal.degrees, formed.sum(axis=1))
    assert formed.sum() == pytest.approx(plain.dense().sum())


def test_without_copies_nothing_changes():
    samples = Samples.from_features(np.random.default_rng(0).standard_normal((20, 2)))
    hypergraphs = Hypergraphs(samples, samples.mean_distance)
    assert hypergraphs.equal_on_copies(hypergraphs.pairwise) is hypergraphs.pairwise
