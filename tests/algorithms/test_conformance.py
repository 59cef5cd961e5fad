"""What every registered algorithm must do. A new file in the package is tested automatically."""

import re
import tracemalloc

import numpy as np
import pytest
from scipy.stats import ortho_group
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances
from sklearn.utils.estimator_checks import check_estimator
from threadpoolctl import threadpool_limits

from hypercut import algorithms
from hypercut.algorithms import SpectralEstimator, ak_nc
from hypercut.algorithms.ak_nc.views import View
from hypercut.core import blocks
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.metrics import ari, nmi

ALGORITHMS = list(algorithms.registry().values())
every_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS, ids=algorithms.names())
over_the_core = pytest.mark.parametrize(
    "algorithm",
    [algorithm for algorithm in ALGORITHMS if issubclass(algorithm, SpectralEstimator)],
    ids=lambda algorithm: algorithm.name,
)


def fixed_scale(algorithm, n_clusters=3, **parameters):
    """Return an estimator with a given σ, since the checks below do not concern the choice of σ."""
    if algorithm.has_sigma:
        parameters.setdefault("sigma_factor", 0.6)
    return algorithm(n_clusters, random_state=0, **parameters)


def blobs(seed=0, n=90, std=1.0):
    return make_blobs(n, 4, centers=3, cluster_std=std, random_state=seed)


@every_algorithm
def test_scikit_learn_contract(algorithm):
    checks = check_estimator(fixed_scale(algorithm, 2), on_skip=None)  # raises on the first that fails
    skipped = {check["check_name"] for check in checks if check["status"] == "skipped"}
    assert len(checks) > 30
    assert skipped <= {"check_array_api_input"}  # needs an environment variable, and is about GPU arrays


@every_algorithm
def test_one_cluster_is_trivial(algorithm):
    estimator = fixed_scale(algorithm, 1).fit(blobs()[0])
    assert estimator.status_ == "trivial"
    assert not estimator.labels_.any()
    assert np.all(estimator.affinity_scale_ > 0)
    assert getattr(estimator, "sigma_factor_", 0.6) == 0.6


@every_algorithm
def test_data_that_equal_their_mirror_image(algorithm):
    X = np.array([0.0, 1, 2, 10, 11, 12])[:, None]
    assert ari([0, 0, 0, 1, 1, 1], fixed_scale(algorithm, 2).fit_predict(X)) == 1


@every_algorithm
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda D: np.exp(-D), "zero diagonal"),
        (lambda D: -D, "≥ 0"),
        (lambda D: np.triu(D), "symmetric"),
        (lambda D: D[:, :4], "square"),
    ],
)
def test_what_are_no_distances_is_an_error(algorithm, spoil, message):
    distances = pairwise_distances(blobs()[0])
    with pytest.raises(ValueError, match=message):
        fixed_scale(algorithm, affinity="precomputed_distances").fit(spoil(distances))


@every_algorithm
def test_separated_clusters_are_found(algorithm):
    X, y = blobs()
    estimator = fixed_scale(algorithm)
    assert ari(y, estimator.fit_predict(X)) == 1
    assert estimator.status_ == "ok"
    assert estimator.embedding_.shape == (90, 3)
    assert estimator.n_iter_ >= 1
    assert np.all(estimator.affinity_scale_ > 0)
    assert estimator.solver_["path"] == ("dense" if issubclass(algorithm, SpectralEstimator) else "parts")


@every_algorithm
def test_the_same_seed_gives_the_same_labels(algorithm):
    X, _ = blobs(1, std=3)
    first = fixed_scale(algorithm).fit(X).labels_
    np.testing.assert_array_equal(first, fixed_scale(algorithm).fit(X).labels_)


@over_the_core
def test_the_number_of_threads_does_not_matter(algorithm):
    X, _ = make_blobs(1100, 6, centers=4, cluster_std=3, random_state=0)  # several blocks of rows
    samples = Samples.from_features(X, dtype=np.float32)
    found = []
    for threads in (1, 3):
        token = blocks._threads.set(threads)
        with threadpool_limits(1):
            hypergraphs = Hypergraphs(samples, 0.6 * samples.mean_distance)
            found.append(fixed_scale(algorithm, 4).cluster(hypergraphs, 0))
        blocks._threads.reset(token)
    np.testing.assert_array_equal(found[0].labels, found[1].labels)
    np.testing.assert_array_equal(found[0].embedding, found[1].embedding)


@every_algorithm
def test_order_does_not_matter(algorithm):
    X, _ = blobs(std=2.5)
    labels = fixed_scale(algorithm).fit(X).labels_
    order = np.random.default_rng(0).permutation(len(X))
    assert ari(labels[order], fixed_scale(algorithm).fit(X[order]).labels_) == 1


@every_algorithm
@pytest.mark.parametrize(
    ("move", "unit"),
    [
        pytest.param(lambda X: X + 100, 1.0, id="translation"),
        pytest.param(lambda X: X @ ortho_group.rvs(4, random_state=0), 1.0, id="rotation"),
        *[pytest.param(lambda X: X, unit, id=f"unit {unit}") for unit in (1e-4, 1e4)],
        pytest.param(lambda X: X, 1e-200, id="squares vanish"),
        pytest.param(lambda X: X, 1e200, id="squares overflow"),
    ],
)
def test_position_and_unit_do_not_matter(algorithm, move, unit, monkeypatch):
    # Standardized features, which AK+NC may choose, belong to the axes; the clustering in one metric does not.
    monkeypatch.setattr(ak_nc, "all_views", lambda X: {"given": lambda: View(X)})
    X, _ = blobs(2, std=2.5)
    found, moved = (fixed_scale(algorithm).fit(samples) for samples in (X, unit * move(X)))
    assert ari(found.labels_, moved.labels_) == 1
    np.testing.assert_allclose(moved.affinity_scale_, unit * found.affinity_scale_, rtol=1e-6)


@every_algorithm
def test_distances_serve_as_well_as_features(algorithm):
    X, _ = blobs(3, std=2.5)
    labels = fixed_scale(algorithm).fit(X).labels_
    other = fixed_scale(algorithm, affinity="precomputed_distances").fit(pairwise_distances(X))
    assert ari(labels, other.labels_) == 1
    assert other.__sklearn_tags__().input_tags.pairwise


@over_the_core
def test_single_precision_changes_nothing_that_matters(algorithm):
    """Labels with float32 storage equal those with float64, also through the iterative solver."""
    X, _ = make_blobs(700, 6, centers=4, cluster_std=2.5, random_state=0)
    results = []
    for dtype in (np.float32, np.float64):
        samples = Samples.from_features(X, dtype=dtype)
        hypergraphs = Hypergraphs(samples, 0.6 * samples.mean_distance)
        estimator = fixed_scale(algorithm, 4)
        similarity = estimator.similarity(hypergraphs, 0)
        results.append((similarity.dense(), similarity.degrees, estimator.cluster(hypergraphs, 0)))
    (single, single_degrees, coarse), (double, double_degrees, fine) = results
    assert coarse.solver["path"] == fine.solver["path"] == "davidson"
    np.testing.assert_allclose(single, double, atol=2e-6)
    np.testing.assert_allclose(single_degrees, double_degrees, rtol=1e-5)
    assert nmi(coarse.labels, fine.labels) > 0.99
    if "trace_ratio" in fine.solver:
        assert coarse.solver["trace_ratio"] == pytest.approx(fine.solver["trace_ratio"], rel=1e-5)


def copied(seed, n_distinct, dimension=2):
    """Return samples with one to fourteen copies in random order, and the distinct sample that each one copies."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((n_distinct, dimension))
    which = rng.permutation(np.repeat(np.arange(n_distinct), rng.integers(1, 15, n_distinct)))
    return points[which], which


@every_algorithm
@pytest.mark.parametrize("affinity", ["euclidean", "precomputed_distances"])
@pytest.mark.parametrize(("n_distinct", "n_clusters"), [(2, 3), (3, 6)])
def test_fewer_distinct_samples_than_clusters(algorithm, n_distinct, n_clusters, affinity):
    X, which = copied(n_clusters, n_distinct)
    given = X if affinity == "euclidean" else pairwise_distances(X)
    estimator = algorithm(n_clusters, affinity=affinity, random_state=0)
    with pytest.warns(ConvergenceWarning, match=f"{n_distinct} clusters.*n_clusters={n_clusters}"):
        estimator.fit(given)
    assert ari(which, estimator.labels_) == 1
    assert estimator.status_ == "degenerate"
    assert estimator.embedding_.shape == (len(X), n_clusters)
    assert np.all(estimator.affinity_scale_ > 0)


@every_algorithm
@pytest.mark.parametrize("seed", [0, 2, 7])
@pytest.mark.filterwarnings("ignore:.* fewer than n_clusters:sklearn.exceptions.ConvergenceWarning")
def test_many_copies_of_few_samples(algorithm, seed):
    """Up to fourteen copies of a sample; as many clusters as there are distinct samples, and fewer."""
    n_distinct = 4 + seed
    X, which = copied(seed, n_distinct, dimension=1 + seed % 3)
    for n_clusters in (2, n_distinct // 2 + 1, n_distinct):
        for factor in (0.2, 0.6, 2.0) if algorithm.has_sigma else (None,):
            estimator = fixed_scale(algorithm, n_clusters, **({"sigma_factor": factor} if factor else {}))
            labels = estimator.fit(X).labels_
            assert 1 < len(np.unique(labels)) <= n_clusters
            if n_clusters == n_distinct:
                assert ari(which, labels) == 1
                assert estimator.status_ == "degenerate"


@every_algorithm
def test_far_apart_clusters_are_degenerate_and_right(algorithm):
    X, y = blobs(std=0.01)
    estimator = fixed_scale(algorithm, sigma_factor=0.01) if algorithm.has_sigma else fixed_scale(algorithm)
    estimator.fit(X)
    assert ari(y, estimator.labels_) == 1
    assert estimator.status_ == "degenerate"


@every_algorithm
@pytest.mark.parametrize(
    "parameters",
    [
        {"n_clusters": 0},
        {"n_clusters": 2.5},
        {"n_clusters": 91},
        {"sigma_factor": 0},
        {"sigma_factor": "best"},
        {"alpha": -0.1},
        {"alpha": 0.7, "beta": 0.7},
        {"n_neighbors": 0},
        {"communities_per_cluster": 0},
        {"affinity": "cosine"},
    ],
    ids=str,
)
def test_bad_parameters_are_errors(algorithm, parameters):
    """scikit-learn rejects parameters that the algorithm does not have and names them."""
    with pytest.raises(ValueError, match=next(iter(parameters))):
        fixed_scale(algorithm).set_params(**parameters).fit(blobs()[0])


@every_algorithm
def test_numbers_of_numpy_types_are_those_of_python(algorithm):
    """Small integers overflow in products, and half precision has three digits."""
    X, _ = blobs(1, std=3)
    numbers = {name: value for name, value in algorithm().get_params().items() if type(value) is int}
    numbers |= {"n_clusters": 10, "random_state": 3} | ({"sigma_factor": 0.5} if algorithm.has_sigma else {})
    types = {int: np.uint8, float: np.float16}
    given = {name: types[type(value)](value) for name, value in numbers.items()}
    found = algorithm(**given).fit(X)
    np.testing.assert_array_equal(found.labels_, algorithm(**numbers).fit(X).labels_)
    assert found.get_params() == algorithm(**numbers).get_params()


@every_algorithm
def test_constant_data_are_errors(algorithm):
    with pytest.raises(ValueError, match="All 20 samples are identical"):
        fixed_scale(algorithm).fit(np.ones((20, 3)))


@every_algorithm
def test_values_near_the_largest_number_are_errors(algorithm):
    with pytest.raises(ValueError, match=r"found 1\.7e\+308"):
        fixed_scale(algorithm).fit(1.7e308 * np.array([[-1.0], [1.0], [0.9], [0.0]]))


@every_algorithm
def test_too_little_memory_is_reported_before_any_is_taken(algorithm, monkeypatch):
    monkeypatch.setattr("hypercut.core.memory.available_mb", lambda: 40)
    monkeypatch.setattr(algorithm, "_cluster_features", lambda *_: pytest.fail("the clustering was started"))
    X = np.random.default_rng(0).standard_normal((30_000, 3))
    with pytest.raises(
        MemoryError, match=r"30000 × 3 needs about \d+\.\d GB of memory.* 0\.0 GB .*fewer samples"
    ) as raised:
        fixed_scale(algorithm).fit(X)
    assert ("HypergraphClustering" in str(raised.value)) == issubclass(algorithm, SpectralEstimator)


@every_algorithm
@pytest.mark.parametrize("affinity", ["euclidean", "precomputed_distances"])
def test_no_more_memory_is_taken_than_asked_for(algorithm, affinity, monkeypatch):
    """The estimate is above the memory that NumPy allocates, but not far above."""
    X, _ = make_blobs(800, 5, centers=4, cluster_std=3, random_state=0)
    given = X if affinity == "euclidean" else pairwise_distances(X)
    estimator = fixed_scale(algorithm, 4, affinity=affinity)
    tracemalloc.start()
    try:
        estimator.fit(given)
        taken = tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
    assert taken <= estimator._needed_mb(*given.shape) <= 5 * taken
    monkeypatch.setattr("hypercut.core.memory.available_mb", lambda: int(taken))
    with pytest.raises(MemoryError):
        estimator.fit(given)


@over_the_core
@pytest.mark.parametrize("separation", [8.0, 9.3, 40.0])
def test_blobs_that_are_nearly_or_wholly_apart(algorithm, separation):
    """The weights between the blobs range from 1e-10 to zero; N is large enough for the iterative solver."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 300)
    X = 0.4 * rng.standard_normal((900, 2)) + separation * np.array([[0, 0], [1, 0], [0.5, 0.87]])[y]
    samples = Samples.from_features(X)
    found = fixed_scale(algorithm).cluster(Hypergraphs(samples, 1.0), 0)
    assert ari(y, found.labels) == 1
    assert np.isfinite(found.embedding).all()
    assert found.status in ("ok", "degenerate")
    assert found.n_iter < 60


@over_the_core
def test_isolated_points_leave_the_rest_alone(algorithm):
    """Outliers so far away that they have no affinity at all to anything."""
    rng = np.random.default_rng(0)
    X = np.vstack([0.3 * rng.standard_normal((700, 2)), 1000 * np.eye(2), -1000 * np.eye(2)])
    found = fixed_scale(algorithm).cluster(Hypergraphs(Samples.from_features(X), 0.3), 0)
    assert found.labels.shape == (704,)
    assert np.isfinite(found.embedding).all()


@every_algorithm
def test_help_lists_every_parameter_and_attribute(algorithm):
    described = set(re.findall(r"^ *(\w+) : ", algorithm.__doc__, flags=re.MULTILINE))
    assert {*algorithm().get_params(), "affinity_scale_"} <= described
    assert ("sigma_factor_" in described) == algorithm.has_sigma
    assert algorithm.__doc__.count("Examples") == 1
