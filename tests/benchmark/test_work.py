"""The work of each job: numbers of clusterings, and the minutes requested for them."""

import pytest

from hypercut.benchmark import work
from hypercut.benchmark.cost import DISTANCES, OVERCLUSTERING, SCORES, Size
from hypercut.benchmark.work import Part
from tests.benchmark.costs import COSTS
from tests.benchmark.test_design import benchmark

IRIS = Size(150, 4, 10)
GIVEN = benchmark(
    datasets={"iris": {}},
    sigma_factors=[1, 2, 3],
    repeats=5,
    sweeps={"repeats": 2, "neighbors": [1, 2], "communities": [2, 3, 6]},
    readings={},
)


def test_cells_run_at_every_scale_or_once_per_repeat() -> None:
    assert work.clusterings(GIVEN, GIVEN.cell("iris", "noise-L1", "CSC"), IRIS, scaled=True) == (
        Part(DISTANCES, IRIS, 5),
        Part("CSC", IRIS, 15),
        Part(SCORES, IRIS, 15),
    )
    stsc = GIVEN.cell("iris", "noise-L1", "STSC")
    assert work.clusterings(GIVEN, stsc, IRIS, scaled=False) == (Part("STSC", IRIS, 5),)


def test_repeats_of_clean_data_share_their_distances() -> None:
    assert work.overclustering(GIVEN, "iris", "clean", IRIS) == (
        Part(DISTANCES, IRIS, 1),
        Part(OVERCLUSTERING, IRIS, 15),
    )


def test_a_sweep_of_the_communities_computes_those_that_the_cells_do_not_have() -> None:
    shared = (Part(DISTANCES, IRIS, 1), Part("PKO+HSC", IRIS, 12), Part(SCORES, IRIS, 12))
    neighbors, communities = GIVEN.variations()
    assert work.clusterings(GIVEN, neighbors, IRIS, scaled=True) == shared
    distances, clusterings, scores, *others = work.clusterings(GIVEN, communities, IRIS, scaled=True)
    assert (distances.count, clusterings.count, scores.count) == (1, 18, 18)
    # Three and six communities per cluster cost as much as two would with 15 and 30 clusters.
    assert others == [Part(OVERCLUSTERING, Size(150, 4, clusters), 6) for clusters in (15, 30)]


@pytest.mark.parametrize(
    ("time_limit", "minutes"),
    [
        (900, 5 + (4 * 60 * 1 + 3 * 900) // 60),  # four times the expected second, and three timeouts
        (2, 5 + (60 * 2 + 3 * 2) // 60),  # no clustering takes longer than the limit
    ],
)
def test_minutes(time_limit: int, minutes: int) -> None:
    assert work.minutes((Part("CSC", IRIS, 60),), COSTS, time_limit, give_up_after=3) == minutes
