import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh

from hypercut.core.eigen import (
    DegreeShifted,
    Eigenpairs,
    Normalized,
    Spectrum,
    davidson,
    lanczos,
    solve,
    top_eigenpairs,
)
from hypercut.core.eigen import spectrum as spectrum_module
from hypercut.core.samples import Samples
from hypercut.core.similarity import Dense, Factored


def nearly_disconnected(n_clusters=12, size=60, bridge=1e-9):
    """Clusters that are almost copies of each other and almost apart: eigenvalue 1 is nearly repeated."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((size, 3))
    one = np.exp(-((x[:, None] - x[None]) ** 2).sum(axis=2) / 2)
    return Dense(scipy.linalg.block_diag(*[one] * n_clusters) + bridge)


def principal_angles(a, b):
    return np.arccos(np.clip(np.linalg.svd(np.linalg.qr(a)[0].T @ np.linalg.qr(b)[0])[1], -1, 1))


def test_repeated_eigenvalues_that_bare_eigsh_misses():
    operator = Normalized(nearly_disconnected())
    exact = np.linalg.eigvalsh(operator.dense())[::-1][:12]
    # The reason for our layer: ARPACK silently skips copies at this tolerance. At full precision, it depends on the
    # rounding of the processor whether it does.
    bare = eigsh(operator.dense(), 12, which="LA", return_eigenvectors=False, v0=np.ones(operator.n), tol=1e-6)
    assert np.abs(np.sort(bare)[::-1] - exact).max() > 1e-3
    found = top_eigenpairs(operator, 12, np.random.default_rng(0))
    assert found.path == "davidson"
    np.testing.assert_allclose(found.values, exact, atol=1e-7)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(12), atol=1e-9)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("factor", [0.2, 0.6, 3.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_agrees_with_the_dense_solver(seed, factor, dtype):
    rng = np.random.default_rng(seed)
    x = np.vstack([rng.standard_normal((140, 6)) + rng.uniform(-3, 3, 6) for _ in range(5)])
    samples = Samples.from_features(x, dtype=dtype)
    similarity = Dense(samples.kernel(factor * samples.mean_distance))
    for operator in (Normalized(similarity), Normalized(similarity.without_diagonal()), DegreeShifted(similarity, 0.5)):
        found = top_eigenpairs(operator, 5, rng)
        values, vectors = np.linalg.eigh(operator.dense())
        scale = np.abs(values).max()
        gap = values[-5] - values[-6]
        np.testing.assert_allclose(found.values, values[:-6:-1], atol=1e-6 * gap + 1e-9 * scale)
        assert np.sin(principal_angles(found.vectors, vectors[:, -5:])).max() <= 2e-3 + 1e-9 * scale / gap
        assert found.residual <= max(1e-3 * gap, 1e-9 * scale)
        assert found.gap <= gap + 1e-8 * scale


def test_an_incomplete_set_is_noticed_and_completed(monkeypatch):
    """A solver that drops the second vector: the check must find it."""
    operator = Normalized(nearly_disconnected())
    honest = solve.block_davidson
    calls = []

    def dropping(operator, k, rng, start, tol):
        pairs = honest(operator, k + 1, rng, start, tol)
        keep = np.arange(k + 1) != 1 if len(calls) < 2 else np.arange(k)
        calls.append(k)
        return Eigenpairs(pairs.values[keep], pairs.vectors[:, keep], pairs.vectors[:, keep], "davidson")

    monkeypatch.setattr(solve, "block_davidson", dropping)
    found = top_eigenpairs(operator, 12, np.random.default_rng(0))
    assert len(calls) == 3
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(operator.dense())[::-1][:12], atol=1e-7)


def test_nearly_isolated_vertices_in_single_precision():
    """Degrees close to zero magnify the rounding of single-precision products: exact ones must take over."""
    rng = np.random.default_rng(0)
    x = np.vstack([rng.standard_normal((600, 3)), 12 * rng.standard_normal((100, 3))])
    samples = Samples.from_features(x, dtype=np.float32)
    operator = Normalized(Dense(samples.kernel(0.05 * samples.mean_distance), diagonal=0.0))
    found = top_eigenpairs(operator, 8, rng)
    values = np.linalg.eigvalsh(operator.dense())[::-1]
    np.testing.assert_allclose(found.values, values[:8], atol=1e-9)
    assert found.residual <= 1e-7


@pytest.mark.parametrize(("limit", "path"), [("MAX_PRODUCTS", "not converged"), ("MAX_INCOMPLETE", "incomplete")])
def test_the_dense_solver_takes_over(monkeypatch, limit, path):
    operator = Normalized(nearly_disconnected())
    if limit == "MAX_PRODUCTS":
        monkeypatch.setattr(davidson, "MAX_PRODUCTS", 1)
        monkeypatch.setattr(solve, "USUAL_PRODUCTS", 1)
    else:
        monkeypatch.setattr(solve, "_missed", lambda operator, pairs, rng: pairs.vectors[:, 0])
    found = top_eigenpairs(operator, 12, np.random.default_rng(0))
    assert found.path.startswith("dense after davidson")
    assert path in found.path
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(operator.dense())[::-1][:12], atol=1e-12)


@pytest.mark.parametrize("n", [5, 600])
def test_as_many_eigenpairs_as_there_are(n):
    rng = np.random.default_rng(0)
    matrix = rng.uniform(size=(n, n))
    found = top_eigenpairs(Normalized(Dense(matrix + matrix.T)), n, rng)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(n), atol=1e-9)


def test_a_warm_start_saves_products():
    similarity = nearly_disconnected(bridge=1e-2)
    operator = Normalized(similarity)
    cold = top_eigenpairs(operator, 12, np.random.default_rng(0))
    warm = top_eigenpairs(operator, 12, np.random.default_rng(1), start=cold.search)
    assert warm.products < cold.products


@pytest.mark.slow
@pytest.mark.parametrize("parts", [1, 5, 9])
def test_sparse_factors_by_lanczos_are_complete(parts, monkeypatch):
    """Copies of the eigenvalue 1 that Lanczos may skip are found nevertheless."""
    rng = np.random.default_rng(0)
    monkeypatch.setattr(lanczos, "BLOCK_ROWS", 640)
    blocks = [sp.random_array((200, 60), density=0.1, rng=rng) + 0.01 * np.ones((200, 60)) for _ in range(parts)]
    factor = sp.block_diag([sp.csr_array(block) for block in blocks] * (2 if parts > 1 else 5), format="csr")
    operator = Normalized(Factored(factor))
    found = top_eigenpairs(operator, 8, np.random.default_rng(0))
    exact = np.linalg.eigvalsh(operator.dense())[::-1][:8]
    assert found.converged
    np.testing.assert_allclose(found.values, exact, atol=1e-7)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(8), atol=1e-7)


def test_lanczos_is_used_where_products_are_cheap():
    factor = sp.random_array((1500, 400), density=0.02, rng=np.random.default_rng(0)) + sp.csr_array(
        0.02 * np.ones((1500, 400))
    )
    assert top_eigenpairs(Normalized(Factored(factor)), 5, np.random.default_rng(0)).path == "lanczos"


def test_of_several_components_the_largest_comes_first():
    """Few eigenvectors must separate the large clusters, not outliers from the rest."""
    rng = np.random.default_rng(0)
    sizes = [5, 900, 3, 700]
    blocks = [sp.csr_array(0.01 + sp.random_array((size, 40), density=0.1, rng=rng).toarray()) for size in sizes]
    operator = Normalized(Factored(sp.block_diag(blocks, format="csr")))
    members = np.repeat(np.arange(4), sizes)
    for k in (2, 6):
        found = top_eigenpairs(operator, k, np.random.default_rng(0))
        np.testing.assert_allclose(found.values[: min(k, 4)], 1, atol=1e-12)
        for column, component in enumerate((1, 3, 0, 2)[:k]):
            assert set(members[np.abs(found.vectors[:, column]) > 1e-9]) == {component}


def fail(_matrix, **_):
    raise scipy.linalg.LinAlgError("Internal Error.")


def lose_one(matrix, *, subset_by_index, **_):
    first, last = subset_by_index
    values, vectors = np.linalg.eigh(matrix)
    return values[first : last - 1], vectors[:, first : last - 1]


@pytest.mark.parametrize("driver", [fail, lose_one])
def test_where_lapack_cannot_separate_equal_eigenvalues(driver, monkeypatch):
    """LAPACK's driver for a part of the spectrum fails on some symmetric graphs, or returns too few eigenvalues."""
    whole = scipy.linalg.eigh
    monkeypatch.setattr(
        "hypercut.core.eigen.solve.scipy.linalg.eigh",
        lambda matrix, **options: (driver if "subset_by_index" in options else whole)(matrix, **options),
    )
    operator = Normalized(Dense(np.ones((11, 11)) + np.diag(np.arange(11) == 0)))
    found = top_eigenpairs(operator, 5, np.random.default_rng(0))
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(operator.dense())[::-1][:5], atol=1e-12)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(5), atol=1e-12)


def test_a_start_narrower_than_the_search_is_made_exact():
    """With storage in single precision, the images of the vectors found are computed once more."""
    x = np.random.default_rng(0).standard_normal((700, 5))
    samples = Samples.from_features(x, dtype=np.float32)
    operator = Normalized(Dense(samples.kernel(0.5 * samples.mean_distance)))
    values, vectors = scipy.linalg.eigh(operator.dense())
    found = top_eigenpairs(operator, 10, np.random.default_rng(0), start=vectors[:, ::-1][:, :10])
    assert found.path == "davidson"
    np.testing.assert_allclose(found.values, values[::-1][:10], atol=1e-9)


@pytest.mark.parametrize("n", [300, 1500])
def test_rough_pairs_of_a_graph_without_repeated_eigenvalues_are_nearly_the_largest(n):
    factor = sp.csr_array(0.02 + sp.random_array((n, n // 4), density=0.02, rng=np.random.default_rng(0)).toarray())
    spectrum = Spectrum(Factored(factor))
    rough, exact = (find(6, np.random.default_rng(0)) for find in (spectrum.rough, spectrum.leading))
    np.testing.assert_allclose(rough.values, exact.values, atol=1e-3)


def test_a_spectrum_computes_pairs_once(monkeypatch):
    rng = np.random.default_rng(0)
    factor = sp.csr_array(0.02 + sp.random_array((800, 200), density=0.02, rng=rng).toarray())
    spectrum = Spectrum(Factored(factor))
    many = spectrum.leading(9, rng)
    monkeypatch.setattr(spectrum_module, "top_eigenpairs", None)
    few = spectrum.leading(4, rng)
    np.testing.assert_array_equal(few.vectors, many.vectors[:, :4])
    assert few.gap == pytest.approx(many.values[3] - many.values[4])
    with pytest.raises(TypeError):
        spectrum.leading(10, rng)
