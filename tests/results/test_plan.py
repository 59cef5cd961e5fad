"""The plan of a benchmark: sums over its jobs, for a configuration small enough to add up by hand."""

import math
import re
from pathlib import Path

import pandas as pd
import pytest

from hypercut.benchmark.design import Benchmark, load_benchmark
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.requests import typical_seconds
from hypercut.benchmark.size import Size
from hypercut.benchmark.variations import Variation
from hypercut.errors import InputError
from hypercut.results.plan import JOB_SECONDS, Costs, Job, plan, planned_jobs, wall_hours
from tests import rows as fake
from tests.benchmark.test_design import FULL, benchmark
from tests.results.current import archive_results

IRIS, TRAJ = Size(150, 4, 3), Size(2500, 18, 50)
#: Core-seconds of a clustering of iris.
SECONDS = {"CSC": 1.0, "STSC": 3.0, "PKO+HSC": 2.0}
OVERCLUSTERING = 4.0


def measured(dataset: str, size: Size, **changes: object) -> pd.DataFrame:
    """Rows of an archive: PKO+HSC uses over-clusterings, STSC has no scale."""
    common = {"n_samples": size.samples, "n_features": size.features, "n_clusters": size.clusters, "variation": ""}
    rows = []
    for algorithm, seconds in SECONDS.items():
        shared = OVERCLUSTERING if algorithm == "PKO+HSC" else 0.0
        times = {"cpu_seconds": seconds, "wall_seconds": seconds, "shared_seconds": shared}
        row = fake.row(dataset, "clean", algorithm, 0.5, **{**common, **times, **changes})
        rows.append({**row, "sigma_factor": math.nan} if algorithm == "STSC" else row)
    return pd.DataFrame(rows)


COSTS = Costs(measured("iris", IRIS))


def small_benchmark(**changes: object) -> Benchmark:
    """One clean dataset, two algorithms, 3 scales, 5 repeats; a sweep of two values with 2 repeats."""
    given = {
        "datasets": {"iris": {"corruptions": []}},
        "leave_out": [name for name in benchmark().methods if name not in ("CSC", "STSC", *FULL["baselines"])],
        "baselines": [],
        "sigma_factors": [1, 2, 3],
        "repeats": 5,
        "sweeps": {"repeats": 2, "neighbors": [1, 2]},
        "readings": {},
    }
    return benchmark(**given | changes)


def jobs_of(results: Path, given: Benchmark, current: set[Variation] | None = None) -> list[Job]:
    sizes = dict.fromkeys(given.datasets, IRIS)
    return list(planned_jobs(Layout(results), given, sizes, COSTS, current or set()))


def test_jobs_cost_their_clusterings_as_measured(tmp_path: Path) -> None:
    jobs = jobs_of(tmp_path, small_benchmark())
    assert [(job.step, job.seconds) for job in jobs] == [
        ("corrupt", 0.0),
        ("overcluster", 15 * OVERCLUSTERING),
        ("cluster", 15 * SECONDS["CSC"]),
        ("cluster", 5 * SECONDS["STSC"]),
        ("cluster", 12 * SECONDS["PKO+HSC"]),
    ]
    assert not any(job.done for job in jobs)
    draws, labels = 4 * 150 * 4, 2 * 15 + 15 + 5 + 12
    assert sum(job.bytes for job in jobs) == draws + 150 * labels


def test_a_reading_that_changes_the_data_has_a_problem_and_over_clusterings_of_its_own(tmp_path: Path) -> None:
    kept = ("PK+HSC", "PKO+NC", *FULL["baselines"])
    given = small_benchmark(
        leave_out=[name for name in benchmark().methods if name not in kept],
        sweeps={},
        readings={"names": ["features-unit"], "repeats": 2, "nearest": "balance-degree"},
    )
    jobs = [job for job in jobs_of(tmp_path, given) if job.group != "cells"]
    assert [(job.step, job.group) for job in jobs] == [
        *[("cluster", "nearest reading")] * 2,
        ("corrupt", "readings"),
        ("overcluster", "readings"),
        *[("cluster", "readings")] * 2,
    ]


def test_the_nearest_size_stands_for_others_and_a_known_algorithm_for_unknown_ones() -> None:
    costs = Costs(pd.concat([measured("iris", IRIS), measured("traj", TRAJ, cpu_seconds=9.0)]))
    assert costs.seconds("iris", IRIS, "CSC", "noise-L3", "") == SECONDS["CSC"]
    assert costs.seconds("iris", IRIS, "Mine", "clean", "") == SECONDS["PKO+HSC"]
    other = Size(2000, 784, 10)
    assert costs.seconds("mine", other, "CSC", "clean", "") == pytest.approx(
        9.0 * typical_seconds(other) / typical_seconds(TRAJ)
    )
    assert costs.unscaled == {"STSC"}


def test_results_that_are_current_are_done_and_need_no_inputs(tmp_path: Path) -> None:
    given = small_benchmark()
    current = set(given.results())
    assert all(job.done for job in jobs_of(tmp_path, given, current))
    current.remove(given.cell("iris", "clean", "CSC"))  # needs the problem, but no over-clustering
    assert [job.step for job in jobs_of(tmp_path, given, current) if not job.done] == ["corrupt", "cluster"]


def test_wall_time_is_shared_by_the_cores_but_not_shorter_than_the_longest_job() -> None:
    def job(seconds: float, samples: int = 100) -> Job:
        return Job("cluster", "cells", "iris", Size(samples, 4, 3), seconds - JOB_SECONDS, 0.0, done=False)

    assert 3600 * wall_hours([job(4), job(4), job(4)], cores=2) == pytest.approx(6)
    assert 3600 * wall_hours([job(4), job(20)], cores=4) == pytest.approx(20)
    assert 3600 * wall_hours([job(4), job(20, samples=9000)], cores=4) == pytest.approx(10)  # two threads
    assert wall_hours([], cores=2) == 0


@pytest.fixture
def archive(results: Path, tmp_path: Path) -> Path:
    archive_results(results, tmp_path / "archive")
    return tmp_path / "archive"


def test_the_text_adds_up_the_archive_at_the_speed_of_this_machine(archive: Path, tmp_path: Path) -> None:
    once, twice = (plan(tmp_path, small_benchmark(), cores=2, archive=archive, speed=s) for s in (1e5, 2e5))
    hours, doubled = (float(re.search(r"^core-hours +([\d.]+)", text, re.MULTILINE)[1]) for text in (once, twice))
    assert doubled == pytest.approx(2 * hours, rel=0.01)
    assert "jobs         5: 1 corrupt, 1 overcluster, 3 cluster" in once.splitlines()


def test_a_plan_of_own_data_and_own_methods_works_before_anything_is_computed(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text("a,b,label\n" + "1,0,x\n2,0,y\n" * 20)
    (tmp_path / "mine.py").write_text("from sklearn.cluster import KMeans\nclass Mine(KMeans):\n    name = 'Mine'\n")
    given = small_benchmark(
        datasets={"mine": {"path": str(tmp_path / "my.csv"), "label_column": "label", "corruptions": []}},
        algorithms={"Mine": {"module": str(tmp_path / "mine.py")}},
    )
    text = plan(tmp_path / "planned", given, cores=1, archive=archive, speed=1.0)
    assert "N = 40, K = 2" in text
    assert "assumed to cost as much as PKO+HSC: Mine." in text


def test_without_an_archive_the_own_results_tell_the_costs(results: Path) -> None:
    given = load_benchmark(results)
    text = plan(results, given, cores=1, archive=results / "nowhere", speed=1.0)
    assert "core-hours   0\n" in text  # all results are current
    with pytest.raises(InputError, match="is not an archive"):
        plan(results / "nowhere", given, cores=1, archive=results / "nowhere", speed=1.0)
