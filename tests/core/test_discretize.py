import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ortho_group

from hypercut.core import discretize as discretize_module
from hypercut.core.discretize import discretize
from hypercut.core.normalized_cut import unit_rows
from hypercut.metrics import ari


def noisy_partition(n, k, noise, seed):
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    rotation = ortho_group.rvs(k, random_state=rng)
    return labels, unit_rows((np.eye(k)[labels] + noise * rng.standard_normal((n, k))) @ rotation)


@given(st.integers(2, 8), st.integers(0, 1000))
def test_a_rotated_partition_is_recovered(k, seed):
    labels, rows = noisy_partition(60, k, 0.0, seed)
    found = discretize(rows, np.random.default_rng(seed))
    assert ari(labels, found.labels) == 1
    assert found.objective == pytest.approx(60)  # its largest possible value
    np.testing.assert_allclose(found.rotation @ found.rotation.T, np.eye(k), atol=1e-9)


@given(st.integers(0, 200))
def test_no_partition_of_a_tiny_set_is_nearer(seed):
    _, rows = noisy_partition(7, 2, 0.4, seed)
    found = discretize(rows, np.random.default_rng(0))
    every = (
        np.linalg.svd(np.eye(2)[list(labels)].T @ rows)[1].sum() for labels in itertools.product(range(2), repeat=7)
    )
    # Alternating steps reach a local optimum; from up to ten starts on seven rows it is the best or near it.
    assert found.objective >= 0.97 * max(every)


@given(st.integers(2, 5), st.integers(0, 200))
def test_neither_basis_nor_order_matter(k, seed):
    _, rows = noisy_partition(50, k, 0.2, seed)
    found = discretize(rows, np.random.default_rng(1))
    rotated = discretize(rows @ ortho_group.rvs(k, random_state=seed), np.random.default_rng(1))
    assert ari(found.labels, rotated.labels) == 1
    order = np.random.default_rng(seed).permutation(50)
    assert ari(found.labels[order], discretize(rows[order], np.random.default_rng(1)).labels) == 1


def test_zero_rows_do_no_harm():
    labels, rows = noisy_partition(40, 3, 0.1, 0)
    padded = np.vstack([np.zeros((5, 3)), rows])
    found = discretize(padded, np.random.default_rng(0))
    assert ari(labels, found.labels[5:]) == 1
    assert np.isfinite(found.objective)


def test_a_matrix_on_which_the_fast_driver_fails(monkeypatch):
    rows = unit_rows(np.random.default_rng(0).standard_normal((60, 5)))
    expected = discretize(rows, np.random.default_rng(1))

    def fails(*_, **__):
        raise np.linalg.LinAlgError("SVD did not converge")

    monkeypatch.setattr(np.linalg, "svd", fails)
    found = discretize(rows, np.random.default_rng(1))
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert found.objective == pytest.approx(expected.objective)


def test_blocks_of_rows_give_the_same_partition(monkeypatch):
    rows = unit_rows(np.random.default_rng(0).standard_normal((500, 4)))
    whole = discretize(rows, np.random.default_rng(1))
    monkeypatch.setattr(discretize_module, "BLOCK_ROWS", 64)
    blocks = discretize(rows, np.random.default_rng(1))
    assert np.array_equal(whole.labels, blocks.labels)
    assert blocks.objective == pytest.approx(whole.objective)
