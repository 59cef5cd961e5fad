"""The plan of a benchmark: sums over its jobs, for a configuration small enough to add up by hand."""

from pathlib import Path

import pytest

from hypercut.benchmark.cost import OVERCLUSTERING, Cost, Size
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.plan import clustering_jobs, core_hours, count_jobs, disk_bytes, plan
from tests import rows as fake
from tests.benchmark.test_design import FULL, benchmark

SCALED = {"CSC": True, "STSC": False}
SIZES = {"iris": Size(150, 4)}


@pytest.fixture
def small() -> Benchmark:
    """One clean dataset, two algorithms, 3 scales, 5 repeats; a sweep of two values with 2 repeats."""
    return benchmark(
        datasets={"iris": {"corruptions": []}},
        leave_out=[name for name in benchmark().methods if name not in (*SCALED, *FULL["references"])],
        references=[],
        sigma_factors=[1, 2, 3],
        repeats=5,
        sweeps={"repeats": 2, "neighbors": [1, 2]},
    )


def test_clusterings_of_each_job(small: Benchmark) -> None:
    assert list(clustering_jobs(small, SCALED)) == [
        ("iris", "CSC", 5 * 3),
        ("iris", "STSC", 5),
        ("iris", "PKO+HSC", 2 * 3 * 2),
    ]


def test_core_hours(small: Benchmark) -> None:
    costs = {name: Cost(seconds, 0.0) for name, seconds in {"CSC": 1.0, "STSC": 2.0, "PKO+HSC": 0.25}.items()}
    costs[OVERCLUSTERING] = Cost(0.0, 0.5 * (2000 / 150) ** 2)
    # Five jobs at 3 s: two cells, the sweep, corrupt and overcluster.
    seconds = 5 * 3.0 + 15 * 1.0 + 5 * 2.0 + 12 * 0.25 + 15 * 0.5
    assert core_hours(small, SIZES, SCALED, costs) == pytest.approx({"iris": seconds / 3600})


def test_core_hours_without_past_runs(small: Benchmark) -> None:
    clusterings = 15 + 5 + 12 + 15
    each = 0.125 + (150 / 2000) ** 2
    assert core_hours(small, SIZES, SCALED, {}) == pytest.approx({"iris": (5 * 3.0 + clusterings * each) / 3600})


def test_jobs(small: Benchmark) -> None:
    assert count_jobs(small) == {
        "acquire": 1,
        "featurize": 1,
        "corrupt": 1,
        "overcluster": 1,
        "cluster": 2,
        "sweep": 1,
        "other": 4,
    }


def test_disk(small: Benchmark) -> None:
    draws = 4 * 150 * 4  # the clean samples once, in single precision
    labelings = 5 * (2 * 3 + 3 + 1)  # two over-clusterings and CSC at each scale, STSC once per repeat
    assert disk_bytes(small, SIZES, SCALED) == draws + 150 * labelings


def test_the_text_counts_the_clusterings_it_is_based_on(tmp_path: Path, small: Benchmark) -> None:
    results = tmp_path / "results"
    text = plan(results, small)
    assert "from 0 clusterings" in text
    assert "None of them is by CSC, STSC: the estimate assumes 1.125 s at N = 2000" in text
    fake.write_cell(results, "iris", "clean", "CSC")
    lines = plan(results, small).splitlines()
    assert lines[:3] == [
        "datasets     iris 150×4",
        "jobs         11: 1 acquire, 1 featurize, 1 corrupt, 1 overcluster, 2 cluster, 1 sweep, 4 other",
        "clusterings  32",
    ]
    # CSC took 0.1 s in each of its 6 past rows; the others have the default cost.
    hours = (5 * 3.0 + 15 * 0.1 + (5 + 12 + 15) * (0.125 + (150 / 2000) ** 2)) / 3600
    assert lines[3] == f"core-hours   about {hours:.1f}, by dataset: iris {hours:.2f}"
    assert "from 6 clusterings" in lines[7]
    assert "None of them is by STSC:" in lines[8]
